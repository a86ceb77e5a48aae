"""Score interval of a proportion."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


@dataclass(frozen=True)
class Interval:
    """Lower and upper end of an interval; in [0, 1] for proportions, in [-1, 1] for their differences."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low:.1%} to {self.high:.1%}"


def wilson(successes: float, trials: float, level: float = 0.95) -> Interval:
    """Wilson's score interval; holds near 0 and 1, where the normal one collapses.

    Args:
        successes: 0 <= successes <= trials; may be fractional for an effective sample size.
        trials: more than 0.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: arguments out of range.

    Source: E. B. Wilson, JASA 22 (1927); formula (4) of Brown, Cai and DasGupta, Statistical Science 16 (2001).
    Independent trials are assumed: with several questions on one video use `accuracy_interval`.
    """
    if not trials > 0 or not 0 <= successes <= trials or not 0 < level < 1:
        raise ValueError(
            f"need 0 <= successes <= trials, trials > 0: got {successes} of {trials}, level {level}"
        )
    return score_interval(successes / trials, trials, NormalDist().inv_cdf(0.5 + level / 2))


def score_interval(rate: float, trials: float, quantile: float) -> Interval:
    """Wilson's interval for a rate in [0, 1] on `trials` effective trials with a given quantile (normal or t)."""
    z2 = quantile * quantile
    shrink = 1 + z2 / trials
    centre = (rate + z2 / (2 * trials)) / shrink
    half = quantile / shrink * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials))
    # At 0 and 1 the end is exact; the formula leaves rounding dust there.
    low = 0.0 if rate == 0 else max(0.0, centre - half)
    high = 1.0 if rate == 1 else min(1.0, centre + half)
    return Interval(low, high)
