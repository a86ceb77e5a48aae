"""Name and entry of the benchmark."""

from pathlib import Path

from proofreel.benchmarks.agentvidbench.loader import load_folder
from proofreel.benchmarks.benchmark import LoadedSet, benchmark

DATA = Path(__file__).parent / "data"


@benchmark("mini", summary="10 questions on two shipped clips (8 by text or speech, 2 only by sight)")
def load(root: Path | None) -> LoadedSet:
    """The shipped folder, or another one of the same form."""
    return load_folder(root or DATA, name="mini")
