"""Pure index arithmetic behind the sampling plans. No file is touched here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from .errors import BadRequest

Ints = npt.NDArray[np.int64]


def uniform_ends(total: int, n: int) -> Ints:
    """`n` of `total` frame numbers, both ends included (VideoZeroBench, lmms-eval).

    Point i is `i * step` in double precision with `step = (total - 1) / (n - 1)`, truncated toward zero,
    the last point exact. All frames when there are no more than `n`.

    Args:
        total: number of frames, > 0.
        n: number wanted, >= 0.

    Returns:
        Ascending frame numbers, `min(n, total)` of them.

    Raises:
        BadRequest: if there are no frames, or a negative number is wanted.
    """
    _check(total, n)
    if total <= n:
        return np.arange(total, dtype=np.int64)
    return np.linspace(0, total - 1, n).astype(np.int64)


def uniform_mid(total: int, n: int) -> Ints:
    """`n` of `total` frame numbers at the centres of n equal bins (VLMEvalKit).

    Point i is `(i + 1/2) * total / n`, truncated. All frames when there are no more than `n`.

    Raises:
        BadRequest: if there are no frames, or a negative number is wanted.
    """
    _check(total, n)
    if total <= n:
        return np.arange(total, dtype=np.int64)
    return ((np.arange(n) + 0.5) * (total / n)).astype(np.int64)


def thin_evenly(total: int, cap: int) -> Ints:
    """At most `cap` of `total` positions, spread over the whole: `trunc(i * (total / cap))` (AgentVidBench).

    The division comes first, in double precision; pure integer arithmetic differs for some totals.

    Raises:
        BadRequest: if there are no frames, or a negative number is wanted.
    """
    _check(total, cap)
    if total <= cap:
        return np.arange(total, dtype=np.int64)
    return (np.arange(cap) * (total / cap)).astype(np.int64)


def keep_priority(indices: Sequence[int], priority: Iterable[int], cap: int) -> list[int]:
    """At most `cap` of the sorted `indices`, the `priority` ones first (VideoZeroBench).

    Everything is kept if it fits. Priority frames alone at or above the cap: `cap` evenly spaced ones of
    them. Otherwise all priority frames and evenly spaced others ("ends" rule, truncated), sorted.

    Raises:
        BadRequest: if `cap` is negative.
    """
    if not len(indices):
        return []
    _check(len(indices), cap)
    if len(indices) <= cap:
        return [int(i) for i in indices]
    first = set(priority)
    kept = [int(i) for i in indices if i in first]
    if len(kept) >= cap:
        return [kept[i] for i in uniform_ends(len(kept), cap)]
    others = [int(i) for i in indices if i not in first]
    return sorted(kept + [others[i] for i in uniform_ends(len(others), cap - len(kept))])


def times_to_frame_numbers(times: Iterable[float | None], fps: float, total: int) -> list[int]:
    """Frame numbers of key times at a constant rate, as VideoZeroBench's code computes them.

    `round_half_even(max(0, t) * fps)`, clamped to the last frame, first-seen order, no duplicates, `None`
    skipped. Right only for constant-rate video: for pictures use `At`, which knows the true times.

    Raises:
        BadRequest: if `fps` or `total` is not positive.
    """
    if not fps > 0:
        raise BadRequest(f"fps must be > 0, got {fps}")
    _check(total, 0)
    wanted = (min(total - 1, round(max(0.0, float(t)) * fps)) for t in times if t is not None)
    return list(dict.fromkeys(wanted))


def fit_height(height: int, width: int, out_height: int, width_multiple: int = 1) -> tuple[int, int]:
    """Output (height, width): the height asked for, the width in proportion, floored to a multiple.

    The width is `round_half_even(width * out_height / height)` floored to `width_multiple`, but never less
    than one multiple. `out_height <= 0` keeps the size.

    Raises:
        BadRequest: if a size or the multiple is not positive.
    """
    if height < 1 or width < 1:
        raise BadRequest(f"a size must be >= 1, got {width}x{height}")
    if width_multiple < 1:
        raise BadRequest(f"width_multiple must be >= 1, got {width_multiple}")
    if out_height <= 0:
        return height, width
    scaled = round(width * out_height / height)
    return out_height, max(width_multiple, scaled // width_multiple * width_multiple)


def _check(total: int, n: int) -> None:
    if total <= 0:
        raise BadRequest(f"there must be something to choose from, got {total} frames")
    if n < 0:
        raise BadRequest(f"a number of frames must be >= 0, got {n}")
