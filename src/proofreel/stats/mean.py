"""Mean of graded scores on clustered items."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import check_level, codes, group_sums, vector
from proofreel.stats._special import t_quantile
from proofreel.stats.wilson import Interval


@dataclass(frozen=True)
class Mean:
    """A mean with its cluster-robust interval.

    Attributes:
        value: mean of the items.
        error: cluster-robust standard error; None with one cluster.
        interval: Student's t with clusters - 1 degrees of freedom; None with one cluster.
        items: N.
        clusters: C.
        reason: why there is no interval.
    """

    value: float
    error: float | None
    interval: Interval | None
    items: int
    clusters: int
    reason: str | None = None


def mean_interval(values: ArrayLike, clusters: Iterable[Hashable] | None = None, level: float = 0.95) -> Mean:
    """Mean of graded scores (trajectory score, coverage, differences) with a cluster-robust t interval.

    The variance is C / (C - 1) * sum over clusters of (sum of residuals)^2 / N^2. Right for means well inside their
    range; for right-or-wrong answers use `accuracy_interval`.

    Args:
        values: [N], no missing value.
        clusters: [N] labels, or None for independent items.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: empty or missing values, lengths that differ, level out of range.
    """
    check_level(level)
    array = vector(values, "values")
    groups = codes(clusters, len(array))
    mean = float(array.mean())
    residual = group_sums(array - mean, groups)
    count = len(residual)
    if count < 2:
        return Mean(
            mean, None, None, len(array), count, "one cluster only: no spread between clusters to measure"
        )
    error = sqrt(count / (count - 1) * float(np.sum(residual**2))) / len(array)
    half = t_quantile(0.5 + level / 2, count - 1) * error
    return Mean(mean, error, Interval(mean - half, mean + half), len(array), count)
