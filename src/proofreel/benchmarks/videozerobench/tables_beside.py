"""What belongs beside the main table: re-normalised levels, guesses made without looking, both modes side by side."""

from collections.abc import Sequence
from statistics import fmean

from proofreel.benchmarks.videozerobench.baselines import (
    SPATIAL,
    TEMPORAL,
    box_baseline,
    passes,
    window_baseline,
)
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.marks import HEADINGS, NAMES, LevelRun, Mark, duration_of, level_runs
from proofreel.benchmarks.videozerobench.tables_main import GROUP, RUN, VALUES
from proofreel.core import Column, Table
from proofreel.core.table import Cell


def beside_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """All of them."""
    return [renormalised(runs), baselines(runs), modes(runs)]


def renormalised(runs: Sequence[LevelRun]) -> Table:
    """Levels 4 and 5 over the questions on which success is possible."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for name in ("l4", "l5"):
            known = [m for m in run.marks if m.value(name) is not None]
            reach = [m for m in known if m.reachable(name)]
            hits = sum(int(m.value(name) or 0) for m in reach)
            of = len(reach)
            if known:
                share, bound = (100 * hits / of if of else None), 100 * of / len(known)
                rows.append((run.label, HEADINGS[name], hits, of, share, 100 * hits / len(known), bound))
    return Table(
        id="vzb_t2_renormalised",
        title="VideoZeroBench: levels 4 and 5 over the annotated questions",
        columns=(
            Column(name="run"),
            Column(name="level"),
            Column(name="successes", unit="count"),
            Column(name="annotated", unit="count"),
            Column(name="of annotated", unit="percent", better="high"),
            Column(name="of all", unit="percent", better="high"),
            Column(name="bound", unit="percent"),
        ),
        rows=tuple(rows),
        note=(
            "Not every question has windows and boxes, so the published percentage cannot reach 100: the bound is its "
            "highest possible value (88.4 and 64.0 on the full set)."
        ),
        missing="" if rows else f"no run with levels 3 and 4; {RUN}",
        group=GROUP,
    )


def baselines(runs: Sequence[LevelRun]) -> Table:
    """What grounding scores must beat: guesses made without looking, on the questions of each run."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        own4, own5 = run.stat("tiou"), run.stat("viou")
        rows.append(
            (run.label, "the run itself", own4.value, _passing(run, "tiou"), run.stat("l4").value, own5.value)
        )
        for name in TEMPORAL:
            values = [(m, _window(run, m, name)) for m in run.marks]
            known = [v for _, v in values if v is not None]
            if known:
                share = 100 * fmean(passes(v) for v in known)
                right = [
                    (m.value("acc3") or 0) > 0 and passes(v) for m, v in values if m.value("acc3") is not None
                ]
                level = 100 * fmean(right) if right else None
                rows.append((run.label, name, 100 * fmean(known), share, level, None))
        for name in SPATIAL:
            given = (box_baseline(Case.of_item(m.item).evidence_boxes, name) for m in run.marks)
            placed = [v for v in given if v is not None]
            if placed:
                rows.append((run.label, name, None, None, None, 100 * fmean(placed)))
    return Table(
        id="vzb_baselines",
        title="VideoZeroBench: grounding without looking",
        columns=(
            Column(name="run"),
            Column(name="windows and boxes"),
            Column(name="tIoU", unit="percent", better="high"),
            Column(name="tIoU above 0.3", unit="percent", better="high"),
            Column(name="L4 with the run's answers", unit="percent", better="high"),
            Column(name="vIoU", unit="percent", better="high"),
        ),
        rows=tuple(rows),
        note=(
            "Wide guesses do well on short clips: a run whose grounding does not beat these rows has shown none. "
            "Blind runs (--set media=none) stand in the main table when there are some."
        ),
        missing="" if rows else f"no run; {RUN}",
        group=GROUP,
    )


def _window(run: LevelRun, mark: Mark, name: str) -> float | None:
    return window_baseline(Case.of_item(mark.item).evidence_windows, duration_of([run.view], mark.item), name)


def _passing(run: LevelRun, name: str) -> float | None:
    values = [v for m in run.marks if (v := m.value(name)) is not None]
    return 100 * fmean(passes(v) for v in values) if values else None


def modes(runs: Sequence[LevelRun]) -> Table:
    """The same replies read in both modes: what the faults of the published scorer are worth."""
    rows: list[tuple[Cell, ...]] = []
    views = [r.view for r in runs]
    for mode in ("careful", "official"):
        for run in level_runs(views, mode):
            means = [run.stat(n).value for n in NAMES]
            if any(v is not None for v in means):
                rows.append((run.label, mode, *means))
    rows.sort(key=lambda row: [r.label for r in runs].index(str(row[0])))
    return Table(
        id="vzb_modes",
        title="VideoZeroBench: careful and official reading of the same replies",
        columns=(Column(name="run"), Column(name="mode"), *VALUES),
        rows=tuple(rows),
        note="Prompts were those of the run's own mode; only the reading differs. See docs/videozerobench.md.",
        missing="" if rows else f"no run; {RUN}",
        group=GROUP,
    )
