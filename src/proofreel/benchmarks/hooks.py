"""What a benchmark may do its own way: put a question, judge a trajectory, build tables. All three are optional."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from proofreel.core import Item, Table, TokenUse, Trajectory
from proofreel.core._base import Record
from proofreel.judges import Verdict

if TYPE_CHECKING:
    from proofreel.agents import AgentContext
    from proofreel.video import LedgerEntry

Mode = Literal["careful", "official"]


class Judged(Record):
    """A verdict and what it rests on.

    Attributes:
        verdict: how the item ended.
        tokens: what judge models took.
        details: JSON values of the benchmark's own: scores by level, votes, raw replies, who judged.
    """

    verdict: Verdict
    tokens: TokenUse = TokenUse()
    details: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True)
class JudgeContext:
    """With what to judge.

    Attributes:
        mode: careful or official.
        judge: engine model that judges, None for local rules.
        fallback: engine model asked only when ``judge`` stays unavailable or empty, None for none.
        options: settings of the run's agent, for benchmarks whose scoring depends on one.
    """

    mode: Mode = "careful"
    judge: Any = None
    fallback: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoredItem:
    """One (item, epoch) of a run; ``trajectory`` and ``verdict`` are None when it was not run."""

    item: Item
    epoch: int
    trajectory: Trajectory | None = None
    verdict: Verdict | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    tiou: float | None = None
    seconds: float | None = None


def _nothing_seen(item_id: str, epoch: int) -> tuple["LedgerEntry", ...]:
    return ()


@dataclass(frozen=True)
class RunView:
    """A run as table builders see it.

    Attributes:
        path: folder, for people.
        options: settings of the agent.
        scored: every (item, epoch) asked for, in order, those not run included.
        durations: seconds of videos by question id, where known.
        shown: ledger entries of an (item id, epoch): every frame that any model was shown for it.
    """

    path: str
    benchmark: str
    agent: str
    model: str | None
    mode: Mode
    judge: str | None
    scored: tuple[ScoredItem, ...]
    epochs: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    durations: Mapping[str, float] = field(default_factory=dict)
    shown: Callable[[str, int], tuple["LedgerEntry", ...]] = _nothing_seen
    perceiver: str | None = None

    @property
    def name(self) -> str:
        """Agent and model, for a row of a table."""
        return " ".join(n for n in (self.agent, self.model) if n)


Exam = Callable[[Item, "AgentContext", str], Awaitable[Trajectory]]
"""``async (item, context, agent name) -> Trajectory``: puts an item in the benchmark's own way.

It is the one place where gold may reach a request, because a protocol says so (the hints of VideoZeroBench levels 1
and 2). It must pass an agent nothing but ``item.question``.
"""
JudgeHook = Callable[[Trajectory, Item, JudgeContext], Awaitable[Judged]]
TablesHook = Callable[[Sequence[RunView]], Sequence[Table]]
"""Gets all runs of one benchmark; a table whose data is absent says in ``missing`` what run would fill it."""
