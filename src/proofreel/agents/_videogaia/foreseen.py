"""The calls of the VideoGAIA agent, foreseen: turns that all hold the coarse frames, and a summary for every tool."""

from proofreel.agents import _videogaia_prompts as prompts
from proofreel.agents._planned import NO_HASH, Level, PlannedCall, PlannedFile, PlanSetting
from proofreel.agents._thinking_plan import footage_of
from proofreel.agents._videogaia.digest import TOKENS
from proofreel.agents._videogaia.looks import FRAMES, rows
from proofreel.core import Question

TURN = {"low": 120, "typical": 300, "high": 1500}
"""Completion tokens of a turn, reasoning among them."""
CALLS = {"low": 1, "typical": 6, "high": 39}
"""Tool calls of a question: every fifth is a look, every third of the others a page, the rest searches."""
SEARCH, PAGE = 1200, {"low": 2000, "typical": 6000, "high": 16000}
"""Prompt tokens of ten results, and of a page (at most 60,000 characters)."""
SYSTEM = 1100
PLAN_ASSUMES = (
    "videogaia: 1 / 6 / 39 tool calls a question (low / typical / high); every fifth is a look of 20 frames, every "
    "third of the others a page of 2,000 / 6,000 / 16,000 tokens, the rest are searches",
    "videogaia: a turn completes 120 / 300 / 1500 tokens, a summary up to 400; the 20 coarse frames are sent in every "
    "turn, what tools return once, to the summary; searches cost what their provider asks, which is not foreseen",
)


def plan_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """All calls of one question at a level."""
    from proofreel.models.estimate import text_tokens  # loads the decoder, so not when agents are listed
    from proofreel.video import FramesRef, Uniform

    def shown(n: int) -> tuple[object, ...]:
        if n < 1:
            return ()
        plan = Uniform(n, "mid").to_dict()
        return (FramesRef(video=fact.path, sha256=NO_HASH, plan=plan, height=rows(footage_of(fact))),)

    card = setting.card("main")
    most = FRAMES if card is None or card.max_images is None else min(FRAMES, card.max_images)
    coarse = shown(min(most, int(setting.options.get("frames", FRAMES))))
    steps = min(int(setting.options.get("steps", 40)), int(setting.limits.get("turns") or 40))
    known = text_tokens(prompts.briefing(question, fact.duration or 0.0, FRAMES, sound=False)) + SYSTEM
    summary = min(TOKENS, int(setting.options.get("summary_tokens", TOKENS)))
    asked = text_tokens(question.rendered()) + 400
    calls = []
    for n in range(1, min(CALLS[level], steps - 1) + 1):
        calls.append(PlannedCall("main", known, TURN[level], coarse))
        if n % 5 == 0:
            raw, refs = 0, shown(most)
        else:
            raw, refs = (PAGE[level] if n % 5 == 3 else SEARCH), ()
        calls.append(PlannedCall("main", asked + raw, summary, refs, row="summaries"))
        known += TURN[level] + summary
    return [*calls, PlannedCall("main", known, TURN[level], coarse)]
