"""Runs vector files against the adapters; knows nothing of what the functions do."""

import importlib
import json
import math
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofreel.core.errors import UserError

Adapter = Callable[[dict[str, Any], str], Any]
_ADAPTERS: dict[str, Adapter] = {}
_TOLERANCES: dict[str, Mapping[str, float]] = {}


def adapter(name: str, *, tolerances: Mapping[str, float] | None = None) -> Callable[[Adapter], Adapter]:
    """Registers ``(input, mode) -> output`` for the vectors whose ``fn`` is ``name``.

    ``tolerances`` are those of single keys of the output, where the vectors state them in words only.
    """

    def register(run: Adapter) -> Adapter:
        _ADAPTERS[name] = run
        _TOLERANCES[name] = tolerances or {}
        return run

    return register


@dataclass(frozen=True)
class Mismatch:
    """A vector whose output is not the expected one."""

    id: str
    fn: str
    want: Any
    got: Any


@dataclass
class Report:
    """Counts per function: (passed, failed); functions without an adapter are not covered."""

    passed: dict[str, int] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)
    not_covered: dict[str, int] = field(default_factory=dict)

    @property
    def total_passed(self) -> int:
        """Vectors that gave what was expected."""
        return sum(self.passed.values())


def _same(want: Any, got: Any, tolerance: float) -> bool:
    """Equal, with floats within the tolerance; ints and floats of one value are the same, booleans are not numbers."""
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    if isinstance(want, int | float) and isinstance(got, int | float):
        return math.isclose(want, got, rel_tol=0.0, abs_tol=tolerance)
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(_same(v, got[k], tolerance) for k, v in want.items())
    if isinstance(want, list) and isinstance(got, list | tuple):
        return len(want) == len(got) and all(_same(w, g, tolerance) for w, g in zip(want, got, strict=True))
    return bool(want == got)


def _matches(row: dict[str, Any], want: Any, got: Any, *, subset: bool) -> bool:
    if (
        isinstance(want, dict)
        and "error" in want
        and isinstance(got, dict)
        and "error" in got
        and len(want) == 1
    ):
        return True  # the name after "error" is a label, not a class to match
    if subset and isinstance(want, dict) and isinstance(got, dict):
        got = {k: got[k] for k in want if k in got}
    tolerance = float(row.get("tolerance", 1e-9))
    own = _TOLERANCES.get(row["fn"])
    if own and isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(
            _same(v, got[k], own.get(k, tolerance)) for k, v in want.items()
        )
    return _same(want, got, tolerance)


def _load() -> None:
    package = importlib.import_module("proofreel.parity")
    for info in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"proofreel.parity.{info.name}")


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); give a vector file (.jsonl)") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
                row["id"], row["fn"], row["input"], row["expected"]
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise UserError(f"{path} line {number}: not a vector ({error})") from None
            yield row


def run_files(paths: Iterable[Path], mode: str) -> Report:
    """Runs every vector of the files in ``official`` or ``careful`` mode.

    Official wants ``expected``; careful wants ``recommended`` where it stands and ``expected`` elsewhere; of a
    recommended object only the keys it holds are compared.

    Raises:
        UserError: a file cannot be read or is no vector file, or the mode is unknown.
    """
    if mode not in ("official", "careful"):
        raise UserError(f"mode is official or careful, got {mode!r}")
    _load()
    report = Report()
    for path in paths:
        for row in _rows(path):
            name = row["fn"]
            if name not in _ADAPTERS:
                report.not_covered[name] = report.not_covered.get(name, 0) + 1
                continue
            recommended = mode == "careful" and "recommended" in row
            want = row["recommended"] if recommended else row["expected"]
            try:
                got = _ADAPTERS[name](row["input"], mode)
            except Exception as error:  # noqa: BLE001  a typed error is a result the vectors ask for
                got = {"error": type(error).__name__}
            if _matches(row, want, got, subset=recommended):
                report.passed[name] = report.passed.get(name, 0) + 1
            else:
                report.mismatches.append(Mismatch(row["id"], name, want, got))
    return report
