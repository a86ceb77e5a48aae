"""The few SciPy distribution functions the package needs, typed in one place."""

from scipy import special  # type: ignore[import-untyped]

_NORMAL_FROM = 1e6  # degrees of freedom above which Student's t is the normal to nine digits


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal."""
    return float(special.ndtri(probability))


def normal_cdf(value: float) -> float:
    """Distribution function of the standard normal."""
    return float(special.ndtr(value))


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t; `df` may be fractional or infinite."""
    if df > _NORMAL_FROM:
        return normal_quantile(probability)
    return float(special.stdtrit(df, probability))


def t_two_sided(value: float, df: float) -> float:
    """Two-sided p of a t statistic."""
    return float(2.0 * special.stdtr(df, -abs(value)))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution."""
    return float(special.betaincinv(a, b, probability))


def chi2_1_upper(value: float) -> float:
    """Upper tail of chi-square with one degree of freedom."""
    return float(special.chdtrc(1, value))


def fair_binomial_two_sided(smaller: int, total: int) -> float:
    """Two-sided exact p of `smaller` heads or fewer in `total` fair tosses (1 when there is no toss)."""
    if total == 0:
        return 1.0
    return min(1.0, 2.0 * float(special.bdtr(smaller, total, 0.5)))
