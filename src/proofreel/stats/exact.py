"""Exact interval of a proportion."""

from proofreel.stats._arrays import check_level
from proofreel.stats._special import beta_quantile
from proofreel.stats.wilson import Interval


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Exact binomial interval: never covers less than `level`, usually more.

    Args:
        successes: whole number, 0 <= successes <= trials.
        trials: whole number, more than 0; independent.
        level: two-sided confidence level, in (0, 1).

    Raises:
        ValueError: arguments out of range or not whole.

    Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), in its beta-quantile form.
    """
    check_level(level)
    if successes != int(successes) or trials != int(trials) or not 0 <= successes <= trials or trials <= 0:
        raise ValueError(
            f"need whole numbers, 0 <= successes <= trials, trials > 0: got {successes} of {trials}"
        )
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else beta_quantile(tail, successes, trials - successes + 1)
    high = 1.0 if successes == trials else beta_quantile(1 - tail, successes + 1, trials - successes)
    return Interval(low, high)
