"""VideoChat-R1.5: three rounds over the video, each denser where the one before said the proof lies.

Protocol: agents, section 7. Options: ``mode`` (careful, official), ``rounds`` (3), ``key_ratio`` (1.5), ``fps`` (2),
``min_frames`` (4), ``max_frames`` (512), ``pixels`` (of all frames together, pairs share them: 10838016), ``patch``
(28, pixels of a visual token's side), ``frames_as`` (images, video), ``quality`` (85), ``temperature`` (0),
``config``, ``retry_waits``. An exam may put its own words with ``asked``, ``task`` and ``key_times``.
"""

from proofreel.agents import _videochat_prompts as prompts
from proofreel.agents._footage import Footage, rows_for
from proofreel.agents._rounds import Rows, Style, watch_in_rounds
from proofreel.agents._spread import even_frame_count
from proofreel.agents._thinking_plan import ROUND_ASSUMES as PLAN_ASSUMES
from proofreel.agents._thinking_plan import planned_rounds
from proofreel.agents._videochat import KEY_RATIO, ROUNDS, next_hint
from proofreel.agents._viewing import number
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Question, Trajectory

__all__ = ["PLAN_ASSUMES", "plan_calls", "videochat_r15"]

FPS, LEAST, MOST = 2.0, 4, 512
PIXELS = 128 * 108 * 28 * 28
TOKENS_A_FRAME = 768
PATCH = 28
NEW_TOKENS = 2048


def wanted_frames(footage: Footage, ctx: AgentContext, most: int | None) -> int:
    """Frames of a round: two a second, an even number within the bounds and the model's limit of images."""
    fps = number(ctx.options, "fps", FPS, least=1e-6, whole=False)
    least = number(ctx.options, "min_frames", LEAST, least=1)
    bound = number(ctx.options, "max_frames", MOST, least=1)
    bound = bound if most is None else min(bound, most)
    if footage.total < 2 or bound < 2:
        return 1
    return even_frame_count(footage.total, footage.fps, fps=fps, least=min(least, bound), most=bound)


def rows_within(footage: Footage, pixels: int, side: int) -> Rows:
    """Rows of a picture when n share the pixels; neighbouring frames form pairs that are billed as one."""

    def rows(frames: int) -> int:
        tokens = pixels / (side * side) / max(1, frames // 2)
        return rows_for(footage, min(tokens, TOKENS_A_FRAME), side)

    return rows


def _rows(footage: Footage, ctx: AgentContext) -> Rows:
    pixels = number(ctx.options, "pixels", PIXELS, least=1)
    return rows_within(footage, pixels, number(ctx.options, "patch", PATCH, least=1))


STYLE = Style(
    name="videochat_r15",
    version=prompts.VERSION,
    rounds=ROUNDS,
    key_ratio=KEY_RATIO,
    patch=PATCH,
    new_tokens=NEW_TOKENS,
    frames=wanted_frames,
    rows=_rows,
    prompt=lambda ctx, note, asked, form, last: prompts.round_prompt(note, asked, form, last=last),
    read=next_hint,
)
plan_calls = planned_rounds(ROUNDS, FPS, MOST, lambda f, n: rows_within(f, PIXELS, PATCH)(n))


@agent(
    STYLE.name,
    needs_model=True,
    summary="watches three times, each time more densely where it said the proof lies",
)
async def videochat_r15(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs the rounds on one question.

    Raises:
        UserError: an option is not valid, or the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    return await watch_in_rounds(question, ctx, STYLE)
