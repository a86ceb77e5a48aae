"""What happened to money and time, call by call, also in attempts that were killed: ``journal.jsonl``.

A call's line is flushed before its answer enters the response cache. So a kill between the two makes the next attempt
pay again, and both payments are written; the other order would hide one.
"""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from proofreel.core import TokenUse
from proofreel.core._base import Record
from proofreel.runs._files import append_line, drop_torn_line, whole_lines


class Session(Record):
    """A process began to work on the run; ``forced`` names differences that --force went over."""

    kind: Literal["session"] = "session"
    at: str
    pid: int
    pending: int
    forced: tuple[str, ...] = ()


class Started(Record):
    """An (item, epoch) was begun."""

    kind: Literal["start"] = "start"
    item_id: str
    epoch: int
    attempt: int
    at: str


class CallLine(Record):
    """A model call that was answered; ``replayed`` from the response cache, else paid.

    ``elapsed`` is seconds since the start of the attempt; ``served`` is the model's name as the server gave it.
    """

    kind: Literal["call"] = "call"
    item_id: str
    epoch: int
    attempt: int
    call_id: str
    model: str
    role: str
    tokens: TokenUse
    replayed: bool = False
    seconds: float = Field(ge=0)
    elapsed: float = Field(ge=0)
    served: str | None = None


class Ended(Record):
    """An attempt ended: ``kept`` as a result, or left unfinished on purpose (money stop, interrupt)."""

    kind: Literal["end"] = "end"
    item_id: str
    epoch: int
    attempt: int
    kept: bool
    elapsed: float = Field(ge=0)


Line = Session | Started | CallLine | Ended
_LINES: TypeAdapter[Line] = TypeAdapter(Line)


class Totals(Record):
    """Sums over all attempts of a run, killed ones included as far as they were recorded.

    Attributes:
        paid: tokens and money of calls that were sent.
        replayed: of calls answered by the response cache.
        seconds: agent time over all attempts (attempts run side by side, so this is more than the wall time).
        attempts: how many were started.
        unfinished: attempts that left no result.
    """

    paid: TokenUse = TokenUse()
    replayed: TokenUse = TokenUse()
    seconds: float = 0.0
    attempts: int = 0
    unfinished: int = 0


class Journal:
    """The file, open for appending; lines already there can be read. Safe from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def repair(self) -> bool:
        """Cuts off a half-written last line; True when there was one."""
        return drop_torn_line(self.path)

    def add(self, line: Line) -> None:
        """Appends one line.

        Raises:
            RunError: the file cannot be written.
        """
        with self._lock:
            append_line(self.path, line.model_dump_json(exclude_defaults=False))

    def lines(self) -> list[Line]:
        """Every readable line, in order."""
        read = []
        for text in whole_lines(self.path)[0]:
            try:
                read.append(_LINES.validate_json(text))
            except ValidationError:
                continue  # a line of a later version; totals are then of what is understood
        return read

    def totals(self) -> Totals:
        """Sums over the whole file."""
        return totals(self.lines())


def totals(lines: Iterable[Line]) -> Totals:
    """Sums of tokens, money and time; an attempt without an end counts up to its last call."""
    paid = replayed = TokenUse()
    elapsed: dict[tuple[str, int, int], float] = {}
    kept: set[tuple[str, int, int]] = set()
    for line in lines:
        if isinstance(line, Session):
            continue
        key = (line.item_id, line.epoch, line.attempt)
        elapsed.setdefault(key, 0.0)
        if isinstance(line, Started):
            continue
        elapsed[key] = max(elapsed[key], line.elapsed)
        if isinstance(line, Ended):
            kept |= {key} if line.kept else set()
        elif line.replayed:
            replayed = replayed + line.tokens
        else:
            paid = paid + line.tokens
    return Totals(
        paid=paid,
        replayed=replayed,
        seconds=sum(elapsed.values()),
        attempts=len(elapsed),
        unfinished=len(elapsed.keys() - kept),
    )
