import pytest

from proofreel.stats import wilson


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # R 4.x: prop.test(k, n, correct = FALSE)$conf.int, the Wilson interval, to four decimals.
        (15, 20, 0.5313, 0.8881),
        (0, 10, 0.0000, 0.2775),
        (10, 10, 0.7225, 1.0000),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_against_published_values(k: int, n: int, low: float, high: float) -> None:
    got = wilson(k, n)
    assert (got.low, got.high) == pytest.approx((low, high), abs=6e-5)


def test_by_hand_at_zero() -> None:
    # p = 0: the upper end is z^2 / (n + z^2), with z^2 = 3.841459.
    assert wilson(0, 10).high == pytest.approx(3.841459 / 13.841459, abs=1e-6)


@pytest.mark.parametrize("bad", [(1, 0, 0.95), (-1, 5, 0.95), (6, 5, 0.95), (1, 5, 1.0)])
def test_out_of_range(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="successes"):
        wilson(*bad)
