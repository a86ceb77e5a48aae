"""The purse of a run: no item starts that could take the spend over the limit."""

from dataclasses import dataclass, field
from typing import Literal

from proofreel.core import TokenUse
from proofreel.runs.result import Key


@dataclass
class Purse:
    """What is spent, what running items may still take, and whether another may start.

    The worst case of an item is its own money limit where it has one, and at least what the dearest item so far has
    cost. Before anything is known, one item runs alone.

    Attributes:
        limit: USD for the whole run, None for no limit.
        spent: USD paid so far, earlier attempts included.
        worst: USD of the dearest item known, None while nothing is known.
        running: USD paid so far by each item in flight.
        unpriced: calls whose price is unknown.
        dearest_call: USD of the dearest call so far.
        open_calls: calls sent and not yet answered.
    """

    limit: float | None = None
    spent: float = 0.0
    worst: float | None = None
    running: dict[Key, float] = field(default_factory=dict)
    unpriced: int = 0
    dearest_call: float = 0.0
    open_calls: set[str] = field(default_factory=set)

    def start(self, key: Key) -> None:
        """An item is in flight."""
        self.running[key] = 0.0

    def pay(self, key: Key, use: TokenUse) -> None:
        """A call was paid."""
        if use.cost_usd is None:
            self.unpriced += 1
            return
        self.spent += use.cost_usd
        self.dearest_call = max(self.dearest_call, use.cost_usd)
        self.running[key] = self.running.get(key, 0.0) + use.cost_usd

    def end(self, key: Key, finished: bool) -> None:
        """An item is no longer in flight; what it cost is known if it finished."""
        cost = self.running.pop(key, 0.0)
        if finished or cost > (self.worst or 0.0):
            self.worst = max(self.worst or 0.0, cost)

    def may_call(self, call_id: str) -> bool:
        """Whether one more call fits, if it and those still open cost as much as the dearest one; opens it."""
        others = len(self.open_calls - {call_id})
        if self.limit is not None and self.spent + self.dearest_call * (others + 1) > self.limit:
            return False
        self.open_calls.add(call_id)
        return True

    @property
    def overdrawn(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.spent >= self.limit

    def may_start(self) -> Literal["yes", "wait", "no"]:
        """Whether one more item fits: ``wait`` while running ones may turn out cheaper than feared."""
        if self.limit is None:
            return "yes"
        if self.overdrawn:
            return "no"
        if self.worst is None:
            return "wait" if self.running else "yes"
        reserved = sum(max(self.worst - paid, 0.0) for paid in self.running.values())
        if self.spent + reserved + self.worst <= self.limit:
            return "yes"
        return "wait" if self.running else "no"

    def why_not(self) -> str:
        """One line for ``state.json``."""
        worst = f", the dearest item so far took {self.worst:.4f}" if self.worst else ""
        return f"money: {self.spent:.4f} of {self.limit or 0:.4f} USD spent{worst}; raise --max-cost to go on"
