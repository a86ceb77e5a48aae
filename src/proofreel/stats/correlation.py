"""Correlation of two lists of numbers."""

from math import atanh, isnan, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from proofreel.stats._arrays import Floats, check_level, same_length, vector
from proofreel.stats._special import normal_quantile
from proofreel.stats.coefficient import Coefficient
from proofreel.stats.wilson import Interval


def pearson(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Coefficient:
    """Pearson's r with p and Fisher's z interval; pairs are taken as independent.

    Args:
        x: [N] numbers.
        y: [N] numbers, same items in the same order.
        level: of the interval, in (0, 1).

    Returns:
        value None when a side is constant or N < 2; p and interval None when N < 3 and N < 4.

    Raises:
        ValueError: missing values or lengths that differ.
    """
    check_level(level)
    first, second = _pair(x, y)
    if reason := _undefined(first, second):
        return Coefficient(None, len(first), reason=reason)
    found = scipy_stats.pearsonr(first, second)
    r = float(found.statistic)
    interval = None
    if len(first) > 3:
        half = normal_quantile(0.5 + level / 2) / sqrt(len(first) - 3)
        z = atanh(r) if abs(r) < 1 else None
        interval = Interval(r, r) if z is None else Interval(tanh(z - half), tanh(z + half))
    return Coefficient(r, len(first), float(found.pvalue) if len(first) > 2 else None, interval)


def spearman(x: ArrayLike, y: ArrayLike) -> Coefficient:
    """Spearman's rank correlation with p (Student's t).

    Args:
        x: [N] numbers.
        y: [N] numbers, same items in the same order.

    Returns:
        value None when a side is constant or N < 2; p None when N < 3.

    Raises:
        ValueError: missing values or lengths that differ.
    """
    first, second = _pair(x, y)
    if reason := _undefined(first, second):
        return Coefficient(None, len(first), reason=reason)
    found = scipy_stats.spearmanr(first, second)
    return Coefficient(float(found.statistic), len(first), float(found.pvalue) if len(first) > 2 else None)


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> Coefficient:
    """Kendall's tau-b (ties corrected) with p.

    Args:
        x: [N] numbers.
        y: [N] numbers, same items in the same order.

    Returns:
        value None when a side is constant or N < 2.

    Raises:
        ValueError: missing values or lengths that differ.
    """
    first, second = _pair(x, y)
    if reason := _undefined(first, second):
        return Coefficient(None, len(first), reason=reason)
    found = scipy_stats.kendalltau(first, second, variant="b")
    p = float(found.pvalue)
    return Coefficient(float(found.statistic), len(first), None if isnan(p) else p)


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = vector(x, "x"), vector(y, "y")
    same_length(first, second, "x and y")
    return first, second


def _undefined(first: Floats, second: Floats) -> str | None:
    if len(first) < 2:
        return "fewer than two pairs"
    for name, values in (("x", first), ("y", second)):
        if np.ptp(values) == 0:
            return f"all values of {name} are the same"
    return None
