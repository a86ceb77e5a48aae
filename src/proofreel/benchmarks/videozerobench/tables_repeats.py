"""T12, separate against joint prediction, and T13, repeated runs."""

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from proofreel.benchmarks.videozerobench.marks import HEADINGS, NAMES, LevelRun, Mark, stat
from proofreel.core import Column, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
SHARED = ("acc3", "tiou", "l4", "viou", "l5")


def repeat_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """T12 and T13."""
    return [joint(runs), repeats(runs)]


def joint(runs: Sequence[LevelRun]) -> Table:
    """T12: runs of one model by level calls and asked once, on the questions that all of them have."""
    rows: list[tuple[Cell, ...]] = []
    for model in dict.fromkeys(r.view.model for r in runs):
        own = [r for r in runs if r.view.model == model and r.marks]
        if {r.form for r in own} != {"separate", "joint"}:
            continue
        common = set.intersection(*({m.item.question.id for m in r.marks} for r in own))
        for run in sorted(own, key=lambda r: r.form, reverse=True):
            marks = [m for m in run.marks if m.item.question.id in common]
            rows.append((model, run.form, run.label, len(common), *(stat(marks, n).value for n in SHARED)))
    return Table(
        id="vzb_t12_joint",
        title="VideoZeroBench: separate and joint prediction",
        columns=(
            Column(name="model"),
            Column(name="prediction"),
            Column(name="run"),
            Column(name="questions", unit="count"),
            *(Column(name=HEADINGS[n], unit="percent", better="high") for n in SHARED),
        ),
        rows=tuple(rows),
        note=(
            "Separate: a call for each level, the key times told. Joint: one answer with windows and boxes at moments "
            "of the model's choice; carefully the nearest within the tolerance counts for a key time."
        ),
        missing=""
        if rows
        else (
            "runs of one model both ways: proofreel run videozerobench --data DIR --agent levels --model MODEL, and "
            "the same with --set ask=joint"
        ),
        group=GROUP,
    )


def repeats(runs: Sequence[LevelRun]) -> Table:
    """T13: mean and sample standard deviation of every level over passes, or over runs of equal settings."""
    rows: list[tuple[Cell, ...]] = []
    for label, passes in _series(runs):
        for name in NAMES:
            values = [v for marks in passes if (v := stat(marks, name).value) is not None]
            if len(values) > 1:
                rows.append(
                    (
                        label,
                        HEADINGS[name],
                        len(values),
                        fmean(values),
                        stdev(values),
                        min(values),
                        max(values),
                    )
                )
    return Table(
        id="vzb_t13_repeats",
        title="VideoZeroBench: repeated runs",
        columns=(
            Column(name="run"),
            Column(name="measure"),
            Column(name="passes", unit="count"),
            Column(name="mean", unit="percent"),
            Column(name="sample sd", unit="percent", digits=2),
            Column(name="lowest", unit="percent"),
            Column(name="highest", unit="percent"),
        ),
        rows=tuple(rows),
        note="Sample standard deviation (n - 1), in percentage points. The paper: five passes at temperature 0.7.",
        missing=""
        if rows
        else (
            "a repeated run: proofreel run videozerobench --data DIR --agent levels --model MODEL --epochs 5 "
            "--set temperature=0.7"
        ),
        group=GROUP,
    )


def _series(runs: Sequence[LevelRun]) -> Iterable[tuple[str, list[list[Mark]]]]:
    """Passes of a run, and single runs of the same agent, model, mode and options taken as passes."""
    alike: dict[tuple[str, ...], list[LevelRun]] = {}
    for run in runs:
        if run.view.epochs > 1:
            yield run.label, [[m for m in run.marks if m.epoch == e] for e in range(1, run.view.epochs + 1)]
        else:
            options = sorted((k, str(v)) for k, v in run.view.options.items())
            alike.setdefault((run.view.name, run.mode, str(options)), []).append(run)
    for (name, *_), several in alike.items():
        if len(several) > 1:
            yield f"{name}, {len(several)} runs", [list(r.marks) for r in several]
