"""Permutation test of two unpaired groups."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import vector


@dataclass(frozen=True)
class Permutation:
    """Two-sided test that two groups have the same distribution.

    Attributes:
        difference: mean of first minus mean of second.
        p: two-sided p, in (0, 1].
        draws: number of random relabellings.
    """

    difference: float
    p: float
    draws: int


def permutation_test(first: ArrayLike, second: ArrayLike, draws: int = 10_000, seed: int = 0) -> Permutation:
    """Difference of means of two unpaired groups of independent items, labels permuted.

    For two systems on the same items use `sign_flip_test`, which is paired and knows clusters.

    Args:
        first: [N] scores.
        second: [M] scores of other items.
        draws: random relabellings; the observed one is counted with them.
        seed: of the relabellings.

    Raises:
        ValueError: empty or missing values, fewer than one draw.
    """
    one, two = vector(first, "first"), vector(second, "second")
    if draws < 1:
        raise ValueError(f"draws: need at least 1, got {draws}")
    pooled = np.concatenate((one, two))
    rng = np.random.default_rng(seed)
    shuffled = rng.permuted(np.broadcast_to(pooled, (draws, len(pooled))), axis=1)
    sums = shuffled[:, : len(one)].sum(axis=1)
    means = sums / len(one) - (pooled.sum() - sums) / len(two)
    difference = float(one.mean() - two.mean())
    extreme = int((np.abs(means) >= abs(difference) - 1e-12).sum())
    return Permutation(difference, (extreme + 1) / (draws + 1), draws)
