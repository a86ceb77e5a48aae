"""Score interval of a proportion."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


@dataclass(frozen=True)
class Interval:
    """Lower and upper end of an interval, both in [0, 1] for proportions."""

    low: float
    high: float

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
    Independent trials are assumed: with several questions on one video the interval is too narrow.
    """
    if not trials > 0 or not 0 <= successes <= trials or not 0 < level < 1:
        raise ValueError(
            f"need 0 <= successes <= trials, trials > 0: got {successes} of {trials}, level {level}"
        )
    z = NormalDist().inv_cdf(0.5 + level / 2)
    p = successes / trials
    shrink = 1 + z * z / trials
    centre = (p + z * z / (2 * trials)) / shrink
    half = z / shrink * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))
