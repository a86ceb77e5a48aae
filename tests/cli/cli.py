"""Runs the command line as people do: in its own process."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def error_lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.strip()]


def proofreel(*args: str | Path, cwd: Path, timeout: float = 120, **env: str) -> Ran:
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-m", "proofreel", *map(str, args)],
        cwd=cwd,
        env={**clean, "COLUMNS": "100", "NO_COLOR": "1", **env},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
