"""What a running run shows: done, accuracy so far, spend, tokens, rate, and why it waits."""

import threading
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from proofreel.core import Outcome, TokenUse
from proofreel.judges import Verdict
from proofreel.runs.journal import Totals
from proofreel.runs.result import Key, RunResult

PLAIN_EVERY = 5.0


@dataclass
class Tallied:
    """Counts of a run so far. Unparsed and failed items stand beside the score, they are not hidden in it."""

    total: int
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    abstained: int = 0
    usd: float = 0.0
    unpriced: int = 0
    tokens: int = 0
    calls: int = 0
    replayed: int = 0
    retries: int = 0
    _endings: dict[Key, Verdict] = field(default_factory=dict)

    @classmethod
    def of(cls, total: int, results: Iterable[RunResult], spent: Totals) -> "Tallied":
        """Counts of results on disk, with the spend of all attempts."""
        tally = cls(total)
        for result in results:
            tally.add(result)
        tally.usd, tally.tokens, tally.calls = spent.paid.cost_usd or 0.0, spent.paid.total, spent.paid.calls
        tally.unpriced = int(spent.paid.calls > 0 and spent.paid.cost_usd is None)
        tally.replayed, tally.retries = spent.replayed.calls, spent.paid.retries
        return tally

    def add(self, result: RunResult) -> None:
        """One more item, or a new ending of one that was there."""
        before = self._endings.get(result.key)
        if before is not None:
            self.outcomes[before.outcome] -= 1
            self.abstained -= before.abstained
        self._endings[result.key] = result.verdict
        self.outcomes[result.verdict.outcome] += 1
        self.abstained += result.verdict.abstained

    @property
    def done(self) -> int:
        """Items with a result."""
        return sum(self.outcomes.values())

    @property
    def counted(self) -> int:
        """Items that count for the accuracy: right and wrong ones, unparsed ones, and those whose model failed."""
        kinds = (Outcome.RIGHT, Outcome.WRONG, Outcome.UNPARSED, Outcome.MODEL_FAILED)
        return sum(self.outcomes[kind] for kind in kinds)

    def line(self) -> str:
        """Done, accuracy, troubles, spend and tokens in one line."""
        right = self.outcomes[Outcome.RIGHT]
        score = f"{right / self.counted:.1%} ({right}/{self.counted})" if self.counted else "-"
        parts = [f"{self.done}/{self.total} done", f"accuracy so far {score}"]
        parts += [
            f"{self.outcomes[o]} {o.value.replace('_', ' ')}"
            for o in (Outcome.UNPARSED, Outcome.MODEL_FAILED, Outcome.JUDGE_FAILED, Outcome.HARNESS_FAILED)
            if self.outcomes[o]
        ]
        parts += [f"{self.abstained} abstained"] if self.abstained else []
        if self.calls or self.replayed:
            parts += [money(self.usd, self.unpriced), f"{self.tokens:,} tokens", f"{self.calls} calls"]
        parts += [f"{self.replayed} replayed"] if self.replayed else []
        return " · ".join(parts)


def money(usd: float, unpriced: int) -> str:
    """US dollars; a part whose price is not known is never shown as free."""
    if not unpriced:
        return f"${usd:.4f}"
    return f"at least ${usd:.4f} (price unknown)" if usd else "price unknown"


class Progress:
    """Shows a run: a live line in a terminal, plain lines elsewhere. Use as a context manager.

    Args:
        total: (item, epoch) pairs of the run.
        results: those already there.
        spent: spend of earlier attempts.
        console: rich console; None shows nothing.
    """

    def __init__(
        self, total: int, results: Iterable[RunResult] = (), spent: Totals | None = None, console: Any = None
    ) -> None:
        self.tally = Tallied.of(total, results, spent or Totals())
        self.console = console
        self._waits: dict[Key, tuple[str, float]] = {}
        self._running: set[Key] = set()
        self._ends: deque[float] = deque(maxlen=50)
        self._began = time.monotonic()
        self._printed = 0.0
        self._live: Any = None
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        if self.console is not None and self.console.is_terminal:
            from rich.live import Live

            self._live = Live(get_renderable=self._shown, console=self.console, refresh_per_second=4)
            self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)
        elif self.console is not None:
            self._plain(force=True)

    # Watcher

    def started(self, key: Key) -> None:
        """An item began."""
        with self._lock:
            self._running.add(key)

    def ended(self, result: RunResult | None) -> None:
        """An item ended."""
        with self._lock:
            if result is not None:
                self.tally.add(result)
                self._running.discard(result.key)
                self._waits.pop(result.key, None)
                self._ends.append(time.monotonic())
            self._plain()

    def waiting(self, key: Key, attempt: int, reason: str, seconds: float) -> None:
        """A model call waits."""
        with self._lock:
            self._waits[key] = (f"{reason}, attempt {attempt}", time.monotonic() + seconds)
            self._plain(waited=True)

    def paid(self, use: TokenUse, replayed: bool) -> None:
        """A model call was answered."""
        with self._lock:
            if replayed:
                self.tally.replayed += 1
                return
            self.tally.calls += 1
            self.tally.tokens += use.total
            self.tally.retries += use.retries
            self.tally.unpriced += use.cost_usd is None
            self.tally.usd += use.cost_usd or 0.0

    def text(self) -> str:
        """The line as it stands."""
        with self._lock:
            parts = [self.tally.line()]
            if rate := self._rate():
                parts.append(f"{rate:.1f}/min")
            now = time.monotonic()
            waits = Counter(why for why, until in self._waits.values() if until > now)
            parts += [f"waiting: {n} x {why}" for why, n in waits.most_common(2)]
            return " · ".join(parts)

    def _rate(self) -> float | None:
        """Items a minute over the last 50."""
        if not self._ends:
            return None
        since = self._ends[0] if len(self._ends) == self._ends.maxlen else self._began
        span = time.monotonic() - since
        return 60 * len(self._ends) / span if span > 0 else None

    def _shown(self) -> Any:
        from rich.text import Text

        return Text(self.text())

    def _plain(self, *, force: bool = False, waited: bool = False) -> None:
        if self.console is None or self._live is not None:
            return
        now = time.monotonic()
        if force or now - self._printed >= (1.0 if waited else PLAIN_EVERY):
            self._printed = now
            self.console.print(self.text(), markup=False, highlight=False, soft_wrap=True)
