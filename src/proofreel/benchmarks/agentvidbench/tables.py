"""Tables and figures of the paper that need no trajectory judge; the judge's own are in ``judges``."""

from collections.abc import Sequence

from proofreel.benchmarks.agentvidbench._runs import scored
from proofreel.benchmarks.agentvidbench._tables_data import data_tables
from proofreel.benchmarks.agentvidbench._tables_methods import method_tables
from proofreel.benchmarks.agentvidbench._tables_slices import slice_tables
from proofreel.benchmarks.agentvidbench._tables_stats import statistics_tables
from proofreel.benchmarks.hooks import RunView
from proofreel.core import Table


def agentvidbench_tables(runs: Sequence[RunView]) -> list[Table]:
    """All of them, in the order of the paper; a table whose runs are absent says which would fill it."""
    ours = scored(runs)
    items = {s.item.question.id: s.item for r in runs for s in r.scored}
    durations = {k: v for r in runs for k, v in r.durations.items()}
    return [
        *method_tables(ours),
        *slice_tables(ours, durations),
        *statistics_tables(ours),
        *data_tables(list(items.values()), durations),
    ]
