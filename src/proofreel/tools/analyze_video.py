"""``analyze_video``: a perceiver looks at a window of the video and reports what it sees (AgentVidBench 4.2)."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from proofreel.core import TokenUse, Window
from proofreel.tools._observation import look_evidence, observation_fields, observation_prompt, read_look
from proofreel.tools._video_args import BadArgs, VideoArgs, clean_video_args, resolutions
from proofreel.tools.model_call import Reply, ask_model, model_name, takes_video
from proofreel.tools.tool import ToolContext, ToolResult, ToolSpec, tool

WAITS = (3.0, 6.0, 12.0, 24.0)
"""Seconds between the five attempts at a perceiver that is busy or down."""
HEIGHTS = {"low": 240, "medium": 480, "high": 720}
"""Rows of a picture by resolution, for perceivers that get pictures and not video."""
QUALITY = 85
"""JPEG quality of those pictures."""


@tool(
    "analyze_video",
    description=(
        "Looks at the video, or a window of it, and reports: a Focus Answer (or that the focus was not observed), "
        "Observations with times, Coverage rich/partial/none, and Uncertainty. Sample at 1 fps for an overview, 2-3 "
        "for detail, 5-20 for a few seconds of fast action. The report is advice: check it where it matters."
    ),
    properties={
        "start_time": {"type": "number", "description": "Start in seconds; leave out for the beginning."},
        "end_time": {"type": "number", "description": "End in seconds; leave out for the end."},
        "fps": {"type": "number", "description": "Frames looked at per second, 1 to 20; default 1."},
        "focus": {"type": "string", "description": "What to look for, as a question or an instruction."},
        "resolution": {
            "type": "string",
            "enum": ["low", "medium", "high"],
            "description": "Detail of each frame: low to scan long parts, medium (default), high for small text.",
        },
    },
)
async def analyze_video(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """Cleans the arguments, shows the window to the perceiver and reads its report.

    Failures: ``validation`` (the agent can mend its arguments), ``retry_exhausted`` (perceiver down or refusing),
    ``empty_response`` (no text came back), ``budget`` (more frames than are left).
    """
    if ctx.perceiver is None:
        return ToolResult.failure("validation", "this run has no perceiver, so nothing can look at the video")
    name = model_name(ctx.perceiver)
    clean = clean_video_args(args, ctx.duration, name, ctx.mode)
    if isinstance(clean, BadArgs):
        return ToolResult.failure("validation", clean.message, data={"reason": clean.reason})
    focus = str(args.get("focus") or "").strip() or None
    shot = await _in_thread(plan_shot, clean, ctx)
    if isinstance(shot, BadArgs):
        kind = "budget" if shot.reason == "frames" else "validation"
        return ToolResult.failure(kind, shot.message, data={"reason": shot.reason})
    prompt = observation_prompt(ctx.question.rendered(), focus, clean.start_time, clean.end_time)
    reply, used, waited = await _look(shot.ref, prompt, ctx)
    return _result(reply, used, waited, clean, shot, ctx)


def analyze_video_for(perceiver: Any, fixed: Collection[str] = ()) -> ToolSpec:
    """The tool as a run with this perceiver offers it.

    Only the resolutions the perceiver takes, without the arguments that are ``fixed`` for the run.
    """
    own = analyze_video.parameters
    properties: dict[str, Any] = dict(own["properties"])
    properties["resolution"] = {**properties["resolution"], "enum": list(resolutions(model_name(perceiver)))}
    properties = {k: v for k, v in properties.items() if k not in fixed}
    return replace(analyze_video, parameters={**own, "properties": properties})


@dataclass(frozen=True)
class Shot:
    """What the perceiver is shown: a reference, its window, the frames counted, and what was changed."""

    ref: Any
    window: Window | None
    frames: int
    note: str = ""


def plan_shot(clean: VideoArgs, ctx: ToolContext) -> Shot | BadArgs:
    """The reference for a call, inside the limits of the perceiver's card and of the frame budget.

    True video goes to perceivers that take it; the others get
    pictures, thinned evenly above the card's image limit, which the report says.
    """
    from proofreel.models.cards import model_card
    from proofreel.video import ClipRef, FramesRef, Rate, probe

    path = ctx.question.video
    length = probe(path).duration
    start, end = clean.start_time or 0.0, min(clean.end_time or length, length)
    if start >= end:
        return BadArgs("start_beyond_duration", f"the window {start:g} to {end:g} s holds nothing")
    window = Window(start=start, end=end)
    card = model_card(model_name(ctx.perceiver))
    wanted = max(1, math.ceil(window.length * clean.fps - 1e-6))
    as_video = takes_video(ctx.perceiver)
    cap = None if as_video else (ctx.options.get("max_frames") or card.max_images)
    frames = min(wanted, cap) if cap else wanted
    if ctx.frames_left is not None and frames > ctx.frames_left:
        return BadArgs(
            "frames",
            f"this look needs {frames} frames, {ctx.frames_left} are left; use a shorter window or a lower fps",
        )
    if as_video:
        clip = ClipRef.of(path, start, end, fps=float(clean.fps), media_resolution=clean.resolution)
        return Shot(clip, window, frames)
    height = {**HEIGHTS, **ctx.options.get("heights", {})}[clean.resolution]
    plan = Rate(clean.fps, start=start, end=end, cap=cap)
    note = f"thinned to {frames} of {wanted} frames, the most this perceiver takes" if frames < wanted else ""
    quality = int(ctx.options.get("quality") or QUALITY)
    return Shot(FramesRef.of(path, plan, height=height, quality=quality), window, frames, note)


async def _look(ref: Any, prompt: str, ctx: ToolContext) -> tuple[Reply, TokenUse, float]:
    """The perceiver's reply after at most five attempts, tokens of all of them, seconds waited in between."""
    import anyio

    from proofreel.models import media_message

    message = media_message(prompt, [ref])
    # The waits between attempts are the protocol's own, so the engine makes one attempt each.
    config = {"temperature": 0.0, "max_retries": 0, **ctx.options.get("perceiver_config", {})}
    used, waited = TokenUse(), 0.0
    waits = tuple(ctx.options.get("retry_waits", WAITS))
    for attempt in range(len(waits) + 1):
        reply = await ask_model(
            ctx.perceiver,
            [message],
            config=config,
            fresh=attempt > 0,
            ledger=ctx.ledger,
            role="perceiver",
            on_wait=ctx.on_wait,
            deadline=None if ctx.seconds_left is None else max(ctx.seconds_left, 1.0),
        )
        used = used + reply.tokens
        if not transient(reply) or attempt == len(waits):
            break
        if ctx.on_wait is not None and reply.failure is not None:
            ctx.on_wait(attempt + 1, reply.failure.kind.value, waits[attempt])
        await anyio.sleep(waits[attempt])
        waited += waits[attempt]
    retries = used.calls - 1 + used.retries
    return reply, used.model_copy(update={"retries": retries}), waited


