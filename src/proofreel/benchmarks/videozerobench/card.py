"""Name and entry of the benchmark."""

import os
from pathlib import Path

from proofreel.benchmarks.benchmark import DataError, LoadedSet, benchmark

ROOT_VARIABLE = "VideoZeroBench"


@benchmark(
    "videozerobench", summary="500 questions on 138 videos; an answer counts with its moments and boxes"
)
def load(root: Path | None) -> LoadedSet:
    """Reads the question table and the videos below ``root``, or below the folder ``VideoZeroBench`` names."""
    from proofreel.benchmarks.videozerobench.loader import load_folder

    named = os.environ.get(ROOT_VARIABLE)
    chosen = root or (Path(named).expanduser() if named else None)
    if chosen is None:
        raise DataError(
            "videozerobench: name the data folder with --data DIR (it holds VideoZeroBench_500_v0.tsv)"
        )
    return load_folder(chosen)
