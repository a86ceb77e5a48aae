import numpy as np
import pytest
from scipy import stats

from proofreel.stats import bootstrap_means, rank_stability


def test_against_scipy_on_the_same_resamples() -> None:
    rng = np.random.default_rng(11)
    scores = (rng.random((6, 40)) < np.linspace(0.4, 0.7, 6)[:, None]).astype(float)
    videos = rng.integers(0, 15, 40)
    got = rank_stability(scores, videos, resamples=300, seed=2)
    means = bootstrap_means(scores, videos, resamples=300, seed=2)
    ranks = np.array([stats.rankdata(-row, method="min") for row in means])
    taus = [stats.kendalltau(row, scores.mean(axis=1)).statistic for row in means]
    assert got.tau_b == pytest.approx(float(np.nanmean(taus)), abs=1e-9)
    assert [row.rank for row in got.rows] == stats.rankdata(
        -scores.mean(axis=1).round(12), method="min"
    ).tolist()
    for k, row in enumerate(got.rows):
        assert row.p_first == pytest.approx((ranks[:, k] == 1).mean())
        assert row.p_top3 == pytest.approx((ranks[:, k] <= 3).mean())
        low, high = np.quantile(ranks[:, k], (0.025, 0.975))
        assert (row.rank_low, row.rank_high) == pytest.approx((low, high))


def test_certain_ranking() -> None:
    got = rank_stability([[1] * 20, [0] * 20, [1] * 10 + [0] * 10], resamples=500)
    assert [row.rank for row in got.rows] == [1, 3, 2]
    assert got.rows[0].p_first == 1.0 and got.rows[1].p_first == 0.0
    assert got.tau_b == pytest.approx(1.0, abs=0.01)


def test_ties_share_the_best_rank() -> None:
    got = rank_stability([[1, 0, 1, 0]] * 3, resamples=100)
    assert all(row.rank == 1 and row.p_first == 1.0 for row in got.rows)
    assert got.tau_b is None and got.reason is not None and got.tau_defined == 0


def test_refused() -> None:
    with pytest.raises(ValueError, match="two systems"):
        rank_stability([[1, 0]])
    with pytest.raises(ValueError, match="missing"):
        rank_stability([[1, np.nan], [0, 1]])
