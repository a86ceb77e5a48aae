"""Accuracy by a judge that errs, corrected with a small human-rated subset."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proofreel.stats._arrays import Floats, Ints, binary, check_level, codes, group_sums, same_length
from proofreel.stats._special import t_quantile
from proofreel.stats.wilson import Interval, score_interval

_PSEUDO = 0.5  # added to each cell of the judge-by-human table, for the variance only
_LEAST_RATED = 10


@dataclass(frozen=True)
class JudgeCorrected:
    """Accuracy a human would have given.

    Attributes:
        rate: corrected accuracy, in [0, 1].
        interval: for it; carries the judge's error and the sampling of items.
        judge_rate: what the judge alone says of all items.
        weight: trust in the judge, 0 (human ratings alone) to 1.
        items: N.
        rated: items with a human rating.
        false_right: rated items the judge called right and the human wrong.
        false_wrong: rated items the judge called wrong and the human right.
    """

    rate: float
    interval: Interval
    judge_rate: float
    weight: float
    items: int
    rated: int
    false_right: int
    false_wrong: int


def judge_corrected(
    judge: ArrayLike, human: ArrayLike, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> JudgeCorrected:
    """Prediction-powered interval: mean human rating, plus what the judge adds on the items no human rated.

    rate = mean(human) + weight * (mean(judge on unrated) - mean(judge on rated)); the rated items must be a random
    subset. The weight minimises the variance. Half a count in each cell of the judge-by-human table keeps the
    variance honest when the subset shows no judge error; the interval is Wilson's on the effective sample size that
    the variance amounts to, with Student's t on the rated clusters.

    Args:
        judge: [N] of 0 and 1, the judge's verdict on every item.
        human: [N] of 0, 1 and NaN or None where no human rated.
        clusters: [N] labels, the video of each item; None takes items as independent.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: lengths that differ, other values, or fewer than 10 rated items.

    Source: A. N. Angelopoulos et al., Science 382 (2023), and the tuned weight of their PPI++ (2023); the half
    counts follow A. Agresti and Y. Min, Statistics in Medicine 24 (2005).
    """
    check_level(level)
    verdict = binary(judge, "judge")
    truth = binary(human, "human", missing=True)
    same_length(verdict, truth, "judge and human")
    groups = codes(clusters, len(verdict))
    rated = ~np.isnan(truth)
    count = int(rated.sum())
    if count < _LEAST_RATED:
        raise ValueError(f"human: {count} items are rated; a correction needs at least {_LEAST_RATED}")
    seen, said = truth[rated], verdict[rated]
    table = np.array([[((seen == h) & (said == j)).sum() for j in (0, 1)] for h in (0, 1)], dtype=np.float64)

    padded = (table + _PSEUDO) / (count + 4 * _PSEUDO)
    human_mean, judge_mean = padded[1].sum(), padded[:, 1].sum()
    covariance = float(padded[1, 1] - human_mean * judge_mean)
    variance_human = float(human_mean * (1 - human_mean))
    variance_judge = float(judge_mean * (1 - judge_mean))
    unrated = len(verdict) - count
    weight = 0.0
    if unrated:
        weight = min(1.0, max(0.0, covariance / (variance_judge * (1 + count / unrated))))
    rate = float(seen.mean())
    variance = variance_human / count
    if weight:
        rate += weight * float(verdict[~rated].mean() - said.mean())
        variance = (variance_human - 2 * weight * covariance + weight**2 * variance_judge) / count
        variance += weight**2 * variance_judge / unrated
    rate = min(1.0, max(0.0, rate))
    variance *= _clustering(verdict, truth, rated, groups, weight)

    centre = min(1 - 1 / (2 * count), max(1 / (2 * count), rate))
    effective = centre * (1 - centre) / variance
    df = len(np.unique(groups[rated])) - 1
    interval = score_interval(rate, effective, t_quantile(0.5 + level / 2, max(1, df)))
    return JudgeCorrected(
        rate=rate,
        interval=interval,
        judge_rate=float(verdict.mean()),
        weight=weight,
        items=len(verdict),
        rated=count,
        false_right=int(table[0, 1]),
        false_wrong=int(table[1, 0]),
    )


def _clustering(
    verdict: Floats, truth: Floats, rated: NDArray[np.bool_], groups: Ints, weight: float
) -> float:
    """How much clustering inflates the variance of the estimate: cluster-robust over independent, at least 1."""
    share = np.zeros(len(verdict))
    residual = truth[rated] - weight * verdict[rated]
    share[rated] = (residual - residual.mean()) / rated.sum()
    if weight:
        share[~rated] = weight * (verdict[~rated] - verdict[~rated].mean()) / (~rated).sum()
    independent = float((share**2).sum())
    if independent == 0:
        return 1.0
    return max(1.0, float((group_sums(share, groups) ** 2).sum()) / independent)
