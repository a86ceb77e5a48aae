"""Tables and figures of the VideoGAIA paper that rest on answers, tokens and tool calls.

Causes of errors need an audit and are built beside the judges; case walk-throughs are the report's questions.
"""

from collections.abc import Sequence

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videogaia._answers import (
    CATEGORIES,
    LEVELS,
    TOOLS,
    Answers,
    answers,
    tasks_with,
    values_of,
)
from proofreel.core import Column, Item, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoGAIA"
MOST_POLYGONS = 8
OTHER = "other names"
"""Calls of tools that there are not, and those of other agents."""
RUN = "No run: proofreel run videogaia --data DIR --agent AGENT --model MODEL --judge JUDGE --out RUN"


def result_tables(runs: Sequence[RunView]) -> list[Table]:
    """All of them, in the order of the paper; a table whose runs are absent says which would fill it."""
    found = answers(runs)
    items = {name: item for a in found for name, item in a.items.items()}
    return [
        main(found, items),
        board(found),
        levels(found, items),
        tools(found),
        efficiency(found),
        correlations(found),
        radar(found, items),
    ]


def _table(
    id: str, title: str, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], missing: str = RUN,
    note: str = "", plot: Plot | None = None,
) -> Table:  # fmt: skip
    return Table(
        id=id,
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        note=note if rows else "",
        missing="" if rows else missing,
        plot=plot if rows else None,
        group=GROUP,
    )


def _ranked(runs: Sequence[Answers]) -> list[Answers]:
    return sorted(runs, key=lambda a: -(a.share() or 0.0))


def _percent(name: str, digits: int = 2) -> Column:
    return Column(name=name, unit="percent", digits=digits, better="high")


def main(runs: Sequence[Answers], items: dict[str, Item]) -> Table:
    """T1: pass@1 of every model by category and over all tasks (micro average), and how the passes differ."""
    names = values_of(items, "category", CATEGORIES)
    sizes = {n: len(tasks_with(items, "category", n)) for n in names}
    rows: list[tuple[Cell, ...]] = []
    for run in _ranked(runs):
        cells = [run.share(tasks_with(run.items, "category", n)) for n in names]
        rows.append((run.name, *cells, run.share(), run.spread, len(run.passes), run.unjudged, run.missing))
    return _table(
        "vg_t1_main",
        "T1: pass@1 by category",
        (
            Column(name="model"),
            *(_percent(f"{n} (n={sizes[n]})") for n in names),
            _percent("overall"),
            Column(name="SD over passes", unit="number", digits=2),
            Column(name="passes", unit="count"),
            Column(name="unjudged", unit="count"),
            Column(name="not run", unit="count"),
        ),
        rows,
        note=f"Percent of {len(items)} tasks, mean over passes; overall is over tasks, not over categories. Unjudged "
        "tasks count as incorrect; tasks not run and faults of the harness are left out and counted.",
    )


def board(runs: Sequence[Answers]) -> Table:
    """Figure 2: the leaderboard."""
    return _table(
        "vg_f2_leaderboard",
        "Figure 2: leaderboard",
        (Column(name="model"), _percent("pass@1")),
        [(r.name, r.share()) for r in _ranked(runs)],
        plot=Plot(kind="bars", x="model", y=("pass@1",)),
    )


def levels(runs: Sequence[Answers], items: dict[str, Item]) -> Table:
    """Figure 5: level 1 against level 2, and the gap."""
    sizes = [len(tasks_with(items, "difficulty", n)) for n in LEVELS]
    rows: list[tuple[Cell, ...]] = []
    for run in _ranked(runs):
        one, two = (run.share(tasks_with(run.items, "difficulty", n)) for n in LEVELS)
        if one is not None or two is not None:
            rows.append((run.name, one, two, None if one is None or two is None else one - two))
    return _table(
        "vg_f5_levels",
        "Figure 5: level 1 and level 2",
        (Column(name="model"), _percent("L1"), _percent("L2"), Column(name="gap", unit="number", digits=2)),
        rows,
        note=f"{sizes[0]} tasks of level 1, {sizes[1]} of level 2; the gap is L1 minus L2 in points.",
        plot=Plot(kind="grouped_bars", x="model", y=LEVELS),
    )


