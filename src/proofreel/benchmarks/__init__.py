"""Benchmarks: one folder each; a folder registers itself, nothing else needs an edit."""

from proofreel.benchmarks.benchmark import (
    Benchmark,
    DataError,
    LoadedSet,
    Problem,
    benchmark,
    get_benchmark,
    list_benchmarks,
)
from proofreel.benchmarks.hooks import JudgeContext, Judged, RunView, ScoredItem

__all__ = [
    "Benchmark",
    "DataError",
    "JudgeContext",
    "Judged",
    "LoadedSet",
    "Problem",
    "RunView",
    "ScoredItem",
    "benchmark",
    "get_benchmark",
    "list_benchmarks",
]
