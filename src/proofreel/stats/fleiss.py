"""Agreement of several raters, complete ratings."""

from collections.abc import Hashable, Sequence

import numpy as np

from proofreel.stats._labels import refuse_missing
from proofreel.stats.coefficient import Coefficient


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> Coefficient:
    """Fleiss' kappa: agreement beyond chance of the same number of ratings on every item.

    Args:
        ratings: [N items][R raters] labels, R >= 2.

    Returns:
        value None when one label was used throughout; n is the number of items.

    Raises:
        ValueError: no item, fewer than two ratings, unequal numbers of ratings, a missing label.

    Source: J. L. Fleiss, Psychological Bulletin 76 (1971).
    """
    if not len(ratings):
        raise ValueError("ratings: need at least one item")
    raters = len(ratings[0])
    if raters < 2 or any(len(row) != raters for row in ratings):
        raise ValueError("ratings: need the same number of ratings, two or more, on every item")
    refuse_missing(ratings)
    place: dict[Hashable, int] = {}
    for row in ratings:
        for label in row:
            place.setdefault(label, len(place))
    counts = np.zeros((len(ratings), len(place)))
    for k, row in enumerate(ratings):
        for label in row:
            counts[k, place[label]] += 1
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    if len(place) == 1:
        return Coefficient(None, len(ratings), reason="one label was used throughout")
    agreeing = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return Coefficient((float(agreeing.mean()) - by_chance) / (1 - by_chance), len(ratings))
