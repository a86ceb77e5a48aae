"""The protocol's tables and figures from finished runs, in the order of the paper."""

from collections.abc import Sequence

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videozerobench.marks import level_runs
from proofreel.benchmarks.videozerobench.tables_audit import audit_tables
from proofreel.benchmarks.videozerobench.tables_beside import beside_tables
from proofreel.benchmarks.videozerobench.tables_data import data_tables
from proofreel.benchmarks.videozerobench.tables_main import main_tables
from proofreel.benchmarks.videozerobench.tables_more import more_tables
from proofreel.benchmarks.videozerobench.tables_repeats import repeat_tables
from proofreel.benchmarks.videozerobench.tables_set import set_tables
from proofreel.benchmarks.videozerobench.tables_slices import slice_tables
from proofreel.benchmarks.videozerobench.tables_thresholds import threshold_tables
from proofreel.core import Table


def tables(views: Sequence[RunView]) -> list[Table]:
    """All tables; one whose data is absent has no rows and says what run would fill it."""
    runs = level_runs(views)
    return [
        *main_tables(runs),
        *beside_tables(runs),
        *set_tables(views),
        *data_tables(views),
        *threshold_tables(runs),
        *slice_tables(runs),
        *repeat_tables(runs),
        *more_tables(views),
        *audit_tables(runs),
    ]
