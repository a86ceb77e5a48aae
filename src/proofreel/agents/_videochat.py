"""The pure parts of VideoChat-R1.5: the interval hint and the frames it asks for. Protocol: agents, section 7."""

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from proofreel.agents._spread import SamplingError, spread_floor, spread_round
from proofreel.core import Window, merge_windows

ROUNDS = 3
KEY_RATIO = 1.5
_YEAR = 366 * 86400


def glue_text(text: str) -> str | None:
    """What stands in the first ``<glue>`` tag of a reply, None when there is no complete tag."""
    _, opened, rest = text.partition("<glue>")
    inner, closed, _ = rest.partition("</glue>")
    return inner if opened and closed else None


def parse_glue(inner: str) -> Any:
    """The value written in a glue tag, read as a Python literal; None when it is none.

    Whatever the literal is comes back: a bare pair, reversed pairs and texts too. ``tidy_hint`` makes windows of
    it; clock times such as ``1:02`` are no literals.
    """
    try:
        return ast.literal_eval(inner)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def next_hint(previous: Any, reply: str) -> Any:
    """The hint for the next round: the tag's value, None when it cannot be read, the previous one without a tag."""
    inner = glue_text(reply)
    return previous if inner is None else parse_glue(inner)


def tidy_hint(hint: Any, duration: float) -> tuple[Window, ...]:
    """The hint as windows, for careful use: inside the video, in order, overlapping ones merged.

    A bare pair counts as one interval. Pairs that are reversed, lie after the end, or hold anything but finite
    numbers are dropped; starts before 0 become 0.

    Args:
        hint: what ``parse_glue`` gave.
        duration: seconds of the video.
    """
    pairs = [hint] if _is_pair(hint) else hint if isinstance(hint, list | tuple) else []
    windows = [
        Window(start=max(0.0, float(start)), end=min(float(end), duration))
        for start, end in filter(_is_pair, pairs)
        if max(0.0, start) <= min(end, duration)
    ]
    return tuple(merge_windows(windows))


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    # Beyond a year no video goes; the bound also keeps out infinities and integers no float holds.
    return all(type(v) in (int, float) and abs(v) < _YEAR for v in value)


def key_frame_sampling(
    key_intervals: Iterable[Sequence[float]],
    total_frames: int,
    num_frames: int,
    key_ratio: float = KEY_RATIO,
    fps: float = 30.0,
) -> list[int]:
    """Frame numbers that are ``key_ratio`` times as dense inside the key intervals as outside.

    With K key frames among all, ``round(n * K*ratio / (K*ratio + others))`` of the n go to the intervals, each
    getting ``max(1, round(its part))`` evenly spaced ones; the rest is evenly spaced over the frames outside.
    Numbers found twice are kept once, so the result may hold a few more or less than n.

    This is the published sampler: overlapping intervals count twice and a negative start gives negative
    numbers. Give it the windows of ``tidy_hint`` to have neither.

    Args:
        key_intervals: (start, end) pairs in seconds; those that end before they start are ignored.
        total_frames: frames in the video, > 0.
        num_frames: frames wanted (n).
        key_ratio: density inside over density outside, >= 0.
        fps: frame rate, to turn seconds into frame numbers (rounded toward zero).

    Returns:
        Ascending frame numbers.

    Raises:
        SamplingError: there are no frames, the intervals are not pairs of numbers, or nothing has any weight.
    """
    if total_frames < 1:
        raise SamplingError(f"there must be frames to choose from, got {total_frames}")
    try:
        spans = [(int(start * fps), min(int(end * fps), total_frames - 1)) for start, end in key_intervals]
    except (TypeError, ValueError, OverflowError) as error:
        raise SamplingError(f"key intervals must be pairs of seconds ({error})") from None
    spans = [(first, last) for first, last in spans if first <= last]
    key_frames = sum(last - first + 1 for first, last in spans)
    weight = key_frames * key_ratio + (total_frames - key_frames)
    if not weight:
        raise SamplingError("no frame has any weight; give a key_ratio > 0")
    key_share = round(num_frames * (key_frames * key_ratio) / weight)
    chosen: set[int] = set()
    for first, last in spans:
        part = max(1, round(key_share * (last - first + 1) / key_frames))
        chosen.update(spread_floor(first, last, part))
    inside = set().union(*(range(max(first, 0), last + 1) for first, last in spans))
    others = [i for i in range(total_frames) if i not in inside]
    if others:
        chosen.update(others[i] for i in spread_floor(0, len(others) - 1, num_frames - key_share))
    return sorted(chosen)


def round_frames(
    hint: Any,
    total_frames: int,
    num_frames: int,
    fps: float,
    *,
    mode: str = "careful",
    key_ratio: float = KEY_RATIO,
) -> list[int]:
    """Frame numbers of one round: uniform without a usable hint, else denser inside it.

    ``official`` hands the hint to the sampler as it is, leaves the last frame out, and falls back to uniform
    when the sampler fails. ``careful`` tidies the hint first and samples the whole video.

    Args:
        hint: what the round before left, see ``next_hint``.
        total_frames: frames in the video, > 0.
        num_frames: frames wanted, see ``even_frame_count``.
        fps: frame rate of the video, > 0.
        mode: ``official`` or ``careful``.
        key_ratio: density inside over density outside.

    Raises:
        SamplingError: there are no frames.
    """
    if mode == "careful":
        windows = tidy_hint(hint, total_frames / fps)
        if not windows:
            return sorted(set(spread_round(total_frames, num_frames)))
        pairs = [(w.start, w.end) for w in windows]
        return key_frame_sampling(pairs, total_frames, num_frames, key_ratio, fps)
    if hint is not None:
        try:
            return key_frame_sampling(hint, total_frames - 1, num_frames, key_ratio, fps)
        except (SamplingError, TypeError):
            pass  # the published reader answers every failure with uniform frames
    return spread_round(total_frames, num_frames)
