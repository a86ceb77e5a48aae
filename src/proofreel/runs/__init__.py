"""Runs: what starts agents on many items, keeps every result, and goes on after a kill.

Names are loaded on first use, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofreel.runs._files import RunError
    from proofreel.runs.direct import Result, load_results, run_direct
    from proofreel.runs.journal import Journal, Totals
    from proofreel.runs.result import RunResult, latest
    from proofreel.runs.run_folder import RunFolder, RunState
    from proofreel.runs.settings import RunSettings, differences

_PLACES = {
    "_files": ("RunError",),
    "direct": ("Result", "load_results", "run_direct"),
    "journal": ("Journal", "Totals"),
    "result": ("RunResult", "latest"),
    "run_folder": ("RunFolder", "RunState"),
    "settings": ("RunSettings", "differences"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Journal",
    "Result",
    "RunError",
    "RunFolder",
    "RunResult",
    "RunSettings",
    "RunState",
    "Totals",
    "differences",
    "latest",
    "load_results",
    "run_direct",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
