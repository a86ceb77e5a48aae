import numpy as np
import pytest

from proofreel.stats import judge_corrected


def made() -> tuple[np.ndarray, np.ndarray]:
    # 20 rated: 8 right-right, 2 judge only, 0 human only, 10 wrong-wrong. 80 unrated: the judge calls 48 right.
    judge = np.r_[np.ones(8), np.ones(2), np.zeros(10), np.ones(48), np.zeros(32)]
    human = np.r_[np.ones(8), np.zeros(12), np.full(80, np.nan)]
    return judge, human


def test_rate_by_hand() -> None:
    got = judge_corrected(*made())
    assert (got.items, got.rated, got.false_right, got.false_wrong) == (100, 20, 2, 0)
    # Padded table over 22: wrong-wrong 10.5, false right 2.5, false wrong 0.5, right-right 8.5.
    human, judge = 9 / 22, 11 / 22
    covariance = 8.5 / 22 - human * judge
    weight = covariance / (judge * (1 - judge) * (1 + 20 / 80))
    assert got.weight == pytest.approx(weight)
    assert got.rate == pytest.approx(8 / 20 + weight * (48 / 80 - 10 / 20))
    assert got.judge_rate == pytest.approx(0.58)
    assert got.rate in got.interval


def test_faultless_subset_keeps_width() -> None:
    judge = np.tile([1.0, 0.0], 100)
    human = np.full(200, np.nan)
    human[:20] = judge[:20]
    got = judge_corrected(judge, human)
    assert got.rate == pytest.approx(0.5)
    # Twenty faultless ratings leave up to 14 % judge error open (rule of three): the interval must say so.
    assert got.interval.high - got.interval.low > 0.15


def test_useless_judge_gets_no_weight() -> None:
    human = np.r_[np.tile([1.0, 0.0], 20), np.full(60, np.nan)]
    judge = np.r_[np.tile([0.0, 1.0], 20), np.ones(60)]
    got = judge_corrected(judge, human)
    assert got.weight == 0 and got.rate == 0.5


def test_all_rated_is_the_human_mean() -> None:
    human = np.tile([1.0, 0.0, 0.0, 1.0], 10)
    got = judge_corrected(np.ones(40), human)
    assert got.rate == 0.5 and got.weight == 0


def test_clusters_widen() -> None:
    rng = np.random.default_rng(15)
    truth = np.repeat((rng.random(40) < 0.5).astype(float), 5)
    human = np.where(np.repeat(rng.random(40) < 0.4, 5), truth, np.nan)
    plain = judge_corrected(truth, human).interval
    clustered = judge_corrected(truth, human, np.repeat(np.arange(40), 5)).interval
    assert clustered.high - clustered.low > 1.3 * (plain.high - plain.low)


def test_refused() -> None:
    judge, human = made()
    with pytest.raises(ValueError, match="at least 10"):
        judge_corrected(judge, np.r_[human[:5], np.full(95, np.nan)])
    with pytest.raises(ValueError, match="same items"):
        judge_corrected(judge[:-1], human)
