"""Percentile bootstrap by item or by cluster: counts of a resample times group sums, one matrix product for all."""

from collections.abc import Hashable, Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import Floats, Ints, check_level, codes, matrix, vector
from proofreel.stats.wilson import Interval

_MOST_ROWS = 200  # resamples drawn at once: the blocks stay in the processor's cache
# Products up to this size stay on one core: on a busy machine waiting for the other cores costs more than they save.
_ONE_CORE = 2**18


def bootstrap_means(
    scores: ArrayLike, clusters: Iterable[Hashable] | None = None, resamples: int = 10_000, seed: int = 0
) -> Floats:
    """Mean of every row in every resample, the same resamples for all rows (so that rows stay paired).

    Args:
        scores: [K, N], one row per system or configuration, one column per item; no missing value.
        clusters: [N] labels; whole clusters are drawn, as many as there are. None draws items.
        resamples: B.
        seed: of the draw.

    Returns:
        [B, K]; equal sums give bit-equal means, so ties between systems are seen as ties.

    Raises:
        ValueError: wrong shapes, missing values, fewer than one resample.
    """
    if resamples < 1:
        raise ValueError(f"resamples: need at least 1, got {resamples}")
    rows = matrix(scores, "scores")
    groups = codes(clusters, rows.shape[1])
    count = int(groups.max()) + 1
    # The last column is the size, so that one product gives sums and numbers of items.
    sums = _by_group(np.vstack((rows, np.ones(rows.shape[1]))), groups, count)
    block = min(_MOST_ROWS, max(1, _ONE_CORE // sums.size))
    means = np.empty((len(rows), resamples))
    done = 0
    for weights in resample_counts(count, resamples, seed):
        for start in range(0, len(weights), block):
            totals = weights[start : start + block] @ sums
            np.divide(totals[:, :-1].T, totals[:, -1], out=means[:, done : done + len(totals)])
            done += len(totals)
    return np.round(means, 12, out=means).T


def bootstrap_interval(
    values: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Percentile interval of a mean.

    The interval of the published protocols. With few rare outcomes it is too narrow, and with none it has no width:
    report it beside `accuracy_interval`, not instead of it.

    Args:
        values: [N], no missing value.
        clusters: [N] labels, or None to draw items.
        level: two-sided confidence level, in (0, 1).
        resamples: number of resamples.
        seed: of the draw.

    Raises:
        ValueError: empty or missing values, lengths that differ, level out of range.
    """
    return bootstrap_intervals(vector(values, "values")[None, :], clusters, level, resamples, seed)[0]


def bootstrap_intervals(
    scores: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Interval]:
    """`bootstrap_interval` of every row at once, on the same resamples.

    Args:
        scores: [K, N], one row per configuration, one column per item; no missing value.
        clusters: [N] labels, or None to draw items.
        level: two-sided confidence level, in (0, 1).
        resamples: number of resamples.
        seed: of the draw.

    Raises:
        ValueError: as `bootstrap_means`, or level out of range.
    """
    check_level(level)
    return percentile_intervals(bootstrap_means(scores, clusters, resamples, seed), level)


def percentile_intervals(draws: Floats, level: float) -> list[Interval]:
    """Middle `level` of every column of the draws [B, K], linear between neighbours; sorts the draws in place."""
    check_level(level)
    draws.sort(axis=0)  # several times as fast as np.quantile's partition
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        place = share * (len(draws) - 1)
        below = int(place)
        above = min(below + 1, len(draws) - 1)
        ends.append(draws[below] + (place - below) * (draws[above] - draws[below]))
    return [Interval(float(low), float(high)) for low, high in zip(*ends, strict=True)]


def resample_counts(groups: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each of `groups` is drawn in each of `resamples` draws with replacement.

    Yields:
        [b, G] blocks that make up [B, G]; rows sum to G.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, _MOST_ROWS):
        size = min(_MOST_ROWS, resamples - start)
        drawn = rng.integers(0, groups, size=(size, groups), dtype=np.int64)
        drawn += np.arange(size, dtype=np.int64)[:, None] * groups
        counts = np.bincount(drawn.ravel(), minlength=size * groups)
        yield counts.reshape(size, groups).astype(np.float64)


def _by_group(rows: Floats, groups: Ints, count: int) -> Floats:
    """Sum of the columns of each group: [G, K]."""
    sums = np.zeros((count, len(rows)))
    np.add.at(sums, groups, rows.T)
    return sums
