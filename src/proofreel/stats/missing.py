"""What items without a verdict can do to an accuracy."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import binary
from proofreel.stats.accuracy import Accuracy, accuracy_interval
from proofreel.stats.wilson import Interval


@dataclass(frozen=True)
class MissingBounds:
    """Accuracy if every missing item were wrong, and if every one were right.

    Attributes:
        items: all items, missing ones included.
        missing: how many have no verdict.
        observed: accuracy of those that have one; None when none has.
        worst: all missing wrong.
        best: all missing right.
        interval: from the low end of `worst` to the high end of `best`: holds whatever the missing ones are; None
            when either has no interval.
    """

    items: int
    missing: int
    observed: float | None
    worst: Accuracy
    best: Accuracy
    interval: Interval | None


def missing_bounds(
    correct: ArrayLike, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> MissingBounds:
    """Bounds that need no assumption on why items are missing.

    Args:
        correct: [N] of 0, 1 and NaN or None (no verdict).
        clusters: [N] labels, or None for independent items.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: empty, other values, lengths that differ.

    Source: C. F. Manski, American Economic Review 80 (1990), worst-case bounds.
    """
    array = binary(correct, "correct", missing=True)
    labels = None if clusters is None else list(clusters)
    gone = np.isnan(array)
    worst = accuracy_interval(np.where(gone, 0.0, array), labels, level)
    best = accuracy_interval(np.where(gone, 1.0, array), labels, level)
    both = None
    if worst.interval is not None and best.interval is not None:
        both = Interval(worst.interval.low, best.interval.high)
    observed = float(array[~gone].mean()) if not gone.all() else None
    return MissingBounds(len(array), int(gone.sum()), observed, worst, best, both)
