"""How stable a ranking is when other items had been asked."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proofreel.stats._arrays import Floats, check_level, matrix
from proofreel.stats.bootstrap import bootstrap_means


@dataclass(frozen=True)
class RankRow:
    """One system's place.

    Attributes:
        score: mean over the items.
        rank: place on all items, 1 is best; ties share the best rank.
        rank_low: lower end of the rank interval (better place).
        rank_high: upper end of the rank interval.
        p_first: share of resamples with rank 1, ties included; so the shares can sum to more than 1.
        p_top3: share of resamples with rank 3 or better.
    """

    score: float
    rank: int
    rank_low: float
    rank_high: float
    p_first: float
    p_top3: float


@dataclass(frozen=True)
class RankStability:
    """Rank rows in the order of the input and the mean agreement with the full ranking.

    Attributes:
        rows: one per system.
        tau_b: mean Kendall tau-b between a resample's scores and the full scores; None when undefined.
        tau_defined: resamples in which tau-b is defined (not all systems tied).
        resamples: number of resamples.
        reason: why tau_b is None.
    """

    rows: tuple[RankRow, ...]
    tau_b: float | None
    tau_defined: int
    resamples: int
    reason: str | None = None


def rank_stability(
    scores: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> RankStability:
    """Rank interval, P(rank 1), P(top 3) and Kendall's tau-b over bootstrap resamples.

    Args:
        scores: [K, N]: K systems on the same N items; average over methods first where a system has several.
        clusters: [N] labels to draw whole videos; None draws items, as AgentVidBench does.
        level: of the rank interval, in (0, 1).
        resamples: number of resamples.
        seed: of the draw.

    Raises:
        ValueError: fewer than two systems, missing values, wrong shapes.
    """
    check_level(level)
    rows = matrix(scores, "scores")
    if len(rows) < 2:
        raise ValueError("scores: need at least two systems to rank")
    means = bootstrap_means(rows, clusters, resamples, seed)
    full = np.round(rows.mean(axis=1), 12)
    ranks, taus = _ranks_and_tau_b(means, full)
    low, high = np.quantile(ranks, ((1 - level) / 2, (1 + level) / 2), axis=1)
    defined = taus[~np.isnan(taus)]
    places = 1 + (full[None, :] > full[:, None]).sum(axis=1)
    return RankStability(
        rows=tuple(
            RankRow(
                score=float(full[k]),
                rank=int(places[k]),
                rank_low=float(low[k]),
                rank_high=float(high[k]),
                p_first=float((ranks[k] == 1).mean()),
                p_top3=float((ranks[k] <= 3).mean()),
            )
            for k in range(len(rows))
        ),
        tau_b=float(defined.mean()) if len(defined) else None,
        tau_defined=len(defined),
        resamples=resamples,
        reason=None if len(defined) else "all systems have the same score",
    )


def _ranks_and_tau_b(draws: Floats, reference: Floats) -> tuple[NDArray[np.int16], Floats]:
    """Ranks [K, B] of the draws [B, K] (1 is best, ties share the best) and tau-b of each draw with reference [K].

    One pass over the pairs of systems serves both. tau-b is NaN where a side is constant.
    """
    columns = np.ascontiguousarray(draws.T)
    ranks = np.ones(columns.shape, dtype=np.int16)
    concordance = np.zeros(len(draws), dtype=np.int32)
    untied = np.zeros(len(draws), dtype=np.int32)
    pairs_of_reference = 0
    for i in range(len(reference)):
        for j in range(i + 1, len(reference)):
            above, below = columns[i] > columns[j], columns[i] < columns[j]
            ranks[i] += below
            ranks[j] += above
            untied += above
            untied += below
            if reference[i] == reference[j]:
                continue
            pairs_of_reference += 1
            agreeing, opposed = (above, below) if reference[i] > reference[j] else (below, above)
            concordance += agreeing
            concordance -= opposed
    with np.errstate(divide="ignore", invalid="ignore"):
        taus: Floats = concordance / np.sqrt(untied.astype(np.float64) * pairs_of_reference)
    return ranks, taus
