import math

import numpy as np
import pytest

from proofreel.stats import (
    accuracy_interval,
    accuracy_summary,
    design_effect,
    mean_interval,
    missing_bounds,
    wilson,
)


def test_no_repeated_video_is_wilson() -> None:
    right = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    expected = wilson(6, 10)
    for clusters in (None, list("abcdefghij")):
        got = accuracy_interval(right, clusters)
        assert got.rate == 0.6 and got.right == 6
        assert got.interval is not None
        assert (got.interval.low, got.interval.high) == pytest.approx(
            (expected.low, expected.high), abs=1e-12
        )


def test_complete_correlation_is_close_to_one_answer_a_video() -> None:
    # 60 videos, 4 questions each, all four right or all four wrong: 240 answers worth 60.
    per_video = [1, 0] * 30
    right = np.repeat(per_video, 4)
    found = design_effect(right, np.repeat(np.arange(60), 4))
    assert found.icc == pytest.approx(1.0, abs=0.03)
    assert found.deff == pytest.approx(4.0, abs=0.1)
    assert found.effective == pytest.approx(60, rel=0.03)


def test_icc_against_hand_calculation() -> None:
    # Four videos of two questions: 11, 00, 10, 10. p = 1/2, residuals +-1/2. Sum over ordered pairs: four times
    # 1/4 for each of the alike videos... = (+1/2, +1/2, -1/2, -1/2) = 0; K = 2, K3 = 4, N = 8.
    right, videos = [1, 1, 0, 0, 1, 0, 1, 0], [0, 0, 1, 1, 2, 2, 3, 3]
    variance = 0.25  # (4 + 1/2) / 9 = 1/2
    pairs = 8 - 2 * (4 - 2) + 4 - 1  # 7
    raw = (0 / variance + 1) / pairs
    trust = 2 / 3  # 8 * 1/4 expected items against the prior's one
    found = design_effect(right, videos)
    assert found.icc == pytest.approx(trust * raw + (1 - trust) * 0.5)
    assert found.deff == pytest.approx(1 + found.icc)
    assert found.clusters == 4 and found.items == 8


@pytest.mark.parametrize("value", [0, 1])
def test_all_alike_has_width(value: int) -> None:
    clusters = np.repeat(np.arange(20), 5)
    got = accuracy_interval([value] * 100, clusters)
    plain = wilson(100 * value, 100)
    assert got.interval is not None
    assert value in got.interval
    assert got.interval.high - got.interval.low > 1.2 * (plain.high - plain.low)  # prior correlation counts


def test_mirror() -> None:
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, 30, 100)
    right = (rng.random(100) < 0.1).astype(float)
    one, other = accuracy_interval(right, clusters).interval, accuracy_interval(1 - right, clusters).interval
    assert one is not None and other is not None
    assert one.low == pytest.approx(1 - other.high, abs=1e-12) and one.high == pytest.approx(
        1 - other.low, abs=1e-12
    )


def test_order_and_names_of_videos_do_not_matter() -> None:
    rng = np.random.default_rng(2)
    clusters = rng.integers(0, 30, 100)
    right = (rng.random(100) < 0.4).astype(float)
    order = rng.permutation(100)
    a = accuracy_interval(right, clusters).interval
    b = accuracy_interval(right[order], [f"v{c}" for c in clusters[order]]).interval
    assert a is not None and b is not None
    assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-12)


def test_one_video_says_why() -> None:
    got = accuracy_interval([1, 0, 1], ["v", "v", "v"])
    assert got.interval is None and got.rate == pytest.approx(2 / 3)
    assert got.reason is not None and "one video" in got.reason


@pytest.mark.parametrize(
    ("right", "clusters", "message"),
    [
        ([], None, "non-empty"),
        ([1, math.nan], None, "missing"),
        ([1, None], None, "missing"),
        ([1, 0.5], None, "only 0 and 1"),
        ([1, 0], ["a"], "label"),
        ([1, 0], ["a", None], "label is missing"),
        ([[1, 0]], None, "one-dimensional"),
    ],
)
def test_bad_input(right: list[float], clusters: list[str] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        accuracy_interval(right, clusters)


def test_summary_puts_bootstraps_beside() -> None:
    clusters = np.repeat(np.arange(25), 4)
    right = np.repeat([1, 0, 0, 1, 0], 20)
    got = accuracy_summary(right, clusters, resamples=2000)
    assert got.by_item is not None and got.by_cluster is not None and got.interval is not None
    # Complete correlation: drawing videos is about twice as wide as drawing questions.
    ratio = (got.by_cluster.high - got.by_cluster.low) / (got.by_item.high - got.by_item.low)
    assert ratio == pytest.approx(2.0, rel=0.15)


def test_mean_interval_by_hand() -> None:
    # Clusters (1, 3) and (5, 7): mean 4, residual sums -4 and 4; se = sqrt(2/1 * 32) / 4 = 2; t(0.975, 1) = 12.7062.
    got = mean_interval([1, 3, 5, 7], ["a", "a", "b", "b"])
    assert got.value == 4 and got.error == pytest.approx(2.0)
    assert got.interval is not None
    assert got.interval.high == pytest.approx(4 + 2 * 12.7062047, abs=1e-5)


def test_mean_interval_without_clusters_is_the_t_interval() -> None:
    from scipy import stats

    values = np.random.default_rng(3).normal(size=40)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    got = mean_interval(values).interval
    assert got is not None
    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert mean_interval([1, 2], ["a", "a"]).interval is None


def test_missing_bounds() -> None:
    got = missing_bounds([1, 1, 0, None, math.nan])
    assert (got.items, got.missing) == (5, 2)
    assert got.observed == pytest.approx(2 / 3)
    assert (got.worst.rate, got.best.rate) == pytest.approx((0.4, 0.8))
    assert got.interval is not None
    assert (got.interval.low, got.interval.high) == pytest.approx(
        (wilson(2, 5).low, wilson(4, 5).high), abs=1e-12
    )
    assert missing_bounds([None, None]).observed is None
