import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from proofreel.stats import bootstrap_interval, bootstrap_intervals, bootstrap_means, clopper_pearson, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (98, 100), (137, 500)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_against_statsmodels(k: int, n: int, level: float) -> None:
    for ours, method in ((clopper_pearson, "beta"), (wilson, "wilson")):
        got = ours(k, n, level)
        expected = proportion_confint(k, n, alpha=1 - level, method=method)
        assert (got.low, got.high) == pytest.approx(expected, abs=1e-9)


def test_clopper_pearson_by_hand() -> None:
    # No success: the upper end solves (1 - p)^n = 0.025.
    assert clopper_pearson(0, 10).high == pytest.approx(1 - 0.025**0.1, abs=1e-12)
    with pytest.raises(ValueError, match="whole"):
        clopper_pearson(1.5, 10)  # type: ignore[arg-type]


def test_item_bootstrap_against_binomial() -> None:
    # Resampling 0/1 items is drawing a binomial: its quantiles are known.
    right = np.repeat([1, 0], [30, 70])
    got = bootstrap_interval(right, resamples=40_000)
    assert got.low == pytest.approx(stats.binom.ppf(0.025, 100, 0.3) / 100, abs=0.0101)
    assert got.high == pytest.approx(stats.binom.ppf(0.975, 100, 0.3) / 100, abs=0.0101)
    means = bootstrap_means(right[None, :], resamples=40_000)
    assert means.mean() == pytest.approx(0.3, abs=4 * 0.0458 / 200)
    assert means.std() == pytest.approx((0.3 * 0.7 / 100) ** 0.5, rel=0.02)


def test_cluster_bootstrap_against_enumeration() -> None:
    # Three videos of sizes 1, 2, 3: all 27 draws are equally likely, means are ratios of sums.
    values, videos = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]), np.array([0, 1, 1, 2, 2, 2])
    exact: dict[float, float] = {}
    for draw in np.ndindex(3, 3, 3):
        items = np.concatenate([values[videos == v] for v in draw])
        mean = round(float(items.mean()), 9)
        exact[mean] = exact.get(mean, 0) + 1 / 27
    means = bootstrap_means(values[None, :], videos, resamples=50_000)[:, 0].round(9)
    seen, counts = np.unique(means, return_counts=True)
    assert set(seen.tolist()) == set(exact)
    for mean, count in zip(seen, counts, strict=True):
        assert count / 50_000 == pytest.approx(exact[float(mean)], abs=0.01)


def test_rows_share_their_resamples() -> None:
    rows = np.random.default_rng(3).random((3, 20))
    rows[2] = 1 - rows[0]
    means = bootstrap_means(rows, np.repeat(np.arange(10), 2), resamples=200)
    assert means.shape == (200, 3)
    assert means[:, 0] + means[:, 2] == pytest.approx(np.ones(200), abs=1e-9)


def test_seed_and_rows() -> None:
    rows = (np.random.default_rng(4).random((5, 30)) < 0.4).astype(float)
    together = bootstrap_intervals(rows, resamples=500, seed=9)
    assert together == [bootstrap_interval(row, resamples=500, seed=9) for row in rows]
    assert together != bootstrap_intervals(rows, resamples=500, seed=10)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_percentiles_are_numpys(level: float) -> None:
    rows = np.random.default_rng(5).random((4, 30))
    means = bootstrap_means(rows, resamples=777)
    expected = np.quantile(means, ((1 - level) / 2, (1 + level) / 2), axis=0)
    got = bootstrap_intervals(rows, level=level, resamples=777)
    assert [interval.low for interval in got] == pytest.approx(expected[0].tolist(), abs=1e-12)
    assert [interval.high for interval in got] == pytest.approx(expected[1].tolist(), abs=1e-12)


def test_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap_interval([1, 0], resamples=0)
    with pytest.raises(ValueError, match="missing"):
        bootstrap_interval([1, np.nan])
    with pytest.raises(ValueError, match="equal length"):
        bootstrap_means([[1, 0], [1]])
