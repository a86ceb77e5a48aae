"""The folder of a run: one writer at a time, nothing half-written, nothing lost.

``run.json`` settings · ``state.json`` running, stopped or done · ``results.jsonl`` one line per finished
(item, epoch) · ``journal.jsonl`` calls, money and time of all attempts · ``ledger.jsonl`` frames shown ·
``logs/`` the engine's logs · ``cache/`` answers of models, for resuming · ``scores/`` later verdicts.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from proofreel.core._base import Record
from proofreel.runs._files import (
    RunError,
    append_line,
    drop_torn_line,
    read_json,
    whole_lines,
    write_atomically,
)
from proofreel.runs.journal import Journal, Totals
from proofreel.runs.result import Key, RunResult, latest
from proofreel.runs.settings import RunSettings

SETTINGS, STATE, RESULTS = "run.json", "state.json", "results.jsonl"


def utc_now() -> str:
    """The time of day as ISO 8601 in UTC, to the millisecond; for people, never for durations."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunState(Record):
    """Where a run stands; after a kill it still says ``running``, and ``pid`` is gone."""

    state: Literal["running", "stopped", "done"]
    reason: str | None = None
    done: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)
    updated: str
    pid: int | None = None


class RunFolder:
    """A run on disk.

    >>> run = RunFolder.open("runs/mini-blind")
    >>> run.settings.agent, len(run.results()), run.totals().paid.total

    Reading needs no lock. Writing is done inside ``with run.writing():``, by one process at a time.
    """

    def __init__(self, path: Path, settings: RunSettings) -> None:
        self.path, self.settings = path, settings
        self.journal = Journal(path / "journal.jsonl")
        self.problems: list[str] = []

    @classmethod
    def create(cls, path: str | Path, settings: RunSettings) -> "RunFolder":
        """A new run in an empty or absent folder.

        Raises:
            RunError: the folder holds something already, or cannot be written.
        """
        folder = Path(path)
        cls.check_free(folder)
        try:
            (folder / "logs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder}: cannot be made ({error.strerror}); choose another --out") from None
        run = cls(folder, settings)
        with run.writing():
            if (folder / SETTINGS).exists():
                raise RunError(f"{folder}: holds a run already; go on with: proofreel resume {folder}")
            write_atomically(folder / SETTINGS, settings.model_dump_json(indent=1) + "\n")
        return run

    @staticmethod
    def check_free(folder: Path) -> None:
        """Says whether a new run may be made there, before anything else is said or done.

        Raises:
            RunError: the folder holds something already.
        """
        if (folder / SETTINGS).exists():
            raise RunError(f"{folder}: holds a run already; go on with: proofreel resume {folder}")
        if folder.exists() and (not folder.is_dir() or any(p.name != ".lock" for p in folder.iterdir())):
            raise RunError(f"{folder}: is not empty and no run; choose another --out")

    @classmethod
    def open(cls, path: str | Path) -> "RunFolder":
        """A run that is there.

        Raises:
            RunError: no run in the folder, or its settings cannot be read.
        """
        folder = Path(path)
        if not (folder / SETTINGS).is_file():
            raise RunError(f"{folder}: no run here (no {SETTINGS}); name the folder given to run --out")
        try:
            settings = RunSettings.model_validate(read_json(folder / SETTINGS))
        except ValidationError as error:
            first = error.errors()[0]
            raise RunError(
                f"{folder / SETTINGS}: {'.'.join(map(str, first['loc']))}: {first['msg']}; "
                "was it written by another version?"
            ) from None
        return cls(folder, settings)

    @property
    def ledger_path(self) -> Path:
        """What models were shown."""
        return self.path / "ledger.jsonl"

    @property
    def results_path(self) -> Path:
        """One line per finished (item, epoch)."""
        return self.path / RESULTS

    def results(self) -> list[RunResult]:
        """Every result line, oldest first. A half-written last line is left out and named in ``problems``.

        Raises:
            RunError: another line is broken.
        """
        lines, torn = whole_lines(self.results_path)
        if torn:
            self._say(f"{self.results_path}: the last line is half-written and left out; its item runs again")
        out = []
        for number, line in enumerate(lines, 1):
            try:
                out.append(RunResult.model_validate_json(line))
            except ValidationError as error:
                raise RunError(
                    f"{self.results_path} line {number}: {error.errors()[0]['msg']}; restore the file from a copy"
                ) from None
        return out

    def latest(self) -> dict[Key, RunResult]:
        """The valid result of each (item, epoch)."""
        return latest(self.results())

    def pending(self) -> list[Key]:
        """What is still to do, in order."""
        done = self.latest()
        return [k for k in self.settings.keys if k not in done]

    def totals(self) -> Totals:
        """Tokens, money and time of all attempts."""
        return self.journal.totals()

    @property
    def state(self) -> RunState | None:
        """The last state written, None for a run that never began.

        Raises:
            RunError: the file is broken.
        """
        file = self.path / STATE
        if not file.exists():
            return None
        try:
            return RunState.model_validate(read_json(file))
        except ValidationError as error:
            raise RunError(
                f"{file}: {error.errors()[0]['msg']}; delete it, then: proofreel resume {self.path}"
            ) from None

    # writing

    def writing(self) -> "_Writing":
        """A context in which this process alone may write.

        Raises:
            RunError: another process is writing to this run.
        """
        return _Writing(self)

    def repair(self) -> None:
        """Cuts half-written last lines off (after a kill), and says so in ``problems``."""
        if drop_torn_line(self.results_path):
            self._say(f"{self.results_path}: dropped a half-written last line; its item runs again")
        if self.journal.repair():
            self._say(f"{self.journal.path}: dropped a half-written last line")

    def add(self, result: RunResult) -> None:
        """Appends a result and flushes it.

        Raises:
            RunError: the disk is full, or the file cannot be written; nothing half-written stays.
        """
        append_line(self.results_path, result.model_dump_json())

    def set_state(
        self, state: Literal["running", "stopped", "done"], reason: str | None = None, done: int = 0
    ) -> None:
        """Writes where the run stands.

        Raises:
            RunError: it cannot be written.
        """
        record = RunState(
            state=state,
            reason=reason,
            done=done,
            total=len(self.settings.keys),
            updated=utc_now(),
            pid=os.getpid() if state == "running" else None,
        )
        write_atomically(self.path / STATE, record.model_dump_json(indent=1) + "\n")

    def _say(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


class _Writing:
    def __init__(self, run: RunFolder) -> None:
        self.run = run
        self.lock = FileLock(run.path / ".lock")

    def __enter__(self) -> Self:
        try:
            self.lock.acquire(timeout=0)
        except Timeout:
            raise RunError(
                f"{self.run.path}: another process is working on this run; wait for it, or choose another --out"
            ) from None
        except OSError as error:
            raise RunError(f"{self.run.path}: cannot be written to ({error.strerror})") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.release()
