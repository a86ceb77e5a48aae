"""What a check says, and what all checks work on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from proofreel.core import Column, Item, Table, TokenUse, Trajectory
from proofreel.core._base import Record
from proofreel.core.table import Cell
from proofreel.judges.rubric import Judgement, RubricSettings

GROUP = "Judge validation"
LEAST = 5
"""A group with fewer trajectories carries no verdict."""
CaseId = tuple[str, int]
"""(run and item, epoch)."""


@dataclass(frozen=True)
class Case:
    """A trajectory that can be judged.

    Attributes:
        id: unique over all runs.
        run: name of the run.
        trajectory: as the agent left it.
        item: its question and gold.
        right: whether the answer is right; None where there is no verdict.
    """

    id: CaseId
    run: str
    trajectory: Trajectory
    item: Item
    right: bool | None


Judged = Mapping[CaseId, Judgement]


class CheckResult(Record):
    """One check.

    Attributes:
        name: of the check.
        verdict: passed, failed, or no_data when there is too little to say.
        said: one sentence with the figures and the threshold.
        threshold: what had to hold.
        n: trajectories (or references) looked at.
        values: the figures by name; None where undefined.
        tables: details.
        tokens: taken by judgements made for this check alone.
    """

    name: str
    verdict: Literal["passed", "failed", "no_data"]
    said: str
    threshold: str
    n: int = Field(default=0, ge=0)
    values: dict[str, float | None] = Field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    tokens: TokenUse = TokenUse()


class Validation(Record):
    """All checks of one judge; the file ``judgements/checks/<judge>.json``."""

    format_version: Literal[1] = 1
    created: str
    judge: str
    runs: tuple[str, ...]
    settings: RubricSettings = RubricSettings()
    prompt: str = ""
    prompt_sha256: str = ""
    checks: tuple[CheckResult, ...]


def decided(
    name: str,
    holds: bool | None,
    said: str,
    threshold: str,
    *,
    n: int,
    values: Mapping[str, float | None] | None = None,
    tables: Sequence[Table] = (),
) -> CheckResult:
    """A result; ``holds`` None means too little data."""
    verdict: Literal["passed", "failed", "no_data"] = "no_data"
    if holds is not None:
        verdict = "passed" if holds else "failed"
    return CheckResult(
        name=name,
        verdict=verdict,
        said=said,
        threshold=threshold,
        n=n,
        values=dict(values or {}),
        tables=tuple(tables),
    )


def traj_of(judged: Judged, case: Case) -> float | None:
    """Trajectory score of a case, None without one."""
    judgement = judged.get(case.id)
    return None if judgement is None else judgement.traj


def both_judged(cases: Sequence[Case], first: Judged, second: Judged) -> list[tuple[Case, float, float]]:
    """Cases with a score on both sides, with the scores."""
    rows = [(c, traj_of(first, c), traj_of(second, c)) for c in cases]
    return [(c, a, b) for c, a, b in rows if a is not None and b is not None]


def plain_table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    missing: str = "Too few trajectories for this check; judge a larger run.",
) -> Table:
    """A table of a check."""
    return Table(
        id=f"check_{name}",
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        missing="" if rows else missing,
        group=GROUP,
    )


def text(name: str) -> Column:
    """A column of words."""
    return Column(name=name)


def number(name: str, digits: int = 3) -> Column:
    """A column of numbers."""
    return Column(name=name, unit="number", digits=digits)


def count(name: str) -> Column:
    """A column of counts."""
    return Column(name=name, unit="count")


def figure(value: float | None, digits: int = 3) -> str:
    """A figure in a sentence."""
    return "undefined" if value is None else f"{value:.{digits}f}"
