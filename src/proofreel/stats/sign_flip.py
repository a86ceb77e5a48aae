"""Sign-flip permutation test: which system is which is exchanged for whole videos."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import Floats, codes, group_sums, same_length, vector

_EXACT_RANGE = 100_000  # largest sum of absolute cluster differences counted exactly
_BATCH = 1_000_000  # random signs held at once


@dataclass(frozen=True)
class SignFlip:
    """Two-sided test that a and b could exchange their names video by video.

    Attributes:
        difference: mean of a minus mean of b.
        p: two-sided p, in (0, 1].
        clusters: clusters in all.
        informative: clusters whose difference is not zero; with k of them p cannot fall below 2^(1-k).
        exact: whether every sign assignment was counted; otherwise `draws` random ones.
        draws: random assignments, 0 when exact.
    """

    difference: float
    p: float
    clusters: int
    informative: int
    exact: bool
    draws: int


def sign_flip_test(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> SignFlip:
    """Paired permutation test that holds its level on clustered items, however strong the correlation.

    The statistic is the sum of differences; the sign of each cluster's sum is flipped. For whole-number sums (right
    or wrong answers) the null distribution is counted exactly by convolution, no seed needed; otherwise random signs.

    Args:
        a: [N] scores of the first system.
        b: [N] scores of the second, same items in the same order.
        clusters: [N] labels, the video of each item; None flips items (for 0/1 scores: McNemar's exact test).
        draws: random assignments when counting is not possible.
        seed: of the random assignments.

    Raises:
        ValueError: missing values, lengths that differ, fewer than one draw.
    """
    first, second = vector(a, "a"), vector(b, "b")
    same_length(first, second, "a and b")
    if draws < 1:
        raise ValueError(f"draws: need at least 1, got {draws}")
    groups = codes(clusters, len(first))
    sums = np.round(group_sums(first - second, groups), 12)
    count = len(sums)
    active = np.abs(sums[sums != 0])
    observed = abs(float(sums.sum()))
    whole = bool((active == np.round(active)).all()) and float(active.sum()) <= _EXACT_RANGE
    p = _counted(active, observed) if whole else _drawn(active, observed, draws, seed)
    return SignFlip(
        difference=float(first.mean() - second.mean()),
        p=p,
        clusters=count,
        informative=len(active),
        exact=whole,
        draws=0 if whole else draws,
    )


def _counted(steps: Floats, observed: float) -> float:
    """Exact P(|sum of steps with fair signs| >= observed) for whole steps."""
    reach = int(steps.sum())
    chance = np.zeros(2 * reach + 1)  # index = sum + reach
    chance[reach] = 1.0
    for step in steps.astype(np.int64):
        moved = np.zeros_like(chance)
        moved[step:] += chance[: len(chance) - step]
        moved[: len(chance) - step] += chance[step:]
        chance = moved / 2
    value = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chance[value >= round(observed)].sum()))


def _drawn(steps: Floats, observed: float, draws: int, seed: int) -> float:
    """Monte Carlo p; the observed assignment is counted among the draws, so p is never zero."""
    rng = np.random.default_rng(seed)
    at_least, left = 0, draws
    while left:
        size = min(left, max(1, _BATCH // max(1, len(steps))))
        signs = rng.integers(0, 2, size=(size, len(steps)), dtype=np.int8) * 2.0 - 1.0
        at_least += int((np.abs(signs @ steps) >= observed - 1e-9).sum())
        left -= size
    return (at_least + 1) / (draws + 1)
