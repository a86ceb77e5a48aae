"""Runs: what starts agents on many items, keeps every result, and goes on after a kill."""

from proofreel.runs.direct import Result, load_results, run_direct

__all__ = ["Result", "load_results", "run_direct"]
