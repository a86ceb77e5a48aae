"""What difference between two systems a set of items can show."""

from dataclasses import dataclass
from math import ceil, sqrt

from proofreel.stats._special import normal_cdf, normal_quantile


@dataclass(frozen=True)
class DetectableDifference:
    """Smallest true difference of accuracies found with the wanted power.

    Attributes:
        value: in (0, discordance]; None when even the largest possible one would be missed too often.
        effective: items / deff.
        discordance: share of items the two systems answer differently (one right, one wrong).
        alpha: two-sided level of the test.
        power: wanted chance of finding the difference.
        reason: why `value` is None.
    """

    value: float | None
    effective: float
    discordance: float
    alpha: float
    power: float
    reason: str | None = None


def paired_power(
    difference: float, items: int, discordance: float, deff: float = 1.0, alpha: float = 0.05
) -> float:
    """Chance that McNemar's test finds a true difference, normal approximation.

    Args:
        difference: true difference of accuracies, in [0, discordance].
        items: number of items, at least 1.
        discordance: share of items answered differently, in (0, 1].
        deff: design effect of the differences within videos, >= 1.
        alpha: two-sided level, in (0, 1).

    Raises:
        ValueError: an argument out of range.

    Source: R. J. Connor, Biometrics 43 (1987), unconditional form. The exact test is somewhat weaker when few
    items differ.
    """
    _check(items, discordance, deff, alpha)
    if not 0 <= difference <= discordance:
        raise ValueError(f"difference: need 0 to discordance ({discordance:g}), got {difference:g}")
    root = sqrt(items / deff)
    bound = normal_quantile(1 - alpha / 2) * sqrt(discordance)
    spread = sqrt(max(discordance - difference * difference, 0.0))
    if spread == 0:
        return 1.0 if difference * root > bound else 0.0
    return normal_cdf((difference * root - bound) / spread) + normal_cdf(
        (-difference * root - bound) / spread
    )


def minimum_detectable_difference(
    items: int, discordance: float, deff: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> DetectableDifference:
    """Smallest difference of accuracies that two systems on the same items show with the wanted power.

    Args:
        items: number of items, at least 1.
        discordance: share of items answered differently, in (0, 1]; from a pilot, or p1 (1 - p2) + p2 (1 - p1) if
            the systems err independently (the worst case for systems that agree more than by chance).
        deff: design effect of the differences within videos, >= 1.
        alpha: two-sided level, in (0, 1).
        power: wanted chance, in (alpha, 1).

    Raises:
        ValueError: an argument out of range.

    Source: `paired_power`, solved by bisection.
    """
    _check(items, discordance, deff, alpha)
    if not alpha < power < 1:
        raise ValueError(f"power: need a number between alpha ({alpha:g}) and 1, got {power:g}")
    effective = items / deff
    if paired_power(discordance, items, discordance, deff, alpha) < power:
        reason = f"even if one system won all {discordance:.0%} differing items it would be found too rarely"
        return DetectableDifference(None, effective, discordance, alpha, power, reason)
    low, high = 0.0, discordance
    for _ in range(60):
        middle = (low + high) / 2
        if paired_power(middle, items, discordance, deff, alpha) < power:
            low = middle
        else:
            high = middle
    return DetectableDifference(high, effective, discordance, alpha, power)


def required_items(
    difference: float, discordance: float, deff: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Items needed to find a difference with the wanted power.

    Args:
        difference: true difference of accuracies, in (0, discordance].
        discordance: share of items answered differently, in (0, 1].
        deff: design effect of the differences within videos, >= 1.
        alpha: two-sided level, in (0, 1).
        power: wanted chance, in (alpha, 1).

    Raises:
        ValueError: an argument out of range.

    Source: Connor (1987): n = (z_a sqrt(d) + z_b sqrt(d - delta^2))^2 / delta^2, times deff.
    """
    _check(1, discordance, deff, alpha)
    if not 0 < difference <= discordance or not alpha < power < 1:
        raise ValueError(
            f"need 0 < difference <= discordance and alpha < power < 1, got difference {difference:g}, power {power:g}"
        )
    spread = sqrt(max(discordance - difference**2, 0.0))
    root = normal_quantile(1 - alpha / 2) * sqrt(discordance) + normal_quantile(power) * spread
    return ceil(deff * (root / difference) ** 2 - 1e-9)


def _check(items: int, discordance: float, deff: float, alpha: float) -> None:
    if items < 1 or not 0 < discordance <= 1 or not deff >= 1 or not 0 < alpha < 1:
        raise ValueError(
            "need items >= 1, 0 < discordance <= 1, deff >= 1, 0 < alpha < 1: "
            f"got items {items}, discordance {discordance}, deff {deff}, alpha {alpha}"
        )
