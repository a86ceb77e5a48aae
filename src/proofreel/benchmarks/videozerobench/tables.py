"""The protocol's tables from finished runs."""

from collections.abc import Sequence

from proofreel.benchmarks.hooks import RunView
from proofreel.core import Table


def tables(runs: Sequence[RunView]) -> list[Table]:
    """To be filled."""
    return []
