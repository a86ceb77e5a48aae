"""McNemar's test on the items two systems answer differently."""

from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.stats._special import chi2_1_upper, fair_binomial_two_sided


@dataclass(frozen=True)
class McNemar:
    """Two-sided test that both systems are right equally often.

    Attributes:
        only_a: items only the first system has right.
        only_b: items only the second system has right.
        exact_p: exact binomial p; 1 when no item differs.
        chi2_cc: chi-square with continuity correction, for cross-checking; 0 when no item differs.
        chi2_cc_p: its p; 1 when no item differs.
    """

    only_a: int
    only_b: int
    exact_p: float
    chi2_cc: float
    chi2_cc_p: float


@dataclass(frozen=True)
class PooledMcNemar:
    """Discordant counts summed over settings.

    Attributes:
        test: the pooled test.
        settings: number of settings.
        settings_resolved: settings whose own exact p is below `alpha` (our reading; the paper leaves it open).
        alpha: the bound used.
    """

    test: McNemar
    settings: int
    settings_resolved: int
    alpha: float


def mcnemar(only_a: int, only_b: int) -> McNemar:
    """McNemar's test from the two discordant counts.

    It takes items as independent: with several questions on a video it rejects too often, see `sign_flip_test`.

    Args:
        only_a: items only a has right, >= 0.
        only_b: items only b has right, >= 0.

    Raises:
        ValueError: a count that is negative or not whole.

    Source: Q. McNemar, Psychometrika 12 (1947); exact form: binomial with probability 1/2.
    """
    if only_a < 0 or only_b < 0 or only_a != int(only_a) or only_b != int(only_b):
        raise ValueError(f"need whole counts of at least 0, got {only_a} and {only_b}")
    a, b = int(only_a), int(only_b)
    exact = fair_binomial_two_sided(min(a, b), a + b)
    statistic = (abs(a - b) - 1) ** 2 / (a + b) if a + b else 0.0
    return McNemar(a, b, exact, statistic, chi2_1_upper(statistic))


def mcnemar_pooled(pairs: Sequence[tuple[int, int]], alpha: float = 0.05) -> PooledMcNemar:
    """McNemar's test on counts summed over settings (for example models).

    The settings share their items, so the pooled p is more certain than it should be; it is given because the
    published table is made this way.

    Args:
        pairs: discordant counts (only a, only b) of each setting.
        alpha: bound on a setting's own exact p for it to count as resolved.

    Raises:
        ValueError: no setting, or a bad count.
    """
    if not pairs:
        raise ValueError("pairs: need at least one setting")
    own = [mcnemar(a, b) for a, b in pairs]
    pooled = mcnemar(sum(t.only_a for t in own), sum(t.only_b for t in own))
    return PooledMcNemar(pooled, len(own), sum(t.exact_p < alpha for t in own), alpha)
