"""Localize-then-answer: one round finds the windows, a second one with as many frames, denser inside them, answers.

Protocol: agents, section 9 (described in a paper only, so there is no published mode apart from the frames of
``mode=official``, see ``docs/agent-loops``). Options: ``key_ratio`` (3, our choice), ``fps`` (1), ``max_frames`` (384),
``height`` (rows of a picture, its own size), ``patch`` (16: widths are multiples of it where a height is given),
``rounds`` (2; 1 answers at once from the uniform frames), ``frames_as`` (images, video), ``quality`` (85),
``temperature`` (0), ``config``, ``retry_waits``. An exam may put its own words with ``asked``, ``localize``, ``task``
and ``key_times``.
"""

from dataclasses import replace
from typing import Any

from proofreel.agents import _localize_prompts as prompts
from proofreel.agents._footage import Footage
from proofreel.agents._rounds import Rows, Style, watch_in_rounds
from proofreel.agents._thinking_plan import ROUND_ASSUMES as PLAN_ASSUMES
from proofreel.agents._thinking_plan import planned_rounds
from proofreel.agents._viewing import number
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.moments import windows_in
from proofreel.core import Question, Trajectory

__all__ = ["PLAN_ASSUMES", "localize_then_answer", "plan_calls"]

ROUNDS, KEY_RATIO = 2, 3.0
FPS, MOST = 1.0, 384
NEW_TOKENS = 4096


def wanted_frames(footage: Footage, ctx: AgentContext, most: int | None) -> int:
    """Frames of either round: one a second, at most the cap, the model's limit and what the video has; at least one."""
    fps = number(ctx.options, "fps", FPS, least=1e-6, whole=False)
    bound: int = number(ctx.options, "max_frames", MOST, least=1)
    bound = min(bound, footage.total, bound if most is None else most)
    return max(1, min(bound, int(footage.duration * fps)))


def found_windows(previous: Any, reply: str) -> list[tuple[float, float]] | None:
    """The windows of the first reply as pairs of seconds; None without any: the frames then stay uniform."""
    return [(w.start, w.end) for w in windows_in(reply)] or None


def _rows(footage: Footage, ctx: AgentContext) -> Rows:
    height = None if ctx.options.get("height") is None else number(ctx.options, "height", 0, least=1)
    return lambda frames: height


def _words(ctx: AgentContext, note: str, asked: str, form: str, last: bool) -> str:
    return prompts.localize_prompt(note, asked, form, last=last, find=ctx.options.get("localize"))


STYLE = Style(
    name="localize_then_answer",
    version=prompts.VERSION,
    rounds=ROUNDS,
    key_ratio=KEY_RATIO,
    patch=16,
    new_tokens=NEW_TOKENS,
    frames=wanted_frames,
    rows=_rows,
    prompt=_words,
    read=found_windows,
)
plan_calls = planned_rounds(ROUNDS, FPS, MOST, lambda footage, frames: None)


@agent(
    STYLE.name,
    needs_model=True,
    summary="finds the windows first, then answers from frames that are denser inside them",
)
async def localize_then_answer(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs both rounds on one question.

    Raises:
        UserError: an option is not valid, or the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    wanted = number(ctx.options, "rounds", ROUNDS, least=1)
    if wanted > ROUNDS:  # a third round would have nothing new to go by
        ctx = replace(ctx, options={**ctx.options, "rounds": ROUNDS})
    return await watch_in_rounds(question, ctx, STYLE)
