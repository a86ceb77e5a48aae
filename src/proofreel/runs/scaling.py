"""Test-time scaling: what K answers to each question are worth, from a run with epochs."""

import math
from collections.abc import Sequence

from proofreel.core import Column, Outcome, Plot, Table
from proofreel.core.table import Cell
from proofreel.runs.numbers import value_of
from proofreel.runs.numbers_load import ScoredRun
from proofreel.stats import MissingBounds, PassAtK, pass_at_k

GROUP = "Test-time scaling"
COMMAND = "proofreel run BENCH --agent AGENT --model MODEL --epochs 5 --generate temperature=0.7 --set temperature=0.7"


def scaling(run: ScoredRun) -> PassAtK | None:
    """Pass@K of a run, K its epochs, videos as clusters; None for a run with one epoch or without counted questions.

    An answer that cannot be read or a model that gave none is wrong, as in every accuracy here. What was not run, or
    was spoilt by the harness or the judge, is missing and stays so: it makes bounds. Excluded questions are left out.
    """
    passes = range(1, run.settings.epochs + 1)
    if len(passes) < 2:
        return None
    rows, videos = [], []
    for item in run.settings.items:
        verdicts = [run.verdicts.get((item, e)) for e in passes]
        if any(v is not None and v.outcome is Outcome.EXCLUDED for v in verdicts):
            continue
        rows.append([math.nan if (v := value_of(x)) is None else v for x in verdicts])
        videos.append(run.video(item))
    return pass_at_k(rows, videos) if rows else None


def scaling_table(runs: Sequence[ScoredRun]) -> Table:
    """A row for each run with several epochs; percent of questions."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        found = scaling(run)
        if found is not None:
            s = run.settings
            label = " ".join(n for n in (s.agent, s.model) if n)
            rows.append((label, found.k, found.items, *scaling_cells(found)))
    return Table(
        id="test_time_scaling",
        title="Test-time scaling: K answers to each question",
        columns=(
            Column(name="run"),
            Column(name="K", unit="count"),
            Column(name="questions", unit="count"),
            *scaling_columns(),
        ),
        rows=tuple(rows),
        note=(
            "Any: right at least once in K; all: right every time. Intervals by video; with answers missing they hold "
            "whatever those would have been, and the share is of the questions that are decided."
        ),
        missing="" if rows else f"no run with several epochs; {COMMAND}",
        plot=Plot(kind="grouped_bars", x="run", y=("one answer", "any", "all")) if rows else None,
        group=GROUP,
    )


def scaling_columns() -> tuple[Column, ...]:
    """Columns of ``scaling_cells``."""
    names = ("one answer", "any", "any low", "any high", "all", "all low", "all high")
    high = {"one answer", "any", "all"}
    return (
        *(Column(name=n, unit="percent", better="high" if n in high else None) for n in names),
        Column(name="undecided any", unit="count"),
        Column(name="undecided all", unit="count"),
    )


def scaling_cells(found: PassAtK) -> tuple[Cell, ...]:
    """Mean of one answer, any and all with their intervals in percent, and how many questions stay undecided."""
    one = None if found.one is None else 100 * found.one
    return (
        one,
        *_three(found.at_least_once),
        *_three(found.every_time),
        found.at_least_once.missing,
        found.every_time.missing,
    )


def _three(bounds: MissingBounds) -> tuple[Cell, Cell, Cell]:
    share = None if bounds.observed is None else 100 * bounds.observed
    if bounds.interval is None:
        return share, None, None
    return share, 100 * bounds.interval.low, 100 * bounds.interval.high
