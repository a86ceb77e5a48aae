"""The result of a coefficient: a value, or why there is none."""

from dataclasses import dataclass

from proofreel.stats.wilson import Interval


@dataclass(frozen=True)
class Coefficient:
    """A correlation, an agreement or an area.

    Attributes:
        value: the coefficient; None when it is undefined on these data.
        n: pairs, items or units it rests on.
        p: two-sided p of "no association", where one is defined.
        interval: where one is defined.
        reason: why `value` is None.
    """

    value: float | None
    n: int
    p: float | None = None
    interval: Interval | None = None
    reason: str | None = None