def tools(runs: Sequence[Answers]) -> Table:
    """Figures 6 and 11: shares of the tools over all explicit calls, on right and wrong trajectories alike."""
    strange = any(set(r.calls) - set(TOOLS) for r in runs)
    names = (*TOOLS, *((OTHER,) if strange else ()))
    rows: list[tuple[Cell, ...]] = []
    for run in _ranked(runs):
        total = sum(run.calls.values())
        if total:
            counts = {**run.calls, OTHER: total - sum(run.calls[n] for n in TOOLS)}
            shares = (100 * counts.get(n, 0) / total for n in names)
            rows.append((run.name, total, total / run.done, *shares))
    return _table(
        "vg_f6_tools",
        "Figures 6 and 11: tool use",
        (
            Column(name="model"),
            Column(name="calls", unit="count"),
            Column(name="calls a task", unit="number", digits=2),
            *(Column(name=f"{n}, share", unit="percent") for n in names),
        ),
        rows,
        note="Malformed actions are no calls.",
        plot=Plot(kind="stacks", x="model", y=tuple(f"{n}, share" for n in names)),
    )


def efficiency(runs: Sequence[Answers]) -> Table:
    """Figure 9, left: visible output tokens of a task against accuracy."""
    rows = [(r.name, r.visible, r.output_cost, r.share()) for r in _ranked(runs) if r.visible is not None]
    return _table(
        "vg_f9_length",
        "Figure 9: length of answers against accuracy",
        (
            Column(name="model"),
            Column(name="visible output tokens a task", unit="tokens", digits=0),
            Column(name="USD of visible output", unit="usd", digits=3),
            _percent("pass@1"),
        ),
        rows,
        note="Visible output: completion tokens of all turns without reasoning. USD: of all tasks once, by the model's "
        "standard output price; without input, tools, judge and reasoning. Empty: price not known.",
        plot=Plot(kind="scatter", x="visible output tokens a task", y=("pass@1",), series="model"),
    )


def correlations(runs: Sequence[Answers]) -> Table:
    """Figure 9: correlation of accuracy with length and with the logarithm of cost; and the cost scatter."""
    from math import log10

    from proofreel.stats import pearson, spearman

    rows: list[tuple[Cell, ...]] = []
    pairs = {
        "visible output tokens a task": [
            (r.visible, s) for r in runs if (s := r.share()) is not None and r.visible
        ],
        "log10 of USD": [
            (log10(c), s) for r in runs if (s := r.share()) is not None and (c := r.output_cost)
        ],
    }
    for what, points in pairs.items():
        if len(points) < 3:
            continue
        x, y = [a for a, _ in points], [b for _, b in points]
        linear, ranks = pearson(x, y), spearman(x, y)
        rows.append((what, len(points), linear.value, linear.p, ranks.value, ranks.p))
    return _table(
        "vg_f9_correlations",
        "Figure 9: correlation with accuracy",
        (
            Column(name="quantity"),
            Column(name="models", unit="count"),
            Column(name="Pearson r", unit="number", digits=2),
            Column(name="p", unit="number", digits=3),
            Column(name="Spearman", unit="number", digits=2),
            Column(name="p of Spearman", unit="number", digits=3),
        ),
        rows,
        f"Fewer than three models with tokens and prices; run more: {RUN.removeprefix('No run: ')}",
    )


def radar(runs: Sequence[Answers], items: dict[str, Item]) -> Table:
    """Figure 10: a spoke a category, a polygon a model."""
    names = values_of(items, "category", CATEGORIES)
    rows: list[tuple[Cell, ...]] = [
        (
            f"{n} (n={len(tasks_with(items, 'category', n))})",
            *(r.share(tasks_with(r.items, "category", n)) for r in runs),
        )
        for n in names
    ]
    return _table(
        "vg_f10_radar",
        "Figure 10: categories",
        (Column(name="category"), *(_percent(r.name) for r in runs)),
        rows if runs else [],
        plot=Plot(
            kind="radar" if len(runs) <= MOST_POLYGONS else "heat",
            x="category",
            y=tuple(r.name for r in runs),
        )
        if runs
        else None,
    )
