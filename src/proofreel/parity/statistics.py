"""Statistics; official and careful mode are the same."""

from typing import Any

from proofreel.parity.runner import adapter
from proofreel.stats import parity as stats

Row = dict[str, Any]
# The vectors say in words that an end of a rank interval may be one rank off.
TOLERANCES = {"rank_stability": {"rank_interval_95": 1.0}}


def _register(name: str, run: stats.Adapter) -> None:
    @adapter(name, tolerances=TOLERANCES.get(name))
    def _run(row: Row, mode: str) -> Any:
        return run(row)


for _name, _given in stats.ADAPTERS.items():
    _register(_name, _given)