def transient(reply: Reply) -> bool:
    """Whether trying again may help: rate limits, 5xx, no connection, no answer in time."""
    return reply.failure is not None and reply.failure.kind in (
        "rate_limited",
        "bad_response",
        "unreachable",
        "timeout",
    )


def _result(
    reply: Reply, used: TokenUse, waited: float, clean: VideoArgs, shot: Shot, ctx: ToolContext
) -> ToolResult:
    seen = reply.frames
    data: dict[str, Any] = {
        "start_time": clean.start_time,
        "end_time": clean.end_time,
        "fps": clean.fps,
        "resolution": clean.resolution,
        "tokens_used": used.total,
        "retry_wait_seconds": round(waited, 2),
    }
    # What was shown is what a model replied to; a request that failed showed nothing.
    frames = (len(seen) or shot.frames) if reply.message is not None else 0
    common: dict[str, Any] = {"media": (shot.ref.id,), "tokens": used, "frames": frames}
    notes = [n for n in (shot.note, *reply.notes) if n]
    if notes:
        data["notes"] = notes
    failure = reply.failure
    if failure is not None and not (failure.kind == "truncated" and reply.text.strip()):
        kinds = {"empty": "empty_response", "filtered": "empty_response"}
        if ctx.mode != "official":
            # A window that is too large is for the agent to mend, not a fault of the system.
            kinds |= {"payload": "validation", "overflow": "validation", "media": "error"}
        kind = kinds.get(failure.kind.value, "retry_exhausted")
        return ToolResult.failure(kind, str(failure), data=data, **common)
    look = read_look(reply.text)
    evidence, outside = look_evidence(look, shot.window, seen, "analyze_video", ctx.step)
    data |= observation_fields(reply.text)
    if ctx.mode != "official":
        data |= {"coverage": look.coverage} if look.coverage else {}
        data |= {"times_outside_window": outside} if outside else {}
        data |= {"cut": True} if failure is not None else {}
    text = reply.text
    if ctx.mode != "official":
        notes += ["the report was cut short"] if failure is not None else []
        text += "".join(f"\n[note: {n}]" for n in notes)
    return ToolResult(ok=True, text=text, evidence=evidence, data=data, **common)


async def _in_thread(work: Any, *args: Any) -> Any:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work, *args)
