"""The auxiliary experiments: thinking with videos (T3, T7), inputs and frames (T4, T5, T10)."""

from collections.abc import Sequence

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videozerobench.marks import level_runs
from proofreel.benchmarks.videozerobench.tables_inputs import evidence, modality, sampling
from proofreel.benchmarks.videozerobench.tables_thinking import rounds, scaling
from proofreel.core import Table


def more_tables(runs: Sequence[RunView]) -> list[Table]:
    """T3, T4, T5, T7 and T10; without runs for it a table says which command fills it."""
    found = level_runs(runs)
    return [rounds(found), evidence(found), modality(found), scaling(found), sampling(found)]
