"""The headline: accuracy with an interval that holds on clustered items."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import binary, check_level, codes
from proofreel.stats._special import t_quantile
from proofreel.stats.bootstrap import bootstrap_interval
from proofreel.stats.design import DesignEffect, of_groups
from proofreel.stats.wilson import Interval, score_interval


@dataclass(frozen=True)
class Accuracy:
    """Accuracy in [0, 1] with its interval.

    Attributes:
        rate: share of right answers.
        right: number of right answers.
        items: number of answers.
        interval: cluster-adjusted Wilson; None when it cannot be had, and `reason` says why.
        design: correlation within videos, effective sample size.
        by_item: percentile bootstrap over items, the published protocols' interval; None unless asked for.
        by_cluster: percentile bootstrap over clusters; None unless asked for.
    """

    rate: float
    right: int
    items: int
    interval: Interval | None
    design: DesignEffect | None
    by_item: Interval | None = None
    by_cluster: Interval | None = None
    reason: str | None = None


def accuracy_interval(
    correct: ArrayLike, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> Accuracy:
    """Accuracy with Wilson's interval on the effective sample size N / deff and Student's t for the quantile.

    With no two items on one video it is Wilson's interval itself.

    Args:
        correct: [N] of 0 and 1; missing answers must be decided before (`missing_bounds` shows what they can do).
        clusters: [N] labels, the video of each item; None takes items as independent.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: empty, missing or non-binary values, lengths that differ.

    Source: Wilson (1927) with the effective sample size of Korn and Graubard, Survey Methodology 24 (1998);
    the shrinkage of the correlation is ours, see `design_effect`. Measured coverage: docs/statistics.md.
    """
    check_level(level)
    right = binary(correct, "correct")
    groups = codes(clusters, len(right))
    rate, hits = float(right.mean()), int(right.sum())
    if len(right) > 1 and not groups.any():
        reason = f"all {len(right)} items share one video: nothing tells how far another video would differ"
        return Accuracy(rate, hits, len(right), None, None, reason=reason)
    design = of_groups(right, groups)
    quantile = t_quantile(0.5 + level / 2, design.df)
    return Accuracy(rate, hits, len(right), score_interval(rate, design.effective, quantile), design)


def accuracy_summary(
    correct: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Accuracy:
    """`accuracy_interval` with both percentile bootstraps beside it.

    Args:
        correct: [N] of 0 and 1.
        clusters: [N] labels, the video of each item; None takes items as independent.
        level: two-sided confidence level, in (0, 1).
        resamples: number of bootstrap resamples.
        seed: of the bootstrap.

    Raises:
        ValueError: as `accuracy_interval`.
    """
    right = binary(correct, "correct")
    labels = None if clusters is None else list(clusters)
    plain = accuracy_interval(right, labels, level)
    by_item = bootstrap_interval(right, None, level, resamples, seed)
    by_cluster = None if labels is None else bootstrap_interval(right, labels, level, resamples, seed)
    return Accuracy(
        plain.rate,
        int(np.sum(right)),
        plain.items,
        plain.interval,
        plain.design,
        by_item,
        by_cluster,
        plain.reason,
    )
