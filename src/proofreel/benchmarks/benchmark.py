"""What a benchmark is: a name, a loader, and what its loader returns."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from proofreel.core import Item
from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.tools import Registry

if TYPE_CHECKING:
    from proofreel.benchmarks.hooks import Exam, JudgeHook, TablesHook


class DataError(UserError, ValueError):
    """A data folder cannot be used; the message names the file and says what to do."""


class Problem(Record):
    """One thing wrong with one row; the row is left out of ``LoadedSet.items`` when ``fatal``."""

    where: str
    message: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class LoadedSet(Record):
    """The usable items of a data folder, and every problem found on the way."""

    name: str
    root: str
    items: tuple[Item, ...]
    problems: tuple[Problem, ...] = ()
    rows: int = Field(ge=0)

    @property
    def summary(self) -> str:
        """One line: how many rows of the file can be used."""
        videos = len({i.question.video for i in self.items})
        return f"{self.name}: {len(self.items)} of {self.rows} questions usable, {videos} videos"


Loader = Callable[[Path | None], LoadedSet]


@dataclass(frozen=True)
class Benchmark:
    """A registered benchmark.

    Attributes:
        load: ``load(root)`` reads a data folder; None means data shipped with the package.
        exam: how a question is put, None for once to the agent (see ``hooks``).
        judge: how a trajectory is judged, None for the rules every benchmark shares.
        tables: builds the tables and figures of its protocol, None for none.
    """

    name: str
    summary: str
    load: Loader
    exam: "Exam | None" = None
    judge: "JudgeHook | None" = None
    tables: "TablesHook | None" = None


BENCHMARKS: Registry[Benchmark] = Registry("benchmark", "proofreel.benchmarks", "proofreel.benchmarks")


def benchmark(
    name: str,
    *,
    summary: str,
    exam: "Exam | None" = None,
    judge: "JudgeHook | None" = None,
    tables: "TablesHook | None" = None,
) -> Callable[[Loader], Loader]:
    """Registers a loader under a name, with its hooks; used in a benchmark's own ``card.py``.

    A card is imported to list benchmarks, so hooks are small functions there that import what they need when called.
    """

    def register(load: Loader) -> Loader:
        BENCHMARKS.add(name, Benchmark(name, summary, load, exam, judge, tables))
        return load

    return register


def list_benchmarks() -> list[Benchmark]:
    """All registered benchmarks by name, third-party ones included."""
    return list(BENCHMARKS.all().values())


def get_benchmark(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        UnknownNameError: no such benchmark; close names are offered, none is guessed.
    """
    return BENCHMARKS.get(name)
