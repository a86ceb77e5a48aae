"""Area under the ROC curve."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from proofreel.stats._arrays import Floats
from proofreel.stats.coefficient import Coefficient


def roc_auc(positive: ArrayLike, negative: ArrayLike) -> Coefficient:
    """P(score of a positive > score of a negative) + half P(equal): how well a score separates two groups.

    Args:
        positive: [P] scores of the items that should score high.
        negative: [M] scores of the others.

    Returns:
        value None when a group is empty; n counts both groups.

    Raises:
        ValueError: missing or infinite values.

    Source: the Mann-Whitney form, ties one half; J. A. Hanley and B. J. McNeil, Radiology 143 (1982).
    """
    high, low = _scores(positive, "positive"), _scores(negative, "negative")
    if not len(high) or not len(low):
        empty = "positive" if not len(high) else "negative"
        return Coefficient(None, len(high) + len(low), reason=f"no {empty} item")
    ranks = scipy_stats.rankdata(np.concatenate((high, low)))
    wins = float(ranks[: len(high)].sum()) - len(high) * (len(high) + 1) / 2
    return Coefficient(wins / (len(high) * len(low)), len(high) + len(low))


def _scores(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(
            f"{name}: need a one-dimensional array without missing values, got shape {array.shape}"
        )
    return array
