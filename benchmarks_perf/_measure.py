"""Each contender in a process of its own: CPU seconds, wall seconds, peak memory, and what it found.

The clock starts after the imports of the contender and stops when all processes it started are gone, so a
decoder process counts with its whole life.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "bench_out"


@dataclass(frozen=True)
class Run:
    """What one run of a contender cost."""

    cpu: float
    wall: float
    mebibytes: float
    found: dict[str, Any]


def measure(function: str, arguments: dict[str, Any], environment: dict[str, str] | None = None) -> Run:
    """Runs `module:function` of this package with JSON arguments in a fresh process."""
    command = [sys.executable, "-m", "benchmarks_perf._measure", function, json.dumps(arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{function} failed:\n{done.stderr}")
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def contest(
    contenders: dict[str, str],
    arguments: dict[str, Any],
    rounds: int,
    environment: dict[str, str] | None = None,
) -> dict[str, list[Run]]:
    """All contenders in turn, `rounds` times over, so that a busy machine is busy for all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, function in contenders.items():
            runs[name].append(measure(function, arguments, environment))
    return runs


def median(runs: Sequence[Run], what: str) -> float:
    return statistics.median(getattr(run, what) for run in runs)


def ratio(runs: dict[str, list[Run]], ours: str, theirs: str, what: str) -> float:
    """Median over the rounds of ours by theirs, each round paired."""
    return statistics.median(
        getattr(a, what) / getattr(b, what) for a, b in zip(runs[ours], runs[theirs], strict=True)
    )


def table(runs: dict[str, list[Run]]) -> None:
    """One line for each contender."""
    print(f"   {'reader':24s} {'CPU s':>8s} {'wall s':>8s} {'peak MiB':>9s}  {'frames':>7s} {'wrong':>6s}")
    for name, of in runs.items():
        found = of[-1].found
        wrong = max(run.found.get("wrong", 0) for run in of)
        print(
            f"   {name:24s} {median(of, 'cpu'):8.2f} {median(of, 'wall'):8.2f} {median(of, 'mebibytes'):9.0f}"
            f"  {found.get('frames', ''):>7} {wrong:>6}"
        )


def verdict(what: str, value: float, target: float) -> None:
    """A ratio beside its target."""
    print(f"   {what}: {value:.2f} (target at most {target:.2f}: {'met' if value <= target else 'MISSED'})")


def _peak(process: int | str) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _children() -> list[str]:
    mine = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
            except OSError:
                continue
            if int(parent) == os.getpid():
                mine.append(entry.name)
    return mine


def _cpu() -> float:
    return sum(
        u.ru_utime + u.ru_stime
        for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _in_this_process(function: str, arguments: dict[str, Any]) -> Run:
    module, _, name = function.partition(":")
    work: Callable[..., dict[str, Any]] = getattr(importlib.import_module(f"benchmarks_perf.{module}"), name)
    prepare = getattr(sys.modules[work.__module__], f"prepare_{name}", None)
    if prepare is not None:
        prepare()
    cpu, wall = _cpu(), time.perf_counter()
    found = work(**arguments)
    wall = time.perf_counter() - wall
    memory = _peak("self") + sum(_peak(child) for child in _children())
    if "proofreel.video._isolate" in sys.modules:
        sys.modules["proofreel.video._isolate"]._pool.close()
    return Run(_cpu() - cpu, wall, memory, found)


if __name__ == "__main__":
    print(json.dumps(_in_this_process(sys.argv[1], json.loads(sys.argv[2])).__dict__))
