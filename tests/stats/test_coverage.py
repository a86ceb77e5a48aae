"""Small simulations with fixed seeds; the full tables: python -m benchmarks_perf.stats_coverage."""

import numpy as np
import pytest
from benchmarks_perf._clusters import answers, cluster_rates, cluster_sizes

from proofreel.stats import (
    accuracy_interval,
    bootstrap_means,
    judge_corrected,
    mcnemar,
    mean_interval,
    sign_flip_test,
    wilson,
)

# 1500 repetitions: standard error of a share of 95 % is 0.56 points.
REPS = 1500


@pytest.mark.parametrize("design", [(100, 71), (500, 138)])
@pytest.mark.parametrize("rate", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("icc", [0.0, 0.25, 0.5])
def test_headline_holds_its_level(design: tuple[int, int], rate: float, icc: float) -> None:
    items, videos = design
    groups = np.repeat(np.arange(videos), cluster_sizes(items, videos, 1.0, seed=5))
    rng = np.random.default_rng(21)
    hits = 0
    for _ in range(REPS):
        interval = accuracy_interval(
            answers(cluster_rates(rate, icc, videos, rng), groups, rng), groups
        ).interval
        assert interval is not None
        hits += rate in interval
    assert 0.925 <= hits / REPS <= 0.985


def test_plain_wilson_does_not() -> None:
    groups = np.repeat(np.arange(138), cluster_sizes(500, 138, 1.0, seed=5))
    rng = np.random.default_rng(22)
    hits = sum(
        0.5 in wilson(float(answers(cluster_rates(0.5, 0.5, 138, rng), groups, rng).sum()), 500)
        for _ in range(500)
    )
    assert hits / 500 < 0.82


@pytest.mark.parametrize("rate", [0.02, 0.98])
def test_bootstrap_alone_is_too_narrow_at_the_ends(rate: float) -> None:
    groups = np.repeat(np.arange(71), cluster_sizes(100, 71, 1.0, seed=5))
    rng = np.random.default_rng(23)
    data = np.stack([answers(cluster_rates(rate, 0.1, 71, rng), groups, rng) for _ in range(REPS)])
    for clusters in (None, groups):
        low, high = np.quantile(bootstrap_means(data, clusters, 600), (0.025, 0.975), axis=0)
        covered = ((low <= rate + 1e-9) & (rate - 1e-9 <= high)).mean()
        assert 0.75 < covered < 0.91


@pytest.mark.parametrize(("items", "videos", "icc"), [(100, 10, 0.5), (100, 20, 0.5), (500, 25, 0.2)])
def test_sign_flip_holds_where_mcnemar_does_not(items: int, videos: int, icc: float) -> None:
    groups = np.repeat(np.arange(videos), cluster_sizes(items, videos, 1.0, seed=5))
    rng = np.random.default_rng(24)
    plain = flipped = 0
    for _ in range(1000):
        a = answers(cluster_rates(0.5, icc, videos, rng), groups, rng)
        b = answers(cluster_rates(0.5, icc, videos, rng), groups, rng)
        plain += mcnemar(int((a > b).sum()), int((b > a).sum())).exact_p < 0.05
        flipped += sign_flip_test(a, b, groups).p < 0.05
    assert flipped / 1000 <= 0.05 + 2.5 * 0.0069  # five per cent and 2.5 standard errors
    assert plain / 1000 > 0.10


def test_sign_flip_has_power() -> None:
    groups = np.repeat(np.arange(71), cluster_sizes(100, 71, 1.0, seed=5))
    rng = np.random.default_rng(25)
    found = 0
    for _ in range(300):
        a = answers(np.full(71, 0.7), groups, rng)
        b = answers(np.full(71, 0.4), groups, rng)
        found += sign_flip_test(a, b, groups).p < 0.05
    assert found / 300 > 0.9


def test_judge_correction_covers_where_the_judge_does_not() -> None:
    rng = np.random.default_rng(26)
    mended = judge = 0
    width = subset_width = 0.0
    for _ in range(600):
        truth = (rng.random(500) < 0.3).astype(float)
        says = np.where(truth == 1, rng.random(500) < 0.9, rng.random(500) > 0.9)
        human = np.full(500, np.nan)
        chosen = rng.choice(500, 100, replace=False)
        human[chosen] = truth[chosen]
        got = judge_corrected(says, human)
        subset = wilson(float(truth[chosen].sum()), 100)
        mended += 0.3 in got.interval
        judge += 0.3 in wilson(float(says.sum()), 500)
        width += got.interval.high - got.interval.low
        subset_width += subset.high - subset.low
    assert 0.93 <= mended / 600 <= 0.985
    assert judge / 600 < 0.6
    assert width < 0.85 * subset_width


def test_mean_interval_covers_graded_scores() -> None:
    groups = np.repeat(np.arange(40), cluster_sizes(100, 40, 1.0, seed=5))
    rng = np.random.default_rng(27)
    hits = 0
    for _ in range(REPS):
        scores = 0.6 + 0.1 * rng.standard_normal(40)[groups] + 0.1 * rng.standard_normal(100)
        interval = mean_interval(scores, groups).interval
        assert interval is not None
        hits += 0.6 in interval
    assert 0.925 <= hits / REPS <= 0.97
