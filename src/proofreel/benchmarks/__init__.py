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

__all__ = [
    "Benchmark",
    "DataError",
    "LoadedSet",
    "Problem",
    "benchmark",
    "get_benchmark",
    "list_benchmarks",
]
