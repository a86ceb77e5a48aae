"""How much questions on the same video are worth less than questions on different videos."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proofreel.stats._arrays import Floats, Ints, binary, codes, group_sums

# Chosen by simulation (python -m benchmarks_perf.stats_coverage); the reasons are in docs/statistics.md.
PRIOR_ICC = 0.5  # what the correlation is taken to be before any item of the rarer outcome was seen
PRIOR_ITEMS = 1.0  # the weight of that prior, in expected items of the rarer outcome
TAIL_GUARD = 2.0  # the spread of the correlation estimate is measured on few clusters and comes out too small


@dataclass(frozen=True)
class DesignEffect:
    """Correlation within clusters and what it does to the sample size.

    Attributes:
        items: N.
        clusters: C, 1 <= C <= N.
        icc: correlation of two items of one cluster, shrunken, in [0, 1]; None when no cluster has two items.
        deff: variance of the accuracy over its variance with independent items, >= 1.
        effective: N / deff.
        df: degrees of freedom of the deff estimate; infinite when deff is known (no repeated cluster).
    """

    items: int
    clusters: int
    icc: float | None
    deff: float
    effective: float
    df: float


def design_effect(correct: ArrayLike, clusters: Iterable[Hashable]) -> DesignEffect:
    """Design effect of an accuracy on clustered items, usable near 0 and 1.

    deff = 1 + (K - 1) icc with K = sum(m^2) / N over cluster sizes m: exact for equally correlated items.
    The moment estimate of icc (mean product of residuals over pairs in one cluster) rests on the few right answers
    when accuracy is near 0 and on the few wrong ones near 1, and is then about zero by default; so it is shrunken
    towards `PRIOR_ICC` with the weight of `PRIOR_ITEMS` such items. The degrees of freedom compare deff with the
    spread of the cluster contributions to it: few clusters that carry all the correlation give few.

    Args:
        correct: [N] of 0 and 1.
        clusters: [N] labels, the video of each item.

    Raises:
        ValueError: missing or non-binary values, lengths that differ, or one cluster only with several items.
    """
    right = binary(correct, "correct")
    return of_groups(right, codes(clusters, len(right)))


def of_groups(right: Floats, groups: Ints) -> DesignEffect:
    """`design_effect` of checked arrays: answers [N] and cluster numbers [N] from 0 without gaps."""
    total = len(right)
    size = group_sums(np.ones(total), groups)
    kish = float((size**2).sum()) / total
    if len(size) == total:
        return DesignEffect(total, total, None, 1.0, float(total), float("inf"))
    if len(size) == 1:
        raise ValueError(
            f"clusters: all {total} items share one video, so their correlation cannot be estimated"
        )

    rate = float(right.mean())
    residual = group_sums(right - rate, groups)
    own = group_sums((right - rate) ** 2, groups)
    products = residual**2 - own  # [C] sum over ordered pairs of different items of one cluster
    safe = float(right.sum() + 0.5) / (total + 1)  # a variance that is never zero
    variance = safe * (1 - safe)

    # Residuals are taken from the estimated mean: the expectation of sum(products) is
    # variance * (pairs * icc - (K - 1)), with the pairs lessened by what the largest clusters pull the mean.
    all_pairs = total * (kish - 1)
    third = float((size**3).sum()) / total
    pairs = max(all_pairs - 2 * (third - kish) + kish * kish - 1, all_pairs / 2)
    raw = (float(products.sum()) / variance + kish - 1) / pairs

    information = total * variance
    trust = information / (information + PRIOR_ITEMS)
    icc = min(1.0, max(0.0, trust * raw + (1 - trust) * PRIOR_ICC))
    deff = 1 + (kish - 1) * icc

    spread = TAIL_GUARD * float((products**2).sum()) * (trust * all_pairs / pairs) ** 2
    between = (deff - 1) / deff
    inverse_df = spread / (2 * (information * deff) ** 2) + between**2 / (len(size) - 1)
    df = max(1.0, 1 / inverse_df) if inverse_df > 0 else float("inf")
    return DesignEffect(total, len(size), icc, deff, total / deff, df)
