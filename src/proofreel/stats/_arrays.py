"""Checked arrays: every public function turns its input into one of these or says what is wrong with it."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def vector(values: ArrayLike, name: str, *, missing: bool = False) -> Floats:
    """One-dimensional float array; NaN and None are refused unless `missing`.

    Raises:
        ValueError: wrong shape, empty, infinite, or missing values where none may be.
    """
    array = _floats(values, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name}: need a non-empty one-dimensional array, got shape {array.shape}")
    return _finite(array, name, missing)


def matrix(values: ArrayLike, name: str) -> Floats:
    """Two-dimensional finite float array.

    Raises:
        ValueError: wrong shape, empty, or any value missing.
    """
    array = _floats(values, name)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name}: need a non-empty two-dimensional array, got shape {array.shape}")
    return _finite(array, name, missing=False)


def binary(values: ArrayLike, name: str, *, missing: bool = False) -> Floats:
    """As `vector`, holding only 0 and 1 (and NaN where `missing`)."""
    array = vector(values, name, missing=missing)
    known = array[~np.isnan(array)]
    if not np.isin(known, (0.0, 1.0)).all():
        odd = known[~np.isin(known, (0.0, 1.0))][0]
        raise ValueError(f"{name}: need only 0 and 1, got {odd:g}; use mean_interval for graded scores")
    return array


def same_length(first: Floats, second: Floats, names: str) -> None:
    """Refuse paired arrays of different length."""
    if len(first) != len(second):
        raise ValueError(
            f"{names}: need the same items in the same order, got {len(first)} and {len(second)}"
        )


def codes(clusters: Iterable[Hashable] | None, items: int) -> Ints:
    """Cluster number 0..C-1 of each item, by first appearance; without clusters each item is its own.

    Raises:
        ValueError: another number of labels than items, or a missing label.
    """
    if clusters is None:
        return np.arange(items, dtype=np.int64)
    if isinstance(clusters, np.ndarray) and clusters.ndim == 1 and clusters.dtype.kind in "iu":
        if len(clusters) != items:
            raise ValueError(f"clusters: need one label for each of {items} items, got {len(clusters)}")
        _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
        place = np.empty(len(first), dtype=np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        return place[inverse]
    seen: dict[Hashable, int] = {}
    out = []
    for label in clusters:
        key = label.item() if isinstance(label, np.generic) else label
        if key is None or key != key:
            raise ValueError("clusters: a label is missing; every item needs the video it belongs to")
        out.append(seen.setdefault(key, len(seen)))
    if len(out) != items:
        raise ValueError(f"clusters: need one label for each of {items} items, got {len(out)}")
    return np.array(out, dtype=np.int64)


def group_sums(values: Floats, groups: Ints) -> Floats:
    """Sum of `values` [N] within each group [C]."""
    return np.bincount(groups, weights=values).astype(np.float64)


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level: need a number between 0 and 1, got {level}")


def _floats(values: ArrayLike, name: str) -> Floats:
    raw: Any = values
    try:
        return np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: need numbers in rows of equal length: {error}") from None


def _finite(array: Floats, name: str, missing: bool) -> Floats:
    bad = np.isinf(array) if missing else ~np.isfinite(array)
    if bad.any():
        what = "infinite" if missing else "missing or infinite"
        raise ValueError(
            f"{name}: {int(bad.sum())} of {array.size} values are {what}; drop them openly or use missing_bounds"
        )
    return array
