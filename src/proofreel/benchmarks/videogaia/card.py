"""Name and entry of the benchmark, its judge and its tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proofreel.benchmarks.benchmark import DataError, LoadedSet, benchmark
from proofreel.core import Item, Table, Trajectory

if TYPE_CHECKING:
    from proofreel.benchmarks.hooks import JudgeContext, Judged, RunView


async def _judge(trajectory: Trajectory, item: Item, ctx: "JudgeContext") -> "Judged":
    from proofreel.benchmarks.videogaia.judge import judge

    return await judge(trajectory, item, ctx)


def _tables(runs: "Sequence[RunView]") -> Sequence[Table]:
    from proofreel.benchmarks.videogaia.tables import tables

    return tables(runs)


@benchmark(
    "videogaia",
    summary="271 open questions on short videos that need the video and the web",
    judge=_judge,
    tables=_tables,
)
def load(root: Path | None) -> LoadedSet:
    """Reads ``videogaia_271.jsonl`` (or another ``videogaia*.jsonl``) and ``videos/`` below ``root``."""
    if root is None:
        raise DataError("videogaia: name the data folder with --data DIR (it holds videogaia_271.jsonl)")
    from proofreel.benchmarks.videogaia.loader import load_folder

    return load_folder(root)
