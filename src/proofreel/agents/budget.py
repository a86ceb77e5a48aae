"""One budget for every agent: turns, tool calls, tokens, frames, seconds, money; and what is spent of it."""

import time
from dataclasses import dataclass, field, fields, replace
from typing import Any

from proofreel.core import TokenUse
from proofreel.core.errors import UserError


class BudgetExceeded(Exception):  # noqa: N818  the name says what happened
    """A limit is reached; ``limit`` names it. Agents answer it with the forced final step, not with a crash."""

    def __init__(self, limit: str, spent: float, allowed: float) -> None:
        self.limit = limit
        super().__init__(f"budget of {allowed:g} {limit} is used up ({spent:g} spent)")


class UnknownPriceError(UserError, ValueError):
    """Money is limited but a model has no price: the limit could not be kept."""


@dataclass(frozen=True)
class Limits:
    """Upper bounds for one question; None means no bound. ``seconds`` is wall time, ``usd`` money."""

    turns: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    frames: int | None = None
    seconds: float | None = None
    usd: float | None = None


@dataclass
class Budget:
    """Limits of one question and what is spent of them.

    An agent calls ``spend`` after each thing it does and ``exhausted`` before the next; the name that comes back
    is the first limit reached. Nothing is cut off in the middle of a call. ``usd`` sums the costs that are known (a
    request that was lost on the way may have been billed all the same: then ``spent`` says None, and the limit
    holds for the known part).
    """

    limits: Limits = field(default_factory=Limits)
    turns: int = 0
    tool_calls: int = 0
    frames: int = 0
    use: TokenUse = field(default_factory=TokenUse)
    usd: float = 0.0
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, **limits: float | int | None) -> "Budget":
        """A fresh budget from keyword limits, ``Budget.of(turns=20, usd=0.5)``."""
        return cls(Limits(**limits))  # type: ignore[arg-type]

    def default(self, **limits: float | int | None) -> "Budget":
        """Fills limits that are not set; what the caller set stays. Returns itself."""
        missing: dict[str, Any] = {k: v for k, v in limits.items() if getattr(self.limits, k) is None}
        self.limits = replace(self.limits, **missing)
        return self

    def check_priced(self, unpriced: list[str]) -> None:
        """Refuses a money limit that could not be kept.

        Args:
            unpriced: names of models without a known price.

        Raises:
            UnknownPriceError: money is limited and a model has no price.
        """
        if self.limits.usd is not None and unpriced:
            raise UnknownPriceError(
                f"a budget of {self.limits.usd:g} USD cannot be kept: no price is known for "
                f"{', '.join(unpriced)}; add a price or limit tokens instead"
            )

    def spend(
        self, *, turns: int = 0, tool_calls: int = 0, frames: int = 0, use: TokenUse | None = None
    ) -> None:
        """Books what was used."""
        self.turns += turns
        self.tool_calls += tool_calls
        self.frames += frames
        if use is not None:
            self.use = self.use + use
            self.usd += use.cost_usd or 0.0

    def spent(self) -> dict[str, float | None]:
        """Amount used per limit; money is None while a price is unknown."""
        return {
            "turns": self.turns,
            "tool_calls": self.tool_calls,
            "tokens": self.use.total,
            "frames": self.frames,
            "seconds": time.monotonic() - self.started,
            "usd": self.use.cost_usd if self.use.calls else 0.0,
        }

    def left(self, name: str) -> float | None:
        """What is left of one limit, never below 0; None when it is not limited."""
        allowed = getattr(self.limits, name)
        if allowed is None:
            return None
        used = self.usd if name == "usd" else self.spent()[name]
        return max(0.0, float(allowed - (used or 0)))

    def call_seconds(self) -> float | None:
        """Seconds a model call that starts now may take; None without a limit of seconds.

        What is left, but never less than a quarter of the limit (2 to 30 s): the forced final answer comes after
        the time is used up and must get a chance, and a server that never answers must not get more.
        """
        left = self.left("seconds")
        if left is None or self.limits.seconds is None:
            return None
        return max(left, min(30.0, max(2.0, self.limits.seconds / 4)))

    def exhausted(self, *names: str) -> str | None:
        """The first used-up limit among ``names`` (all when none are given), or None."""
        for name in names or tuple(f.name for f in fields(Limits)):
            if self.left(name) == 0:
                return name
        return None

    def require(self, *names: str) -> None:
        """Raises ``BudgetExceeded`` for the first used-up limit."""
        name = self.exhausted(*names)
        if name is not None:
            raise BudgetExceeded(name, self.spent()[name] or 0, getattr(self.limits, name))

    @property
    def frames_left(self) -> int | None:
        """Frames that may still be shown."""
        left = self.left("frames")
        return None if left is None else int(left)
