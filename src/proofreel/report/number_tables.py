"""The tables every report has, whatever the benchmark: accuracy, endings, cost, tools, ranks, differences, slices."""

from collections.abc import Sequence

from proofreel.core import Table
from proofreel.report._table_base import ENDINGS, run_names
from proofreel.report._tables_results import (
    accuracy_table,
    curve_table,
    endings_table,
    leaderboard_table,
    official_table,
    pairs_table,
    slices_table,
    tiou_table,
)
from proofreel.report._tables_usage import cost_table, epochs_table, histogram_table, tools_table, usage_table
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_ranking import Leaderboard
from proofreel.runs.numbers_records import RunNumbers

__all__ = ["ENDINGS", "number_tables", "run_names"]


def number_tables(
    runs: Sequence[RunNumbers], pairs: Sequence[Pair], boards: Sequence[Leaderboard]
) -> tuple[Table, ...]:
    """All of them, in the order of a report; those that say nothing about these runs are left out."""
    names = run_names(runs)
    found: list[Table] = [accuracy_table(runs, names), endings_table(runs, names)]
    found += [leaderboard_table(b, names, len(boards) > 1) for b in boards]
    found += [pairs_table(names, pairs)] if pairs else []
    found.append(usage_table(runs, names))
    if any(n.usage.tokens is not None and n.usage.tokens.total for n in runs):
        found.append(cost_table(runs, names, "tokens"))
    if sum(bool(n.usage.cost_per_question) for n in runs) > 1:
        found.append(cost_table(runs, names, "usd"))
    found += (
        [tools_table(runs, names), histogram_table(runs, names)] if any(n.usage.tools for n in runs) else []
    )
    found += [epochs_table(runs, names)] if any(n.epochs for n in runs) else []
    found += (
        [tiou_table(runs, names), curve_table(runs, names)] if any(n.tiou is not None for n in runs) else []
    )
    found += [official_table(runs, names)] if any(n.official for n in runs) else []
    return (*found, *slices_table(runs, names))
