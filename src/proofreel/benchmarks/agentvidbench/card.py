"""Name and entry of the benchmark."""

from collections.abc import Sequence
from pathlib import Path

from proofreel.benchmarks.agentvidbench.loader import load_folder
from proofreel.benchmarks.benchmark import DataError, LoadedSet, benchmark
from proofreel.benchmarks.hooks import RunView
from proofreel.core import Table


def _tables(runs: Sequence[RunView]) -> Sequence[Table]:
    from proofreel.benchmarks.agentvidbench.tables import agentvidbench_tables

    return agentvidbench_tables(runs)


@benchmark(
    "agentvidbench",
    summary="100 multi-hop questions, 26 options, 71 videos, milestones for a judge",
    tables=_tables,
)
def load(root: Path | None) -> LoadedSet:
    """Reads ``questions.jsonl``, ``videos.jsonl``, ``videos/`` and ``transcripts/`` below ``root``."""
    if root is None:
        raise DataError("agentvidbench: name the data folder with --data DIR (it holds questions.jsonl)")
    return load_folder(root, name="agentvidbench")
