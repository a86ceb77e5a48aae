"""T8: how levels 4 and 5 depend on their thresholds."""

from collections.abc import Sequence
from statistics import fmean

from proofreel.benchmarks.videozerobench.marks import LevelRun, published
from proofreel.benchmarks.videozerobench.thresholds import GRID
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
CURVE = tuple(round(0.05 * k, 2) for k in range(20))
MISSING = (
    "no run with levels 3, 4 and 5; proofreel run videozerobench --data DIR --agent levels --model MODEL"
)


def success(run: LevelRun, name: str, t: float, v: float) -> float | None:
    """Level 4 or 5 in percent of all questions at thresholds (strictly above)."""
    values = [x for m in run.marks if (x := m.value(name, t, v)) is not None]
    return 100 * fmean(values) if values else None


def threshold_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """Curves of all runs, and a grid for every run."""
    return [
        curves(runs),
        *(grid(run, n) for n, run in enumerate(runs, 1) if success(run, "l5", 0.3, 0.3) is not None),
    ]


def curves(runs: Sequence[LevelRun]) -> Table:
    """Levels 4 and 5 at one threshold for tIoU and vIoU alike."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        if success(run, "l4", 0.3, 0.3) is not None:
            rows += [(run.label, x, success(run, "l4", x, x), success(run, "l5", x, x)) for x in CURVE]
    return Table(
        id="vzb_t8_curves",
        title="VideoZeroBench: success by threshold",
        columns=(
            Column(name="run"),
            Column(name="threshold", unit="number", digits=2),
            Column(name="L4 Acc", unit="percent"),
            Column(name="L5 Acc", unit="percent"),
        ),
        rows=tuple(rows),
        note="One threshold for tIoU and vIoU; 0.3 is the protocol's.",
        missing="" if rows else MISSING,
        plot=Plot(kind="lines", x="threshold", y=("L4 Acc",), series="run") if rows else None,
        group=GROUP,
    )


def grid(run: LevelRun, number: int) -> Table:
    """Level 5 at every pair of thresholds."""
    names = tuple(f"vIoU > {v:g}" for v in GRID)
    told = published()["thresholds"]
    return Table(
        id=f"vzb_t8_grid_{number}",
        title=f"VideoZeroBench: level 5 by thresholds, {run.label}",
        columns=(Column(name="tIoU above"), *(Column(name=n, unit="percent") for n in names)),
        rows=tuple((f"{t:g}", *(success(run, "l5", t, v) for v in GRID)) for t in GRID),
        note=(
            f"Published: {told['model']} {told['default']} at 0.3 and 0.3, {told['most_relaxed']} at the most relaxed; "
            "the other cells are not published in numbers."
        ),
        plot=Plot(kind="heat", x="tIoU above", y=names),
        group=GROUP,
    )
