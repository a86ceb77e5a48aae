"""VideoChat-R1.5: three rounds over the video, each denser where the one before said the proof lies.

Protocol: agents, section 7. Options: ``mode`` (careful, official), ``rounds`` (3), ``key_ratio`` (1.5), ``fps`` (2),
``min_frames`` (4), ``max_frames`` (512), ``pixels`` (of all frames together, pairs share them: 10838016), ``patch``
(28, pixels of a visual token's side), ``frames_as`` (images, video), ``quality`` (85), ``temperature`` (0),
``config``, ``retry_waits``. An exam may put its own words with ``asked``, ``task`` and ``key_times``.
"""

from collections.abc import Callable

from proofreel.agents import _videochat_prompts as prompts
from proofreel.agents._footage import Footage, image_limit, open_footage, rows_for
from proofreel.agents._recorder import Recorder
from proofreel.agents._rounds import Scheme, watch
from proofreel.agents._spread import even_frame_count
from proofreel.agents._tagged import TASKS, answer_form
from proofreel.agents._thinking_plan import ROUND_ASSUMES, planned_rounds
from proofreel.agents._videochat import KEY_RATIO, ROUNDS, next_hint
from proofreel.agents._viewing import Viewer, choice, generation, number
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.moments import windows_in
from proofreel.core import Question, Trajectory

FPS, LEAST, MOST = 2.0, 4, 512
PIXELS = 128 * 108 * 28 * 28
TOKENS_A_FRAME = 768
NEW_TOKENS = 2048


@agent(
    "videochat_r15",
    needs_model=True,
    summary="watches three times, each time more densely where it said the proof lies",
)
async def videochat_r15(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs the rounds on one question; every model failure ends in the trajectory.

    Raises:
        UserError: an option is not valid, or the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    options = ctx.options
    rounds = number(options, "rounds", ROUNDS, least=1)
    ratio = number(options, "key_ratio", KEY_RATIO, least=0, whole=False)
    side = number(options, "patch", 28, least=1)
    pixels = number(options, "pixels", PIXELS, least=1)
    frames_as = choice(options, "frames_as", ("images", "video"))
    task = choice(options, "task", TASKS)
    footage = await open_footage(question.video)
    most = image_limit(ctx.model, frames_as)
    frames = wanted_frames(footage, ctx, most)
    recorder = Recorder(
        "videochat_r15",
        question,
        ctx,
        mode=ctx.mode,
        prompts=prompts.VERSION,
        rounds=rounds,
        key_ratio=ratio,
        frames_a_round=frames,
        pixels=pixels,
    )
    viewer = Viewer(
        ctx, footage, side, generation(ctx, NEW_TOKENS), frames_as, number(options, "quality", 85, least=1)
    )
    scheme = Scheme(
        rounds=rounds,
        frames=frames,
        most=most,
        key_ratio=ratio,
        rows=rows_within(footage, pixels, side),
        prompt=_words(question, ctx, task),
        read=next_hint,
        named=windows_in if task == "temporal_grounding" else None,
    )
    return await watch(question, viewer, scheme, recorder)


def wanted_frames(footage: Footage, ctx: AgentContext, most: int | None) -> int:
    """Frames of a round: two a second, an even number within the bounds and the model's limit of images."""
    options = ctx.options
    fps = number(options, "fps", FPS, least=1e-6, whole=False)
    least = number(options, "min_frames", LEAST, least=1)
    bound = number(options, "max_frames", MOST, least=1)
    bound = bound if most is None else min(bound, most)
    if footage.total < 2 or bound < 2:
        return 1
    return even_frame_count(footage.total, footage.fps, fps=fps, least=min(least, bound), most=bound)


def rows_within(footage: Footage, pixels: int, side: int) -> Callable[[int], int]:
    """Rows of a picture when n share the pixels; neighbouring frames form pairs that are billed as one."""

    def rows(frames: int) -> int:
        tokens = pixels / (side * side) / max(1, frames // 2)
        return rows_for(footage, min(tokens, TOKENS_A_FRAME), side)

    return rows


def _words(question: Question, ctx: AgentContext, task: str) -> Callable[[str, bool], str]:
    asked = str(ctx.options.get("asked") or question.rendered())
    form = answer_form(question, task, asked="asked" in ctx.options)
    return lambda note, last: prompts.round_prompt(note, asked, form, last=last)


def _planned_rows(footage: Footage, frames: int) -> int:
    return rows_within(footage, PIXELS, 28)(frames)


PLAN_ASSUMES = ROUND_ASSUMES
plan_calls = planned_rounds(ROUNDS, FPS, MOST, _planned_rows)
