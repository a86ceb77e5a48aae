import pytest
from scipy import stats

from proofreel.stats import mcnemar, minimum_detectable_difference, paired_power, required_items


def exact_power(difference: float, items: int, discordance: float) -> float:
    """Power of McNemar's exact test, summed over every outcome."""
    share = (discordance + difference) / (2 * discordance)
    total = 0.0
    for differing in range(items + 1):
        chance = stats.binom.pmf(differing, items, discordance)
        if chance < 1e-12:
            continue
        rejected = [k for k in range(differing + 1) if mcnemar(k, differing - k).exact_p < 0.05]
        total += chance * stats.binom.pmf(rejected, differing, share).sum()
    return float(total)


@pytest.mark.parametrize(
    ("difference", "items", "discordance"), [(0.15, 100, 0.3), (0.1, 500, 0.35), (0.05, 500, 0.2)]
)
def test_power_near_the_exact_test(difference: float, items: int, discordance: float) -> None:
    exact = exact_power(difference, items, discordance)
    approximate = paired_power(difference, items, discordance)
    assert exact - 0.005 <= approximate <= exact + 0.09  # the exact test is the more careful one


def test_no_difference_is_found_at_the_level() -> None:
    assert paired_power(0.0, 200, 0.3) == pytest.approx(0.05)


def test_by_hand() -> None:
    # (1.959964 sqrt(0.3) + 0.841621 sqrt(0.2775))^2 / 0.0225 = 2.3005 / 0.0225 = 102.25
    assert required_items(0.15, 0.3) == 103
    assert required_items(0.15, 0.3, deff=2) == 205


def test_the_three_agree() -> None:
    found = minimum_detectable_difference(300, 0.3, deff=1.5)
    assert found.value is not None and found.effective == 200
    assert paired_power(found.value, 300, 0.3, 1.5) == pytest.approx(0.8, abs=1e-9)
    assert required_items(found.value, 0.3, 1.5) == pytest.approx(300, abs=1)


def test_too_few_items_say_so() -> None:
    found = minimum_detectable_difference(20, 0.1)
    assert found.value is None and found.reason is not None


@pytest.mark.parametrize("bad", [{"items": 0}, {"discordance": 0}, {"deff": 0.5}, {"power": 0.01}])
def test_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="need"):
        minimum_detectable_difference(**({"items": 100, "discordance": 0.3} | bad))  # type: ignore[arg-type]
