"""What the tables of the auxiliary experiments share: runs of a model side by side on the questions they all have."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from proofreel.benchmarks.videozerobench.marks import LevelRun, Mark, Stat
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
RUN = "proofreel run videozerobench --data DIR --model MODEL --agent"
INPUTS = {
    "none": "nothing",
    "audio": "sound alone",
    "frames": "frames",
    "video": "video with sound",
    "segments": "annotated segments",
    "segments_crops": "segments and key regions",
}
L3 = Column(name="L3 Acc", unit="percent", better="high")
ENDS = (Column(name="low", unit="percent"), Column(name="high", unit="percent"))
COUNT = Column(name="questions", unit="count")


def setting(run: LevelRun, name: str) -> Any:
    """A setting as the exam used it, else as it was given."""
    made = (s.trajectory.settings for s in run.view.scored if s.trajectory is not None)
    return next((s[name] for s in made if name in s), run.view.options.get(name))


def by_model(runs: Iterable[LevelRun]) -> dict[str, list[LevelRun]]:
    """Runs by the name of their model, in their order."""
    found: dict[str, list[LevelRun]] = {}
    for run in runs:
        found.setdefault(run.view.model or "no model", []).append(run)
    return found


def common(runs: Sequence[LevelRun], keep: Callable[[Mark], bool] = lambda m: True) -> set[str]:
    """Questions that count on level 3 in all of the runs."""
    each = [{m.item.question.id for m in r.marks if keep(m) and m.value("acc3") is not None} for r in runs]
    return set.intersection(*each) if each else set()


def marks_on(run: LevelRun, ids: set[str]) -> list[Mark]:
    """What counts of a run on some questions."""
    return [m for m in run.marks if m.item.question.id in ids]


def line_of(s: Stat) -> tuple[Cell, Cell, Cell]:
    """Value and ends of the interval."""
    return s.value, s.low, s.high


def made(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    note: str,
    missing: str,
    plot: Plot,
) -> Table:
    """A table, or one that says what is missing."""
    return Table(
        id=name,
        title=f"VideoZeroBench: {title}",
        columns=tuple(columns),
        rows=tuple(rows),
        note=note,
        missing="" if rows else missing,
        plot=plot if rows else None,
        group=GROUP,
    )


def bars(x: str) -> Plot:
    """Level 3 by model."""
    return Plot(kind="grouped_bars", x=x, y=("L3 Acc",), series="model")


def input_of(run: LevelRun) -> str | None:
    """What a run of the level calls was given; None for agents that look for themselves."""
    if run.view.agent != "levels":
        return None
    kind = run.view.options.get("input") or setting(run, "media")
    return str(kind) if kind in INPUTS else None
