"""Times in AVP: whole-second intervals, regions to clip, frame caps. All times are seconds of the original video."""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

# Frames a call may show, by spatial token rate: the default, and the other published preset.
FRAME_CAPS: Mapping[str, int] = MappingProxyType({"low": 512, "medium": 128, "high": 128})
WIDE_FRAME_CAPS: Mapping[str, int] = MappingProxyType({"low": 2048, "medium": 512, "high": 128})
UNKNOWN_DURATION = 1800.0
FULL_VIDEO_SLACK = 1.0


def round_intervals(
    ranges: Iterable[Sequence[float | None]], duration: float | None = None
) -> list[tuple[int, int]]:
    """Whole-second intervals: start rounded down, end rounded up; first-seen order, no duplicates.

    With a known duration (> 0) starts are at least 0 and ends at most the duration rounded up; without one
    nothing is clamped, so that a negative start stays. Intervals with a missing or infinite end, and those of
    no length after rounding, are dropped.

    Args:
        ranges: pairs of seconds.
        duration: length of the video in seconds; None and 0 mean unknown.
    """
    rounded: list[tuple[int, int]] = []
    for pair in ranges:
        if None in pair or not all(math.isfinite(float(t)) for t in pair if t is not None):
            continue
        start, end = (float(t) for t in pair if t is not None)
        first, last = math.floor(start), math.ceil(end)
        if duration is not None and duration > 0:
            first, last = max(0, first), min(math.ceil(duration), last)
        if first < last:
            rounded.append((first, last))
    return list(dict.fromkeys(rounded))


def clip_regions(regions: Iterable[Sequence[float]], duration: float) -> list[tuple[float, float]]:
    """The parts of the planned regions inside the video, one clip each, in the order given; empty ones dropped."""
    inside = ((max(0.0, float(start)), min(duration, float(end))) for start, end in regions)
    return [(start, end) for start, end in inside if start < end]


def clamp_fps(fps: float, duration: float | None, max_frames: int) -> float:
    """The rate that keeps ``fps * duration`` within ``max_frames``; a rate that fits is returned unchanged.

    Args:
        fps: frames a second asked for.
        duration: seconds of the clip; None and 0 mean unknown and count as 1800 s.
        max_frames: most frames a call may show, see ``FRAME_CAPS``.
    """
    seconds = duration if duration and duration > 0 else UNKNOWN_DURATION
    return max_frames / seconds if fps * seconds > max_frames else fps


def effective_load_mode(load_mode: str, start: float, end: float, duration: float | None) -> str:
    """``uniform`` for a region that spans the whole video within 1 s at both ends, else the planned mode.

    Args:
        load_mode: ``uniform`` or ``region``.
        start: earliest start of the planned regions.
        end: latest end of the planned regions.
        duration: length of the video; None or 0 (unknown) leaves the mode as it is.
    """
    if not duration or load_mode != "region":
        return load_mode
    whole = start <= FULL_VIDEO_SLACK and abs(end - duration) <= FULL_VIDEO_SLACK
    return "uniform" if whole else load_mode
