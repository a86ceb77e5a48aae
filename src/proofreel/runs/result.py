"""One finished (item, epoch) of a run."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from proofreel.core import TokenUse, Trajectory
from proofreel.core._base import Record
from proofreel.judges import Verdict

Key = tuple[str, int]
"""(item id, epoch)."""


class RunResult(Record):
    """A line of ``results.jsonl``.

    Attributes:
        epoch: from 1.
        attempt: 1 for the first time this (item, epoch) was started, 2 after a kill, ...
        trajectory: what the agent did; its ``tokens`` count replayed answers like fresh ones.
        verdict: the first verdict; re-scoring writes beside it, never over it.
        details: what the benchmark's judge keeps beside the verdict (scores by level, votes, raw replies).
        tiou: of the cited windows, None where there are no gold windows.
        tokens: what was sent to servers in this attempt, judge included: this is the spend.
        replayed: answers that came from the run's own response cache: not sent, not paid again.
        seconds: wall time of this attempt, by a clock that never jumps.
        started: UTC, ISO 8601.
        ended: UTC, ISO 8601.
        calls: ids of the model calls in order; entries of the ledger carry them.
    """

    item_id: str
    epoch: int = Field(default=1, ge=1)
    attempt: int = Field(default=1, ge=1)
    agent: str
    trajectory: Trajectory
    verdict: Verdict
    details: dict[str, Any] = Field(default_factory=dict)
    tiou: float | None = None
    tokens: TokenUse = TokenUse()
    replayed: TokenUse = TokenUse()
    seconds: float | None = Field(default=None, ge=0)
    started: str | None = None
    ended: str | None = None
    calls: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """(item id, epoch)."""
        return self.item_id, self.epoch

    @property
    def cost(self) -> float | None:
        """US dollars paid in this attempt; None while a price is unknown."""
        return self.tokens.cost_usd if self.tokens.calls else 0.0


def slim(result: RunResult) -> RunResult:
    """The result without the agent's steps: what a running process keeps of a finished item."""
    return result.model_copy(update={"trajectory": result.trajectory.model_copy(update={"steps": ()})})


def latest(results: Iterable[RunResult]) -> dict[Key, RunResult]:
    """The last result of each (item, epoch): a deliberate retry replaces what it retried."""
    return {r.key: r for r in results}
