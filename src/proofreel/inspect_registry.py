"""What the engine finds of ours by its entry point: our provider, and agents and tasks where they are there."""

from importlib import import_module
from importlib.util import find_spec

from proofreel.models.provider import proofreel

OPTIONAL = ("proofreel.agents.engine", "proofreel.tools.engine", "proofreel.benchmarks.engine")
"""Modules that register agents, tools and tasks; each is loaded only where it exists."""


def _load(module: str) -> None:
    package = module.rpartition(".")[0]
    if find_spec(package) is not None and find_spec(module) is not None:
        import_module(module)


for _module in OPTIONAL:
    _load(_module)

__all__ = ["proofreel"]
