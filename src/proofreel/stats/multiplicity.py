"""Correction for many tests."""

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import vector


def holm(p_values: ArrayLike) -> list[float]:
    """Holm's adjusted p values, in the order given; rejecting those below alpha keeps the family-wise error.

    Args:
        p_values: [M] in [0, 1]; holds under any dependence between the tests.

    Raises:
        ValueError: empty, missing, or outside [0, 1].

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    p = vector(p_values, "p_values")
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p_values: need numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
