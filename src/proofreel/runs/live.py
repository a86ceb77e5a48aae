"""A run while it runs: who may start, what an attempt has used, when everything stops."""

import time
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import anyio

from proofreel.core import Item, TokenUse
from proofreel.runs._files import RunError, append_line
from proofreel.runs.journal import CallLine, Ended, Line, Session, Started
from proofreel.runs.money import Purse
from proofreel.runs.result import Key, RunResult, slim
from proofreel.runs.run_folder import RunFolder, utc_now
from proofreel.video import Ledger

if TYPE_CHECKING:
    from proofreel.video import ClipRef, FramesRef, GridRef, LedgerEntry
    from proofreel.video.grid import EncodedGrid
    from proofreel.video.ref import EncodedFrames


class Watcher(Protocol):
    """Told what happens, to show it."""

    def started(self, key: Key) -> None:
        """An item began."""

    def ended(self, result: RunResult | None) -> None:
        """An item ended; None when it left no result."""

    def waiting(self, key: Key, attempt: int, reason: str, seconds: float) -> None:
        """A model call waits before another attempt."""

    def paid(self, use: TokenUse, replayed: bool) -> None:
        """A model call was answered."""


@dataclass
class Attempt:
    """One try at one (item, epoch)."""

    run: "LiveRun"
    key: Key
    number: int
    began: float = field(default_factory=time.monotonic)
    started: str = field(default_factory=utc_now)
    paid: TokenUse = field(default_factory=TokenUse)
    replayed: TokenUse = field(default_factory=TokenUse)
    calls: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @property
    def elapsed(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self.began

    def may_call(self, call_id: str) -> bool:
        """Whether the money allows one more call; when it does not, nothing new starts either."""
        purse = self.run.purse
        if purse.may_call(call_id):
            self.opened.add(call_id)
            return True
        self.run.stop(purse.why_not())
        return False

    def answered(
        self,
        *,
        call_id: str,
        model: str,
        role: str,
        use: TokenUse,
        seconds: float,
        replayed: bool,
        served: str | None = None,
    ) -> None:
        """Books a model call: journal first, so that money is never spent unseen."""
        if replayed:
            self.replayed = self.replayed + use
        else:
            self.paid = self.paid + use
        self.calls.append(call_id)
        self.run.purse.open_calls.discard(call_id)
        item, epoch = self.key
        self.run.note(
            CallLine(
                item_id=item,
                epoch=epoch,
                attempt=self.number,
                call_id=call_id,
                model=model,
                role=role,
                tokens=use,
                replayed=replayed,
                seconds=max(seconds, 0.0),
                elapsed=self.elapsed,
                served=served,
            )
        )
        self.run.watcher.paid(use, replayed)
        if not replayed:
            self.run.purse.pay(self.key, use)


current_attempt: ContextVar[Attempt | None] = ContextVar("proofreel_attempt", default=None)
"""The attempt that a model call belongs to."""


class SampleLedger(Ledger):
    """What one attempt's calls were shown: in memory for the agent, and appended to the run's file."""

    def __init__(self, run: "LiveRun") -> None:
        super().__init__()
        self._run = run

    def record(
        self,
        ref: "FramesRef | ClipRef | GridRef",
        call_id: str,
        model: str,
        role: str,
        encoded: "EncodedFrames | EncodedGrid | bytes | None" = None,
    ) -> "LedgerEntry":
        """As ``Ledger.record``; a file that cannot be written stops the run, not the call."""
        entry = super().record(ref, call_id, model, role, encoded)
        try:
            append_line(self._run.folder.ledger_path, entry.model_dump_json())
        except RunError as error:
            self._run.stop(str(error), now=True)
        return entry


class LiveRun:
    """The state shared by all attempts of one process.

    Args:
        folder: the run, open for writing.
        items: its items by id.
        watcher: shown to people.
        again: keys that have a result and are to be done once more (failed ones, on demand).
    """

    def __init__(
        self, folder: RunFolder, items: dict[str, Item], watcher: Watcher, again: frozenset[Key] = frozenset()
    ) -> None:
        self.folder, self.items, self.watcher = folder, items, watcher
        # Without steps: a run of thousands of items must not hold them all in memory.
        self.finished = {k: slim(r) for k, r in folder.latest().items() if k not in again}
        lines = folder.journal.lines()
        self.tries = _tries(lines)
        self.purse = _purse(folder, lines)
        self.running: dict[Key, Attempt] = {}
        self.stopped: str | None = None
        self.indexes: dict[str, Any] = {}
        self._room = anyio.Condition()

    @property
    def pending(self) -> list[Key]:
        """What is still to do."""
        return [k for k in self.folder.settings.keys if k not in self.finished]

    def session(self, pid: int, forced: tuple[str, ...] = ()) -> None:
        """Writes that a process begins to work."""
        self.note(Session(at=utc_now(), pid=pid, pending=len(self.pending), forced=forced))

    def note(self, line: Line) -> None:
        """Writes a journal line; when that is impossible the run stops."""
        try:
            self.folder.journal.add(line)
        except RunError as error:
            self.stop(str(error), now=True)

    def stop(self, reason: str, *, now: bool = False) -> None:
        """Lets nothing start any more; with ``now`` running attempts are cut off and left for a resume."""
        self.stopped = self.stopped or reason
        if now:
            for attempt in list(self.running.values()):
                attempt.scope.cancel()

    async def enter(self, key: Key) -> Attempt | None:
        """Waits until the item may start; None when nothing starts any more."""
        async with self._room:
            while self.stopped is None:
                answer = self.purse.may_start()
                if answer == "yes":
                    return self._begin(key)
                if answer == "no":
                    self.stop(self.purse.why_not())
                    self._room.notify_all()
                    break
                await self._room.wait()
        return None

    def _begin(self, key: Key) -> Attempt | None:
        self.tries[key] += 1
        attempt = Attempt(self, key, self.tries[key])
        self.purse.start(key)
        self.running[key] = attempt
        item, epoch = key
        self.note(Started(item_id=item, epoch=epoch, attempt=attempt.number, at=attempt.started))
        self.watcher.started(key)
        return attempt

    async def leave(self, attempt: Attempt, result: RunResult | None) -> None:
        """Keeps the result, if there is one, and makes room."""
        kept = False
        if result is not None and not attempt.scope.cancel_called:
            try:
                self.folder.add(result)
                self.finished[attempt.key] = slim(result)
                kept = True
            except RunError as error:
                self.stop(str(error), now=True)
        self.running.pop(attempt.key, None)
        self.purse.open_calls -= attempt.opened
        self.purse.end(attempt.key, kept)
        item, epoch = attempt.key
        self.note(
            Ended(item_id=item, epoch=epoch, attempt=attempt.number, kept=kept, elapsed=attempt.elapsed)
        )
        self.watcher.ended(result if kept else None)
        async with self._room:
            self._room.notify_all()


def _tries(lines: list[Line]) -> Counter[Key]:
    return Counter((line.item_id, line.epoch) for line in lines if isinstance(line, Started))


def _purse(folder: RunFolder, lines: list[Line]) -> Purse:
    """The purse as earlier attempts left it."""
    spent, each = 0.0, Counter[tuple[str, int, int]]()
    unpriced = 0
    for line in lines:
        if isinstance(line, CallLine) and not line.replayed:
            cost = line.tokens.cost_usd
            unpriced += cost is None
            spent += cost or 0.0
            each[line.item_id, line.epoch, line.attempt] += cost or 0.0  # type: ignore[assignment]
    known = [float(v) for v in each.values()]
    allowed = folder.settings.limits.get("usd")
    if allowed is not None:
        known.append(float(allowed))
    return Purse(folder.settings.max_cost, spent, max(known) if known else None, unpriced=unpriced)
