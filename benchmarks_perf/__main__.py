"""Runs the benchmarks of this folder: every module without a leading underscore that has `run(full)`.

python -m benchmarks_perf [--full] [NAME ...]
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import time

import benchmarks_perf

parser = argparse.ArgumentParser(prog="python -m benchmarks_perf", description="Speed against named rivals.")
parser.add_argument("names", nargs="*", help="modules to run; all by default")
parser.add_argument(
    "--full", action="store_true", help="full-size inputs and three rounds: takes much longer"
)
arguments = parser.parse_args()

modules = [m.name for m in pkgutil.iter_modules(benchmarks_perf.__path__) if not m.name.startswith("_")]
unknown = set(arguments.names) - set(modules)
if unknown:
    parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(modules)}")
for name in arguments.names or modules:
    run = getattr(importlib.import_module(f"benchmarks_perf.{name}"), "run", None)
    if run is not None:
        began = time.perf_counter()
        print(f"\n== {name}", flush=True)
        run(full=arguments.full)
        print(f"   ({time.perf_counter() - began:.0f} s)", flush=True)
