"""Agreement of any number of raters with missing ratings."""

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from proofreel.stats._arrays import Floats
from proofreel.stats._labels import is_missing
from proofreel.stats.coefficient import Coefficient

Metric = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable]], metric: Metric = "nominal", order: Sequence[Hashable] | None = None
) -> Coefficient:
    """Krippendorff's alpha: 1 - observed / expected disagreement.

    Args:
        ratings: [N items][raters] labels; None and NaN are missing, rows may differ in length.
        metric: "nominal" for names, "ordinal" for ranks, "interval" for numbers.
        order: the labels from low to high for "ordinal"; None sorts them (numbers only).

    Returns:
        value None when no item has two ratings, or one label was used throughout; n is the number of items with
        two or more ratings, the only ones that count.

    Raises:
        ValueError: labels that are not numbers where numbers are needed, or that `order` does not list.

    Source: K. Krippendorff, Content Analysis (2nd ed. 2004), chapter 11, coincidence-matrix form.
    """
    kept = [[label for label in row if not is_missing(label)] for row in ratings]
    kept = [row for row in kept if len(row) > 1]
    if not kept:
        return Coefficient(None, 0, reason="no item has two ratings")
    labels = _in_order({label for row in kept for label in row}, metric, order)
    place = {label: k for k, label in enumerate(labels)}
    coincidence = np.zeros((len(labels), len(labels)))
    for row in kept:
        counts = np.bincount([place[label] for label in row], minlength=len(labels)).astype(np.float64)
        coincidence += (np.outer(counts, counts) - np.diag(counts)) / (len(row) - 1)
    totals = coincidence.sum(axis=0)
    gaps = _gaps(labels, totals, metric)
    pairs = totals.sum()
    expected = float((gaps * np.outer(totals, totals)).sum()) / (pairs - 1)
    if expected == 0:
        return Coefficient(None, len(kept), reason="one label was used throughout")
    return Coefficient(1 - float((gaps * coincidence).sum()) / expected, len(kept))


def _in_order(seen: set[Hashable], metric: Metric, order: Sequence[Hashable] | None) -> list[Hashable]:
    if metric == "ordinal" and order is not None:
        outside = seen - set(order)
        if outside:
            raise ValueError(f"order: {sorted(map(str, outside))} were used but are not listed")
        return [label for label in order if label in seen]
    if metric == "nominal":
        return sorted(seen, key=repr)
    numbers = [label for label in seen if isinstance(label, int | float | np.number)]
    if len(numbers) < len(seen):
        raise ValueError(
            f"ratings: {metric} agreement needs numbers" + (" or an order" if metric == "ordinal" else "")
        )
    return sorted(seen, key=float)  # type: ignore[arg-type]


def _gaps(labels: list[Hashable], totals: Floats, metric: Metric) -> Floats:
    """Squared distance of every two labels [L, L]."""
    if metric == "nominal":
        return 1.0 - np.eye(len(labels))
    # Ordinal: the middle of each label's block of ranks, so that the labels in between count whole, the ends half.
    positions = np.cumsum(totals) - totals / 2
    if metric == "interval":
        positions = np.array([float(label) for label in labels])  # type: ignore[arg-type]
    gaps: Floats = np.subtract.outer(positions, positions) ** 2
    return gaps
