"""Speed against named rivals. `python -m benchmarks_perf` runs every module here that has a `run`."""
