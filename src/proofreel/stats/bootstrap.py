"""Percentile bootstrap by item or by cluster: counts of a resample times group sums, one matrix product for all."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import Floats, Ints, check_level, codes, matrix, vector
from proofreel.stats.wilson import Interval


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
    rows = matrix(scores, "scores")
    groups = codes(clusters, rows.shape[1])
    count = int(groups.max()) + 1
    sums = rows.T if clusters is None else _by_group(rows, groups, count)
    weights = resample_counts(count, resamples, seed)
    totals = weights @ sums
    if clusters is None:
        means = totals / rows.shape[1]
    else:
        sizes = np.bincount(groups, minlength=count).astype(np.float64)
        means = totals / (weights @ sizes)[:, None]
    rounded: Floats = np.round(means, 12)
    return rounded


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
    means = bootstrap_means(vector(values, "values")[None, :], clusters, resamples, seed)[:, 0]
    return percentile_interval(means, level)


def percentile_interval(draws: Floats, level: float) -> Interval:
    """Middle `level` of the draws [B]."""
    check_level(level)
    low, high = np.quantile(draws, ((1 - level) / 2, (1 + level) / 2))
    return Interval(float(low), float(high))


def resample_counts(groups: int, resamples: int, seed: int) -> Floats:
    """How often each of `groups` is drawn in each of `resamples` draws with replacement: [B, G], rows sum to G."""
    if resamples < 1:
        raise ValueError(f"resamples: need at least 1, got {resamples}")
    drawn = np.random.default_rng(seed).integers(0, groups, size=(resamples, groups), dtype=np.int64)
    drawn += np.arange(resamples, dtype=np.int64)[:, None] * groups
    counts = np.bincount(drawn.ravel(), minlength=resamples * groups)
    return counts.reshape(resamples, groups).astype(np.float64)


def _by_group(rows: Floats, groups: Ints, count: int) -> Floats:
    """Sum of the columns of each group: [G, K]."""
    member = np.zeros((rows.shape[1], count))
    member[np.arange(rows.shape[1]), groups] = 1.0
    sums: Floats = (rows @ member).T
    return sums
