import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from proofreel.stats import holm, mcnemar, mcnemar_pooled, paired_bootstrap, permutation_test, sign_flip_test


@pytest.mark.parametrize(("a", "b"), [(1, 0), (3, 9), (15, 7), (120, 60), (8, 8)])
def test_mcnemar_against_statsmodels(a: int, b: int) -> None:
    got = mcnemar(a, b)
    table = [[5, a], [b, 7]]
    assert got.exact_p == pytest.approx(reference_mcnemar(table, exact=True).pvalue, abs=1e-12)
    chi = reference_mcnemar(table, exact=False, correction=True)
    assert (got.chi2_cc, got.chi2_cc_p) == pytest.approx((chi.statistic, chi.pvalue), abs=1e-12)


def test_mcnemar_ends() -> None:
    assert mcnemar(0, 0).exact_p == 1.0
    with pytest.raises(ValueError, match="whole"):
        mcnemar(-1, 2)


def test_pooled_sums_and_counts() -> None:
    # (0, 6): p = 2 / 64 = 0.031; (5, 5): p = 1. Pooled (5, 11): 2 * P(X <= 5 | 16) = 2 * 6885 / 65536.
    got = mcnemar_pooled([(0, 6), (5, 5)])
    assert (got.test.only_a, got.test.only_b, got.settings, got.settings_resolved) == (5, 11, 2, 1)
    assert got.test.exact_p == pytest.approx(2 * 6885 / 65536, abs=1e-12)


def test_sign_flip_without_clusters_is_mcnemar() -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.random((2, 120)) < [[0.6], [0.45]]).astype(float)
    expected = mcnemar(int((a > b).sum()), int((b > a).sum())).exact_p
    got = sign_flip_test(a, b)
    assert got.exact and got.p == pytest.approx(expected, abs=1e-12)


def test_sign_flip_against_enumeration() -> None:
    rng = np.random.default_rng(6)
    clusters = rng.integers(0, 9, 40)
    for score in (lambda: (rng.random(40) < 0.5).astype(float), lambda: rng.random(40)):
        a, b = score(), score()
        sums = np.array([(a - b)[clusters == c].sum() for c in np.unique(clusters)])
        signs = np.array(list(itertools.product((-1, 1), repeat=len(sums))))
        expected = (np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9).mean()
        got = sign_flip_test(a, b, clusters, draws=40_000)
        assert got.p == pytest.approx(expected, abs=1e-12 if got.exact else 0.01)
        assert got.clusters == len(sums)


def test_sign_flip_ends() -> None:
    same = sign_flip_test([1, 0, 1], [1, 0, 1])
    assert same.p == 1.0 and same.informative == 0
    # One video only, however many questions: nothing can be shown.
    assert sign_flip_test([1] * 10, [0] * 10, ["v"] * 10).p == 1.0
    with pytest.raises(ValueError, match="same items"):
        sign_flip_test([1, 0], [1])


def test_paired_bootstrap() -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.random((2, 100)) < [[0.6], [0.5]]).astype(float)
    got = paired_bootstrap(a, b)
    expected = stats.bootstrap(
        (a - b,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert got.difference == pytest.approx(a.mean() - b.mean())
    assert (got.interval.low, got.interval.high) == pytest.approx((expected.low, expected.high), abs=0.011)
    assert got.excludes_zero == (got.interval.low > 0 or got.interval.high < 0)
    assert paired_bootstrap(a, a).interval.low == paired_bootstrap(a, a).interval.high == 0.0


def test_paired_bootstrap_by_video_is_wider_when_videos_decide() -> None:
    a = np.repeat([1, 0, 1, 1, 0, 1, 0, 1, 1, 0], 10)
    b = np.repeat([0, 1, 1, 0, 0, 1, 1, 0, 1, 0], 10)
    videos = np.repeat(np.arange(10), 10)
    by_item, by_video = paired_bootstrap(a, b).interval, paired_bootstrap(a, b, videos).interval
    # Complete correlation in clusters of 10: standard error sqrt(10) times as large.
    assert (by_video.high - by_video.low) / (by_item.high - by_item.low) == pytest.approx(10**0.5, rel=0.12)


def test_permutation_against_scipy() -> None:
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=7), rng.normal(0.9, size=6)
    exact = stats.permutation_test(
        (first, second), lambda x, y: x.mean() - y.mean(), n_resamples=np.inf
    ).pvalue
    assert permutation_test(first, second, draws=40_000).p == pytest.approx(exact, abs=0.01)
    assert permutation_test([1.0, 1.0], [1.0]).p == 1.0


def test_holm_against_statsmodels() -> None:
    p = [0.04, 0.001, 0.03, 0.5, 0.01, 0.01]
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist(), abs=1e-12)
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.1, 1.2])
    with pytest.raises(ValueError, match="missing"):
        holm([0.1, float("nan")])
