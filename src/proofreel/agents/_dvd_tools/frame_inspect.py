"""``frame_inspect_tool``: a model looks at frames of named stretches of the video (agents protocol, section 3)."""

from collections.abc import Sequence
from typing import Any

from proofreel.agents._dvd import (
    DECODE_FPS,
    INSPECT_FRAMES,
    InvalidRangeError,
    InvalidTimeError,
    clean_ranges,
    hhmmss_to_seconds,
    inspect_frames,
)
from proofreel.agents._dvd_base import Unusable, clip_ref
from proofreel.agents._dvd_prompts import NOT_FOUND, inspect_prompt
from proofreel.agents._dvd_tools.given import Given, no_reply
from proofreel.agents.answers import after_thinking
from proofreel.core import Evidence, Provenance, Quote, Window
from proofreel.models.cards import model_card
from proofreel.tools import ToolContext, ToolResult, tool
from proofreel.tools._observation import times_in
from proofreel.tools.model_call import model_name

Ranges = list[tuple[float, float]]


@tool(
    "frame_inspect_tool",
    description=(
        "Has the frames of one or more stretches of the video looked at and a question about them answered. Use it for "
        "details that descriptions lack, and to confirm an answer."
    ),
    properties={
        "question": {"type": "string", "description": "What to find out from the frames."},
        "time_ranges_hhmmss": {
            "type": "array",
            "description": "Stretches as [start, end], both HH:MM:SS or MM:SS.",
            "items": {"type": "array", "items": {"type": "string"}},
        },
    },
    required=("question", "time_ranges_hhmmss"),
)
async def frame_inspect_tool(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """Shows at most 50 frames, evenly over the stretches, and returns the answer or the fixed not-found line.

    Failures: ``validation`` (times that cannot be used), ``budget`` (no frames are left), ``retry_exhausted`` and
    ``empty_response`` (the model).
    """
    from proofreel.models import media_message

    given = Given.of(ctx)
    base = given.search.base
    question = str(args.get("question") or "").strip()
    if not question:
        return ToolResult.failure("validation", "question must say what to find out")
    try:
        ranges = read_ranges(args.get("time_ranges_hhmmss"), base.duration, ctx.mode)
        most = _most(given.inspector, ctx)
        if most < 1:
            return ToolResult.failure("budget", "no frame may be shown any more; answer with what is known")
        numbers = inspect_frames(ranges, base.duration, DECODE_FPS, most)
    except (InvalidTimeError, InvalidRangeError) as error:
        return ToolResult.failure("validation", str(error))
    ref = clip_ref(base.video, base.sha256, numbers, base.rows)
    data: dict[str, Any] = {"ranges": ranges, "frames": len(numbers)}

    def read(text: str) -> str:
        said = after_thinking(text).strip()
        if not said:
            raise Unusable("the reply is empty")
        return said

    message = media_message(inspect_prompt(question, ranges), [ref])
    tries = 1

    def again() -> bool:
        nonlocal tries
        tries += 1
        return ctx.frames_left is None or tries * len(numbers) <= ctx.frames_left

    asked = await given.asker.ask(given.inspector, message, "inspector", read, again)
    shown: dict[str, Any] = {"frames": len(numbers) * asked.replied, "media": (ref.id,)}
    if asked.value is None:
        return no_reply(asked, data=data, **shown)
    found = NOT_FOUND.rstrip(".").casefold() not in asked.value.casefold()
    data |= {"found": found, "tokens_used": asked.tokens.total}
    frames = asked.reply.frames or tuple(n / DECODE_FPS for n in numbers)
    evidence = _claims(asked.value, ranges, frames, ctx.step) if found else ()
    return ToolResult(ok=True, text=asked.value, evidence=evidence, data=data, tokens=asked.tokens, **shown)


def read_ranges(value: Any, duration: float, mode: str) -> Ranges:
    """The stretches a model named, in seconds.

    ``careful`` mode also takes plain seconds, one pair without a list around it, and pairs with ``start`` and ``end``;
    a stretch that ends in the second it starts in is that whole second. Stretches are cut to the video there.

    Raises:
        InvalidTimeError: a time cannot be read.
        InvalidRangeError: there is no stretch, or none inside the video.
    """
    careful = mode != "official"
    listed = value if isinstance(value, list | tuple) else []
    if careful and len(listed) == 2 and not any(isinstance(v, list | tuple | dict) for v in listed):
        listed = [listed]
    if not listed:
        raise InvalidRangeError("time_ranges_hhmmss must be a list of [start, end]")
    ranges = [_pair(pair, careful) for pair in listed]
    return clean_ranges(ranges, duration) if careful else ranges


def _pair(pair: Any, careful: bool) -> tuple[float, float]:
    if careful and isinstance(pair, dict):
        pair = [pair.get("start"), pair.get("end")]
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise InvalidRangeError(f"a time range is [start, end], got {str(pair)[:60]}")
    start, end = (_second(v, careful) for v in pair)
    return (start, start + 1.0) if careful and start == end else (start, end)


def _second(value: Any, careful: bool) -> float:
    if careful and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float(hhmmss_to_seconds(str(value).strip()))


def _most(inspector: Any, ctx: ToolContext) -> int:
    """Frames that may be shown: 50, what the model's card allows, what the budget has left."""
    bounds = [INSPECT_FRAMES, ctx.frames_left, model_card(model_name(inspector)).max_images]
    return min(b for b in bounds if b is not None)


def _claims(said: str, ranges: Ranges, frames: Sequence[float], step: int | None) -> tuple[Evidence, ...]:
    """What was said as evidence: on the times it names where they lie in the stretches, else on the stretches."""
    spans = [Window(start=a, end=b) for a, b in ranges]
    found = [
        (line.strip(" -*•\t"), window)
        for line in said.splitlines()
        for window in times_in(line)
        if any(s.contains(window.start, 0.5) and s.contains(window.end, 0.5) for s in spans)
    ]
    found = found or [(said, span) for span in spans]
    return tuple(
        Evidence(
            window=window,
            quote=Quote(text=text[:500], source="model"),
            provenance=Provenance(
                claimed_by="frame_inspect_tool",
                step=step,
                frames=tuple(t for t in frames if window.contains(t, 0.5)),
            ),
        )
        for text, window in found
    )
