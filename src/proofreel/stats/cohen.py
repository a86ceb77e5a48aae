"""Agreement of two raters."""

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from proofreel.stats._labels import refuse_missing
from proofreel.stats.coefficient import Coefficient


def cohen_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    weights: Literal["none", "linear", "quadratic"] = "none",
    categories: Sequence[Hashable] | None = None,
) -> Coefficient:
    """Cohen's kappa; weighted by the distance of ordered categories on request.

    Args:
        first: [N] labels of one rater.
        second: [N] labels of the other, same items.
        weights: "none" for unordered labels.
        categories: the labels in order; needed for weights. None: the labels seen.

    Returns:
        value None when chance agreement is complete (both raters used one same label throughout).

    Raises:
        ValueError: lengths that differ, missing labels, a label outside `categories`, weights without an order.

    Source: J. Cohen, Educational and Psychological Measurement 20 (1960); weights: Psychological Bulletin 70 (1968).
    """
    if len(first) != len(second) or not len(first):
        raise ValueError(
            f"need the same items for both raters, at least one: got {len(first)} and {len(second)}"
        )
    refuse_missing((first, second))
    if weights != "none" and categories is None:
        raise ValueError("categories: weighted kappa needs the labels in their order")
    order = list(dict.fromkeys([*first, *second] if categories is None else categories))
    place = {label: k for k, label in enumerate(order)}
    outside = {label for label in (*first, *second) if label not in place}
    if outside:
        raise ValueError(f"categories: {sorted(map(str, outside))} were used but are not listed")
    table = np.zeros((len(order), len(order)))
    for a, b in zip(first, second, strict=True):
        table[place[a], place[b]] += 1
    table /= len(first)
    gap = np.abs(np.subtract.outer(np.arange(len(order)), np.arange(len(order)))).astype(np.float64)
    cost = {"none": (gap > 0).astype(np.float64), "linear": gap, "quadratic": gap**2}[weights]
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    if expected == 0:
        return Coefficient(None, len(first), reason="both raters gave one same label throughout")
    return Coefficient(1 - float((cost * table).sum()) / expected, len(first))
