"""Name and entry of the benchmark, and its own way of asking, judging and telling."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proofreel.benchmarks.benchmark import DataError, LoadedSet, benchmark
from proofreel.core import Item, Table, Trajectory

if TYPE_CHECKING:
    from proofreel.agents import AgentContext
    from proofreel.benchmarks.hooks import JudgeContext, Judged, RunView

ROOT_VARIABLE = "VideoZeroBench"


async def _exam(item: Item, ctx: "AgentContext", agent: str) -> Trajectory:
    from proofreel.benchmarks.videozerobench.exam import exam

    return await exam(item, ctx, agent)


async def _judge(trajectory: Trajectory, item: Item, ctx: "JudgeContext") -> "Judged":
    from proofreel.benchmarks.videozerobench.judge import judge

    return await judge(trajectory, item, ctx)


def _tables(runs: "Sequence[RunView]") -> Sequence[Table]:
    from proofreel.benchmarks.videozerobench.tables import tables

    return tables(runs)


@benchmark(
    "videozerobench",
    summary="500 questions on 138 videos; an answer counts with its moments and boxes",
    exam=_exam,
    judge=_judge,
    tables=_tables,
)
def load(root: Path | None) -> LoadedSet:
    """Reads the question table and the videos below ``root``, or below the folder ``VideoZeroBench`` names.

    A folder of your own with ``questions.jsonl`` and no table is read as the benchmark ``folder`` reads it, and can be
    asked on all levels where its questions have windows and boxes.
    """
    from proofreel.benchmarks.videozerobench.loader import load_folder

    named = os.environ.get(ROOT_VARIABLE)
    chosen = root or (Path(named).expanduser() if named else None)
    if chosen is None:
        raise DataError(
            "videozerobench: name the data folder with --data DIR (it holds VideoZeroBench_500_v0.tsv)"
        )
    return load_folder(chosen)
