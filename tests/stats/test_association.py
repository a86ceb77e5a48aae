import numpy as np
import pytest
from scipy import stats

from proofreel.stats import kendall_tau_b, pearson, roc_auc, spearman

X = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
Y = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0]


def test_pearson_by_hand() -> None:
    # Deviations (-1, 0, 1) and (-1, 1, 0): r = 1 / 2; p from t = 1/sqrt(3) with one degree: 2/3.
    got = pearson([1, 2, 3], [1, 3, 2])
    assert got.value == pytest.approx(0.5) and got.p == pytest.approx(2 / 3, abs=1e-9)
    assert got.interval is None  # Fisher's interval needs four pairs


def test_pearson_interval_against_scipy() -> None:
    got, expected = pearson(X, Y), stats.pearsonr(X, Y)
    interval = expected.confidence_interval(0.95)
    assert got.p == pytest.approx(expected.pvalue)
    assert got.interval is not None
    assert (got.interval.low, got.interval.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_rank_correlations_by_hand() -> None:
    # Ranks 1 2 3 4 and 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = 0.8; five of six pairs agree: tau = 4 / 6.
    assert spearman([1, 2, 3, 4], [10, 30, 20, 40]).value == pytest.approx(0.8)
    assert kendall_tau_b([1, 2, 3, 4], [10, 30, 20, 40]).value == pytest.approx(4 / 6)
    # One tie in y: five untied pairs, all agreeing: 5 / sqrt(6 * 5).
    assert kendall_tau_b([1, 2, 3, 4], [1, 2, 2, 4]).value == pytest.approx(5 / 30**0.5)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall_tau_b])
def test_undefined_and_refused(measure) -> None:  # type: ignore[no-untyped-def]
    constant = measure([1, 1, 1], [1, 2, 3])
    assert constant.value is None and "same" in constant.reason
    assert measure([1], [2]).value is None
    with pytest.raises(ValueError, match="missing"):
        measure([1, np.nan, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="same items"):
        measure([1, 2], [1, 2, 3])


def test_auc_by_counting_pairs() -> None:
    # 3 beats both, 1 beats 0 and ties 1: (2 + 1.5) / 4.
    assert roc_auc([3, 1], [0, 1]).value == pytest.approx(3.5 / 4)
    rng = np.random.default_rng(12)
    high, low = rng.integers(0, 6, 40), rng.integers(0, 5, 30)
    expected = np.mean([(h > x) + 0.5 * (h == x) for h in high for x in low])
    assert roc_auc(high, low).value == pytest.approx(float(expected))


def test_auc_ends() -> None:
    assert roc_auc([1, 2], [0]).value == 1.0
    empty = roc_auc([], [0.5])
    assert empty.value is None and empty.reason == "no positive item"
    with pytest.raises(ValueError, match="missing"):
        roc_auc([np.nan], [0.5])
