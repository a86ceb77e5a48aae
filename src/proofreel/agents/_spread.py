"""Evenly spread points and even frame counts, as the published samplers of open-weight video models have them."""

import math


class SamplingError(ValueError):
    """Nothing can be sampled from what was given; the message says which number is wrong."""


def even_points(start: float, end: float, n: int) -> list[float]:
    """``n`` points from ``start`` to ``end``, both included, in the double arithmetic of ``numpy.linspace``.

    Point i is ``i * step + start`` with ``step = (end - start) / (n - 1)``; the last point is ``end`` itself.
    One point is the start, none for ``n <= 0``.
    """
    if n <= 1:
        return [float(start)] * max(n, 0)
    step = (end - start) / (n - 1)
    return [*(i * step + start for i in range(n - 1)), float(end)]


def spread_floor(first: int, last: int, n: int) -> list[int]:
    """``n`` frame numbers from ``first`` to ``last``, points rounded down; numbers repeat when n is large."""
    return [math.floor(p) for p in even_points(first, last, n)]


def spread_round(total_frames: int, n: int) -> list[int]:
    """``n`` frame numbers over the whole video, points rounded half to even; numbers repeat when n is large.

    Raises:
        SamplingError: there are no frames.
    """
    if total_frames < 1:
        raise SamplingError(f"there must be frames to choose from, got {total_frames}")
    return [round(p) for p in even_points(0, total_frames - 1, n)]


def even_frame_count(
    total_frames: int, video_fps: float, *, fps: float = 2.0, least: int = 4, most: int = 512
) -> int:
    """How many frames a video is sampled to: ``fps`` a second, an even number within ``least`` and ``most``.

    Args:
        total_frames: frames in the file.
        video_fps: their rate, > 0.
        fps: frames wanted a second.
        least: lower bound; a shorter video gives all its frames (rounded down to even).
        most: upper bound.

    Raises:
        SamplingError: fewer than two frames, or a rate that is not positive.
    """
    if total_frames < 2 or not video_fps > 0:
        raise SamplingError(f"needs two frames and a rate > 0, got {total_frames} at {video_fps} fps")
    low, high = math.ceil(least / 2) * 2, min(most, total_frames) // 2 * 2
    wanted = min(max(total_frames / video_fps * fps, low), high)
    return int(wanted // 2) * 2
