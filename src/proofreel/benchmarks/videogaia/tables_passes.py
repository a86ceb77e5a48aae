"""Tables of repeated runs: pass@1 of each pass, and how far the passes agree on each task."""

from collections.abc import Sequence
from math import comb
from statistics import fmean

from proofreel.benchmarks.videogaia._answers import Answers, label
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoGAIA"
RUN = "proofreel run videogaia --data DIR --agent videogaia --model MODEL --judge JUDGE"
ONCE = f"Every run asked its tasks once; three independent passes: {RUN} --epochs 3"
NO_RUN = f"No run: {RUN} --epochs 3"


def pass_tables(runs: Sequence[Answers]) -> list[Table]:
    """Passes, consistency over all tasks, and consistency task by task."""
    return [passes(runs), consistency(runs), by_task(runs)]


def passes(runs: Sequence[Answers]) -> Table:
    """pass@1 of every pass by itself, their mean and standard deviation (the published number is one of these)."""
    most = max((len(r.passes) for r in runs), default=0)
    rows: list[tuple[Cell, ...]] = []
    for run in sorted(runs, key=lambda r: -(r.share() or 0.0)):
        if run.passes:
            each = [run.of_pass(e) for e in sorted(run.passes)]
            rows.append(
                (run.name, *each, *[None] * (most - len(each)), run.share(), run.spread, len(run.items))
            )
    return Table(
        id="vg_passes",
        title="pass@1 of each pass",
        columns=(
            Column(name="model"),
            *(Column(name=f"pass {n}", unit="percent", digits=2) for n in range(1, most + 1)),
            Column(name="mean", unit="percent", digits=2, better="high"),
            Column(name="SD", unit="number", digits=2),
            Column(name="tasks", unit="count"),
        ),
        rows=tuple(rows),
        note="SD over passes, in points (n - 1); empty with one pass." if rows else "",
        missing="" if rows else NO_RUN,
        group=GROUP,
    )


def counted(run: Answers) -> dict[str, tuple[int, int]]:
    """(times right, times asked) of every task that has a verdict in each pass; empty with fewer than two passes."""
    k = len(run.passes)
    if k < 2:
        return {}
    done = [t for t in run.items if all(t in p for p in run.passes.values())]
    return {t: (int(sum(p[t] for p in run.passes.values())), k) for t in done}


def consistency(runs: Sequence[Answers]) -> Table:
    """Tasks always, sometimes and never right, and the chance that two passes agree on a task."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        tasks = list(counted(run).values())
        if tasks:
            n = len(tasks)
            always, never = sum(c == k for c, k in tasks), sum(c == 0 for c, _ in tasks)
            agree = fmean((comb(c, 2) + comb(k - c, 2)) / comb(k, 2) for c, k in tasks)
            shares = [100 * x / n for x in (always, n - always - never, never, n - never)]
            rows.append((run.name, tasks[0][1], n, *shares, 100 * agree))
    names = ("always right", "sometimes", "never", "right at least once", "two passes agree")
    return Table(
        id="vg_consistency",
        title="Consistency over passes",
        columns=(
            Column(name="model"),
            Column(name="passes", unit="count"),
            Column(name="tasks", unit="count"),
            *(Column(name=n, unit="percent") for n in names),
        ),
        rows=tuple(rows),
        note="Tasks with a verdict in every pass; agreement is the mean over tasks of the share of equal pairs."
        if rows
        else "",
        missing="" if rows else ONCE if runs else NO_RUN,
        plot=Plot(kind="stacks", x="model", y=names[:3]) if rows else None,
        group=GROUP,
    )


def by_task(runs: Sequence[Answers]) -> Table:
    """How often each model was right on each task; the hardest tasks first."""
    several = [(r, c) for r in runs if (c := counted(r))]
    items = {t: r.items[t] for r, _ in several for t in r.items}
    rows: list[tuple[Cell, ...]] = []
    for task, item in items.items():
        told = [c.get(task) for _, c in several]
        asked = sum(k for _, k in filter(None, told))
        share = 100 * sum(c for c, _ in filter(None, told)) / asked if asked else None
        cells = [None if x is None else f"{x[0]}/{x[1]}" for x in told]
        rows.append((task, label(item, "category"), label(item, "difficulty"), *cells, share))
    rows.sort(key=lambda r: (r[-1] is None, r[-1], r[0]))
    return Table(
        id="vg_tasks",
        title="Times right, task by task",
        columns=(
            Column(name="task"),
            Column(name="category"),
            Column(name="difficulty"),
            *(Column(name=r.name) for r, _ in several),
            Column(name="right", unit="percent"),
        ),
        rows=tuple(rows),
        note="Right of asked; empty where a pass has no verdict." if rows else "",
        missing="" if rows else ONCE if runs else NO_RUN,
        group=GROUP,
    )
