"""Name and entry of the benchmark."""

from pathlib import Path

from proofreel.benchmarks.benchmark import DataError, LoadedSet, benchmark
from proofreel.benchmarks.folder.loader import load_folder


@benchmark("folder", summary="any folder with questions.jsonl and videos (form: docs/benchmarks.md)")
def load(root: Path | None) -> LoadedSet:
    """Reads ``questions.jsonl`` below ``root``; video paths in it are relative to ``root``."""
    if root is None:
        raise DataError("folder: name the data folder with --data DIR (it holds questions.jsonl)")
    return load_folder(root)
