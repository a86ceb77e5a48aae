"""The calls of AVP, foreseen: rounds of plan, look and reflection."""

from proofreel.agents import _avp_prompts as prompts
from proofreel.agents._avp.decide import MAX_ROUNDS
from proofreel.agents._avp.parse import Plan
from proofreel.agents._avp.shots import fixed_plan, shots_of
from proofreel.agents._planned import NO_HASH, Level, PlannedCall, PlannedFile, PlanSetting
from proofreel.core import Question
from proofreel.tools._controls import Controls

PLAN = {"low": 150, "typical": 600, "high": 3000}
"""Completion tokens of a plan, a reflection or an answer, thinking among them."""
REPORT = {"low": 150, "typical": 400, "high": 1200}
ROUNDS = {"low": 1, "typical": 2, "high": MAX_ROUNDS}
PLAN_ASSUMES = (
    "avp: 1 / 2 / 3 rounds; the first look is at the whole video at 0.5 fps and low resolution, the second at 30 s at "
    "2 fps and medium; high: every look is at the whole video at 5 fps, as far as its frame cap goes",
    "avp: a plan, reflection or answer completes 150 / 600 / 3000 tokens with thinking, a report 150 / 400 / 1200; "
    "later calls read all reports before them",
)
_ROUTES = ("google/", "vllm/", "openai-api/")


def plan_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """All calls of one question at a level."""
    from proofreel.models.estimate import text_tokens  # loads the decoder, so not when agents are listed

    length = max(fact.duration or 0.0, 1e-3)
    most = setting.options.get("rounds", MAX_ROUNDS)
    rounds = min(ROUNDS[level], int(most), int(setting.limits.get("tool_calls") or most))
    text = text_tokens(prompts.plan_prompt(question, length))
    look = text_tokens(prompts.observe_prompt(question, "x" * 120, ()))
    calls, known = [], 0
    for number in range(rounds):
        calls.append(PlannedCall("main", text + known, PLAN[level]))
        calls.append(
            PlannedCall("perceiver", look, REPORT[level], _shown(number, fact.path, length, setting, level))
        )
        known += 2 * REPORT[level]  # the report in words, and its moments as evidence lines
        calls.append(PlannedCall("main", text + known, PLAN[level]))
    return calls


def _shown(number: int, path: str, length: float, setting: PlanSetting, level: Level) -> tuple[object, ...]:
    card, name = setting.card("perceiver"), setting.name("perceiver").removeprefix("proofreel/")
    plan = Plan(fps=5.0) if level == "high" else Plan()
    if number and level != "high":
        start = max(0.0, length / 2 - 15)
        plan = Plan("region", 2.0, "medium", ((start, min(length, start + 30)),))
    return shots_of(
        fixed_plan(plan, Controls.of(setting.options)),
        path,
        length,
        as_video=bool(card and card.video and name.startswith(_ROUTES)),
        max_images=setting.options.get("max_frames") or (card.max_images if card else None),
        frames_left=setting.limits.get("frames"),
        heights=setting.options.get("heights"),
        caps=setting.options.get("frame_caps", "usual"),
        sha256=NO_HASH,
    ).refs
