"""Paired bootstrap of a difference: the same resamples for both systems."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import same_length, vector
from proofreel.stats.bootstrap import bootstrap_means, percentile_intervals
from proofreel.stats.wilson import Interval


@dataclass(frozen=True)
class PairedDifference:
    """Mean of a minus mean of b.

    Attributes:
        difference: in [-1, 1] for accuracies.
        interval: percentile interval over the resamples.
        items: number of pairs.
        clusters: number of clusters drawn, or of items when there are none.
        resamples: number of resamples.
    """

    difference: float
    interval: Interval
    items: int
    clusters: int
    resamples: int

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval."""
        return 0.0 not in self.interval


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> PairedDifference:
    """Difference of means of two systems on the same items.

    Args:
        a: [N] scores of the first system.
        b: [N] scores of the second, same items in the same order.
        clusters: [N] labels to draw whole videos; None draws items, as AgentVidBench's table of differences does.
        level: two-sided confidence level, in (0, 1).
        resamples: number of resamples.
        seed: of the draw.

    Raises:
        ValueError: missing values, lengths that differ, level out of range.
    """
    first, second = vector(a, "a"), vector(b, "b")
    same_length(first, second, "a and b")
    labels = None if clusters is None else list(clusters)
    means = bootstrap_means(np.stack((first, second)), labels, resamples, seed)
    return PairedDifference(
        difference=float(first.mean() - second.mean()),
        interval=percentile_intervals(np.round(means[:, :1] - means[:, 1:], 12), level)[0],
        items=len(first),
        clusters=len(first) if labels is None else len(set(labels)),
        resamples=resamples,
    )
