"""Localize-then-answer: one round finds the windows, a second one with as many frames, denser inside them, answers.

Protocol: agents, section 9 (described in a paper only, so there is no published mode apart from the frames of
``mode=official``, see ``docs/agent-loops``). Options: ``key_ratio`` (3, our choice), ``fps`` (1), ``max_frames`` (384),
``height`` (rows of a picture, its own size), ``patch`` (16: widths are multiples of it where a height is given),
``rounds`` (2; 1 answers at once from the uniform frames), ``frames_as`` (images, video), ``quality`` (85),
``temperature`` (0), ``config``, ``retry_waits``. An exam may put its own words with ``asked``, ``localize``, ``task``
and ``key_times``.
"""

from collections.abc import Callable
from typing import Any

from proofreel.agents import _localize_prompts as prompts
from proofreel.agents._footage import Footage, image_limit, open_footage
from proofreel.agents._recorder import Recorder
from proofreel.agents._rounds import Scheme, watch
from proofreel.agents._tagged import TASKS, answer_form
from proofreel.agents._thinking_plan import ROUND_ASSUMES, planned_rounds
from proofreel.agents._viewing import Viewer, choice, generation, number
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.moments import windows_in
from proofreel.core import Question, Trajectory

KEY_RATIO = 3.0
FPS, MOST = 1.0, 384
NEW_TOKENS = 4096


@agent(
    "localize_then_answer",
    needs_model=True,
    summary="finds the windows first, then answers from frames that are denser inside them",
)
async def localize_then_answer(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs both rounds on one question; every model failure ends in the trajectory.

    Raises:
        UserError: an option is not valid, or the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    options = ctx.options
    rounds = min(2, number(options, "rounds", 2, least=1))
    ratio = number(options, "key_ratio", KEY_RATIO, least=0, whole=False)
    side = number(options, "patch", 16, least=1)
    height = None if options.get("height") is None else number(options, "height", 0, least=1)
    frames_as = choice(options, "frames_as", ("images", "video"))
    task = choice(options, "task", TASKS)
    footage = await open_footage(question.video)
    most = image_limit(ctx.model, frames_as)
    frames = wanted_frames(footage, ctx, most)
    recorder = Recorder(
        "localize_then_answer",
        question,
        ctx,
        mode=ctx.mode,
        prompts=prompts.VERSION,
        rounds=rounds,
        key_ratio=ratio,
        frames_a_round=frames,
        height=height,
    )
    viewer = Viewer(
        ctx, footage, side, generation(ctx, NEW_TOKENS), frames_as, number(options, "quality", 85, least=1)
    )
    scheme = Scheme(
        rounds=rounds,
        frames=frames,
        most=most,
        key_ratio=ratio,
        rows=lambda frames: height,
        prompt=_words(question, ctx, task),
        read=found_windows,
        named=windows_in if task == "temporal_grounding" else None,
    )
    return await watch(question, viewer, scheme, recorder)


def wanted_frames(footage: Footage, ctx: AgentContext, most: int | None) -> int:
    """Frames of either round: one a second, at most the cap, the model's limit and what the video has; at least one."""
    fps = number(ctx.options, "fps", FPS, least=1e-6, whole=False)
    bound: int = number(ctx.options, "max_frames", MOST, least=1)
    bound = min(bound, footage.total, bound if most is None else most)
    return max(1, min(bound, int(footage.duration * fps)))


def found_windows(previous: Any, reply: str) -> list[tuple[float, float]] | None:
    """The windows of the first reply as pairs of seconds; None without any: the frames then stay uniform."""
    return [(w.start, w.end) for w in windows_in(reply)] or None


def _words(question: Question, ctx: AgentContext, task: str) -> Callable[[str, bool], str]:
    asked = str(ctx.options.get("asked") or question.rendered())
    form = answer_form(question, task, asked="asked" in ctx.options)
    find = ctx.options.get("localize")
    return lambda note, last: prompts.localize_prompt(note, asked, form, last=last, find=find)


PLAN_ASSUMES = ROUND_ASSUMES
plan_calls = planned_rounds(2, FPS, MOST, lambda footage, frames: None)
