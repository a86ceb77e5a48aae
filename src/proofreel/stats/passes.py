"""Pass@K of repeated answers: right at least once, right every time; what missing answers can do to both."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import Floats
from proofreel.stats.missing import MissingBounds, missing_bounds


@dataclass(frozen=True)
class PassAtK:
    """Success of K answers to each item.

    Attributes:
        k: answers asked for each item.
        items: number of items.
        complete: items with all K answers.
        at_least_once: share of items with a right answer; an item without one and with answers missing is missing.
        every_time: share of items right K times; an item never wrong and with answers missing is missing.
        one: mean over items of the share of right answers among those there are; None when there are none.
        once_by_n: for n = 1..K, the chance that n of the K answers hold a right one, mean over complete items.
        every_by_n: likewise, that all n are right.
    """

    k: int
    items: int
    complete: int
    at_least_once: MissingBounds
    every_time: MissingBounds
    one: float | None
    once_by_n: tuple[float, ...]
    every_by_n: tuple[float, ...]


def pass_at_k(correct: ArrayLike, clusters: Iterable[Hashable] | None = None, level: float = 0.95) -> PassAtK:
    """Both success rates of K answers an item, with bounds and intervals.

    The intervals are those of ``missing_bounds``: clustered Wilson, from the low end with every missing item wrong to
    the high end with every one right; with nothing missing that is ``accuracy_interval``.

    Args:
        correct: [N, K] of 0, 1 and NaN (no answer), one row an item.
        clusters: [N] labels, the video of each item; None for independent items.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: no items, no answers, values other than 0, 1 and NaN, lengths that differ.

    Source: any / all of VideoZeroBench's test-time scaling; the chance for fewer answers is the unbiased estimator of
    M. Chen et al., arXiv 2107.03374 (2021), 1 - C(K - c, n) / C(K, n) with c of K right.
    """
    rows = np.asarray(correct, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"correct: need items and answers, got an array of shape {rows.shape}")
    gone = np.isnan(rows)
    if not (gone | (rows == 0) | (rows == 1)).all():
        raise ValueError("correct: only 0, 1 and NaN, got other values")
    labels = None if clusters is None else list(clusters)
    k = rows.shape[1]
    some, none_gone = (rows == 1).any(axis=1), ~gone.any(axis=1)
    failed = (rows == 0).any(axis=1)
    once = np.where(some, 1.0, np.where(none_gone, 0.0, np.nan))
    every = np.where(failed, 0.0, np.where(none_gone, 1.0, np.nan))
    there = (~gone).sum(axis=1)
    shares = np.nansum(rows, axis=1)[there > 0] / there[there > 0]
    right = [int(n) for n in rows[none_gone].sum(axis=1)]
    return PassAtK(
        k=k,
        items=len(rows),
        complete=int(none_gone.sum()),
        at_least_once=missing_bounds(once, labels, level),
        every_time=missing_bounds(every, labels, level),
        one=float(shares.mean()) if len(shares) else None,
        once_by_n=_curve([1 - _share(k - c, k, n) for n in range(1, k + 1) for c in right], k),
        every_by_n=_curve([_share(c, k, n) for n in range(1, k + 1) for c in right], k),
    )


def _share(of: int, k: int, n: int) -> float:
    """The part of all choices of n out of k that lie among ``of`` marked ones."""
    return comb(of, n) / comb(k, n)


def _curve(values: list[float], k: int) -> tuple[float, ...]:
    if not values:
        return ()
    means: Floats = np.array(values).reshape(k, -1).mean(axis=1)
    return tuple(float(m) for m in means)
