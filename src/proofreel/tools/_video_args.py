"""Clean-up of what a model sends to ``analyze_video`` (AgentVidBench, vectors ``avb_tool_args``). Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RESOLUTIONS = ("low", "medium", "high")
MAX_FPS = 20


@dataclass(frozen=True)
class VideoArgs:
    """Clean arguments: seconds (None is open), whole frames a second in 1..20, a resolution name."""

    start_time: float | None
    end_time: float | None
    fps: int
    resolution: str


@dataclass(frozen=True)
class BadArgs:
    """Why a call cannot be run: a label and a sentence for the agent."""

    reason: str
    message: str


def resolutions(tool_model: str) -> tuple[str, ...]:
    """The resolutions a perceiver takes; ``high`` only where the protocol allows it (gemini-3)."""
    return RESOLUTIONS if "gemini-3" in tool_model.lower() else RESOLUTIONS[:2]


def clean_video_args(
    args: Mapping[str, Any], duration: float | None, tool_model: str, mode: str = "careful"
) -> VideoArgs | BadArgs:
    """Arguments brought into their ranges, or why they cannot be.

    Args:
        args: as the model sent them; all optional.
        duration: seconds of the video, 0 or None when unknown (then nothing is clamped).
        tool_model: name of the perceiver.
        mode: careful mode also refuses a start at the very end, which leaves an empty window.
    """
    numbers: dict[str, float | None] = {}
    for name in ("start_time", "end_time", "fps"):
        value = finite_number(args.get(name))
        if isinstance(value, str):
            return BadArgs("not_a_number", f"{name} must be a number of seconds, got {value}")
        numbers[name] = value
    start, end = numbers["start_time"], numbers["end_time"]
    fps = max(1, min(int(numbers["fps"] or 1), MAX_FPS))
    wanted = str(args.get("resolution") or "medium").lower()
    resolution = wanted if wanted in resolutions(tool_model) else "medium"
    if start is not None and start < 0:
        start = 0
    if end is not None and end < 0:
        end = None
    if start is not None and end is not None and start >= end:
        return BadArgs(
            "start_not_before_end", f"start_time ({start:g} s) must be before end_time ({end:g} s)"
        )
    if duration and duration > 0:
        if start is not None and (start > duration or (mode != "official" and start >= duration)):
            return BadArgs(
                "start_beyond_duration",
                f"start_time ({start:g} s) is past the end of the video ({duration:g} s)",
            )
        if end is not None and end > duration:
            end = duration
    return VideoArgs(start, end, fps, resolution)


def finite_number(value: Any) -> float | str | None:
    """A finite number, None, or (as text) what was sent instead of one."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return repr(value)
    try:
        number = value if isinstance(value, int | float) else float(str(value).strip().removesuffix("s"))
    except ValueError:
        return repr(value)[:60]
    return number if math.isfinite(number) else repr(value)
