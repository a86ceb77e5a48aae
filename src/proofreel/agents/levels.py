"""Levels: not an agent that looks by itself but the direct calls of a benchmark that puts a question on several levels.

VideoZeroBench puts the question (``benchmarks/videozerobench/exam.py``); here stands what is known without its gold:
the name, by which it is listed, chosen and compared like any other agent, and which calls it will make.
"""

from typing import Any

from proofreel.agents._planned import NO_HASH, Level, PlannedCall, PlannedFile, PlanSetting
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError

WORDS = 250
"""Prompt tokens of a level's words."""
REPLY: dict[Level, int] = {"low": 15, "typical": 80, "high": 2500}
FEW, FRAMES = 96, 384
PLAN_ASSUMES = (
    "levels: a call for each of the five levels (--set levels=.. asks fewer), all questions taken as annotated",
    "levels: frames at 1 fps, as many as --set or the preset says, else 384, and no more than the card allows",
    "levels: a reply completes 15 / 80 / 2500 tokens, thinking included; --set ask=joint makes one call",
)


@agent(
    "levels", needs_model=True, summary="direct calls on the levels of VideoZeroBench: answer, moments, boxes"
)
async def levels(question: Question, ctx: AgentContext) -> Trajectory:
    """Refuses: without a benchmark that has levels there is nothing to put.

    Raises:
        UserError: always.
    """
    raise UserError(
        "agent 'levels' is for benchmarks with levels (proofreel run videozerobench --data DIR --agent levels); "
        "here use single_turn"
    )


def plan_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """The calls of one question; level 5 shows key frames within the same cap."""
    options = setting.options
    asked = options.get("levels", "1,2,3,4,5")
    parts = asked if isinstance(asked, list) else str(asked).split(",")
    calls = 1 if options.get("ask") == "joint" else len(set(map(str, parts)))
    return [PlannedCall("main", WORDS, REPLY[level], _shown(fact, setting))] * calls


def _shown(fact: PlannedFile, setting: PlanSetting) -> tuple[Any, ...]:
    from proofreel.video import (  # loads the decoder, so not when agents are listed
        ClipRef,
        FramesRef,
        Rate,
        Uniform,
    )

    options, card, name = (
        setting.options,
        setting.card("main"),
        setting.name("main").removeprefix("proofreel/"),
    )
    media = options.get("media", "auto")
    if media == "none":
        return ()
    native = bool(card and card.video) and (media == "video" or name.startswith("google/"))
    if native and media != "frames" and "preset" not in options:
        return (ClipRef(video=fact.path, sha256=NO_HASH, start=0.0, end=max(fact.duration or 0.0, 1e-3)),)
    frames, _, height = str(options.get("preset", "")).partition("-")[0].partition("x")
    most = int(options.get("max_frames") or frames or FRAMES)
    if card is not None and card.max_images is not None:
        most = min(most, card.max_images)
    rows = options.get("height") or (int(height) if height else 256 if most <= FEW else 128)
    uniform = bool(frames) or options.get("sampling") == "uniform_n"
    plan = Uniform(most) if uniform else Rate(float(options.get("fps", 1.0)), cap=most)
    return (FramesRef(video=fact.path, sha256=NO_HASH, plan=plan.to_dict(), height=rows),)
