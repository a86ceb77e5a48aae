"""The pure parts of DVD (deep video discovery): clock times, clips, frames to inspect. Protocol: agents, section 3."""

import math
from collections.abc import Iterable, Sequence

DECODE_FPS = 2.0
CLIP_SECONDS = 10
INSPECT_FRAMES = 50


class InvalidTimeError(ValueError):
    """A text that is no clock time; goes back to the model that wrote it."""


class InvalidRangeError(ValueError):
    """Time ranges in which there is nothing to look at; goes back to the model that asked."""


def seconds_to_hhmmss(seconds: float) -> str:
    """``HH:MM:SS``, fractions of a second cut off; hours may have more than two digits."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole % 3600 // 60:02}:{whole % 60:02}"


def hhmmss_to_seconds(text: str) -> int:
    """Seconds of ``HH:MM:SS`` or ``MM:SS``; a fraction is cut off, parts over 59 count as they stand.

    Raises:
        InvalidTimeError: not two or three integers between colons.
    """
    parts = text.split(".")[0].split(":")
    try:
        hours, minutes, seconds = (int(part) for part in (["0", *parts] if len(parts) == 2 else parts))
    except ValueError:
        raise InvalidTimeError(f"not a time: {text!r}; write HH:MM:SS or MM:SS") from None
    return hours * 3600 + minutes * 60 + seconds


def clean_ranges(ranges: Iterable[Sequence[float]], video_length: float) -> list[tuple[float, float]]:
    """Ranges as the inspection needs them, in careful use: inside the video, not reversed, not empty.

    Overlapping ranges stay apart: what is named twice is looked at more densely.

    Raises:
        InvalidRangeError: none is left.
    """
    inside = [(max(0.0, start), min(end, video_length)) for start, end in ranges]
    kept = [(start, end) for start, end in inside if start < end]
    if not kept:
        raise InvalidRangeError(f"no time range lies inside the video (0 to {video_length:g} s)")
    return kept


def inspect_frames(
    ranges: Iterable[Sequence[float]],
    video_length: float,
    fps: float = DECODE_FPS,
    max_frames: int = INSPECT_FRAMES,
) -> list[int]:
    """Frame numbers (at ``fps``) the inspection tool shows: evenly over the ranges laid end to end.

    ``max_frames`` points are spread over the total length, its end excluded; each is mapped back into its
    range and to the nearest frame (half to even), clamped to the last one. Short ranges give fewer frames,
    since equal numbers are shown once.

    Args:
        ranges: (start, end) pairs in seconds, in any order; ends beyond the video are cut.
        video_length: seconds.
        fps: rate of the decoded frames.
        max_frames: most frames shown, > 0.

    Returns:
        Ascending frame numbers.

    Raises:
        InvalidRangeError: a range starts after the end of the video, or the ranges have no length in total.
    """
    pieces: list[tuple[float, float]] = []
    for start, end in ranges:
        if start > video_length:
            raise InvalidRangeError(
                f"a time range starts at {start:g} s, the video ends at {video_length:g} s"
            )
        pieces.append((start, min(end, video_length)))
    pieces.sort(key=lambda piece: piece[0])
    total = sum(end - start for start, end in pieces)
    if total <= 0 or max_frames <= 0:
        raise InvalidRangeError(f"the time ranges hold {total:g} s; give an end after the start")
    step = total / max_frames
    last_frame = int(video_length * fps) - 1
    numbers: set[int] = set()
    for i in range(max_frames):
        second = _at_offset(pieces, i * step)
        if second is not None:
            numbers.add(min(max(round(second * fps), 0), last_frame))
    return sorted(numbers)


def _at_offset(pieces: list[tuple[float, float]], offset: float) -> float | None:
    """The second that lies ``offset`` into the pieces laid end to end."""
    before = 0.0
    for start, end in pieces:
        if offset < before + (end - start):
            return start + (offset - before)
        before += end - start
    return None


def clip_boundaries(
    n_frames: int, fps: float = DECODE_FPS, clip_secs: int = CLIP_SECONDS
) -> list[tuple[int, int]]:
    """Whole-second (first, last) of the clips that are captioned, both included.

    The last second is that of the last frame, rounded down, so the last clip may be a single second.

    Args:
        n_frames: decoded frames; none gives no clips.
        fps: their rate.
        clip_secs: seconds of a clip, >= 1.
    """
    if n_frames < 1:
        return []
    last = int((n_frames - 1) / fps)
    return [(start, min(start + clip_secs - 1, last)) for start in range(0, last + 1, clip_secs)]


def clip_frames(
    clip: tuple[int, int], n_frames: int, fps: float = DECODE_FPS, mode: str = "careful"
) -> range:
    """Numbers of the decoded frames a clip's caption is made from.

    ``official`` takes frames from the first to the last second of the clip, so a frame at 9.5 s belongs to
    none of the clips 0-9 and 10-19. ``careful`` takes the whole last second: every frame is in exactly one.
    """
    first = math.ceil(clip[0] * fps)
    stop = math.ceil((clip[1] + 1) * fps) if mode == "careful" else math.floor(clip[1] * fps) + 1
    return range(first, min(stop, n_frames))
