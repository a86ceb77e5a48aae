"""Several agents x models x benchmarks from one file, each combination a run of its own.

The YAML file has settings as in ``proofreel run`` (with ``set``, ``generate`` and ``budget`` as maps); the values of
``benchmarks``, ``agents`` and ``models`` are lists, whose entries are names or maps that may carry settings of their
own::

    limit: 20
    benchmarks: [{benchmark: agentvidbench, data: data/avb}]
    agents: [blind, {agent: video_react, set: {mode_note: x}}]
    models: [openai/gpt-5, {model: Qwen/Qwen3-VL-8B-Instruct, base_url: "http://127.0.0.1:8000/v1"}]

Agents that need no model run once for a benchmark, not once for a model, unless ``with_models: true`` is given there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from proofreel.agents.agent import AGENTS
from proofreel.core import Outcome
from proofreel.core.errors import UserError
from proofreel.runs.progress import Progress, Tallied, money
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.setup import Wanted, prepare_run
from proofreel.runs.start import resume, start

_LISTS = {"benchmarks": "benchmark", "agents": "agent", "models": "model"}
_RENAMED = {"set": "options", "generate": "generate", "budget": "limits"}


@dataclass(frozen=True)
class Cell:
    """One combination: the name of its folder and what is wanted."""

    name: str
    wanted: Wanted


@dataclass
class Row:
    """How one combination ended."""

    name: str
    state: str
    tally: Tallied | None = None
    trouble: str | None = None

    def cells(self) -> tuple[str, ...]:
        """For the table at the end."""
        t = self.tally
        if t is None:
            return (self.name, self.state, *("-",) * 7)
        right = t.outcomes[Outcome.RIGHT]
        failed = (
            t.outcomes[Outcome.MODEL_FAILED]
            + t.outcomes[Outcome.HARNESS_FAILED]
            + t.outcomes[Outcome.JUDGE_FAILED]
        )
        return (
            self.name,
            self.state,
            f"{t.done}/{t.total}",
            str(right),
            f"{right / t.counted:.1%}" if t.counted else "-",
            str(t.outcomes[Outcome.UNPARSED]),
            str(failed),
            money(t.usd, t.unpriced) if t.calls else "-",
            f"{t.tokens:,}",
        )


def combinations(file: Path) -> list[Cell]:
    """The combinations of a matrix file, in order.

    Raises:
        UserError: the file cannot be read, or a key is not known.
    """
    common = _read(file)
    axes = [_axis(file, common, many, one) for many, one in _LISTS.items()]
    cells: dict[str, Cell] = {}
    for entries in product(*axes):
        merged: dict[str, Any] = dict(common)
        for entry in entries:
            for key, value in entry.items():
                both = isinstance(value, dict) and isinstance(merged.get(key), dict)
                merged[key] = {**merged[key], **value} if both else value
        with_models = merged.pop("with_models", False)
        if not with_models and not _needs_model(merged.get("agent")):
            merged.pop("model", None)
        wanted = _wanted(file, merged)
        if any(cell.wanted == wanted for cell in cells.values()):
            continue
        name, number = _name(wanted), 2
        while name in cells:
            name, number = f"{_name(wanted)}-{number}", number + 1
        cells[name] = Cell(name, wanted)
    return list(cells.values())


def run_combinations(
    cells: list[Cell], out: Path, console: Any = None, total_cost: float | None = None
) -> list[Row]:
    """Runs or resumes each combination in its own folder below ``out``; one that breaks does not stop the others.

    Args:
        cells: from ``combinations``.
        out: folder of the matrix.
        console: shows progress; None shows nothing.
        total_cost: hard stop for all of them together in USD, what is in ``out`` already included.
    """
    rows = []
    for cell in cells:
        left = None if total_cost is None else total_cost - sum(spent(out / c.name) for c in cells)
        most = max(dearest(out / c.name) for c in cells)
        if left is not None and left <= most and not _done(out / cell.name):
            why = f"the limit for all runs leaves {left:.4f} USD, less than one question has cost"
            rows.append(Row(cell.name, "not started", trouble=why))
        else:
            rows.append(_run(cell, out / cell.name, console, left))
    return rows


def _done(folder: Path) -> bool:
    if not (folder / "run.json").exists():
        return False
    state = RunFolder.open(folder).state
    return state is not None and state.state == "done"


def dearest(folder: Path) -> float:
    """USD of the dearest question of a run, 0 where none has ended."""
    if not (folder / "run.json").exists():
        return 0.0
    return max((r.trajectory.tokens.cost_usd or 0.0 for r in RunFolder.open(folder).results()), default=0.0)


def spent(folder: Path) -> float:
    """USD that a run has cost so far, 0 where there is none."""
    if not (folder / "run.json").exists():
        return 0.0
    return RunFolder.open(folder).totals().paid.cost_usd or 0.0


def _run(cell: Cell, folder: Path, console: Any, left: float | None) -> Row:
    row = Row(cell.name, "broken")
    try:
        if (folder / "run.json").exists():
            run = RunFolder.open(folder)
            limit = _limit(cell.wanted.max_cost, left, spent(folder))
            with Progress(len(run.settings.keys), run.latest().values(), run.totals(), console) as progress:
                run, state = resume(folder, progress, max_cost=limit)
        else:
            prepared = prepare_run(replace(cell.wanted, max_cost=_limit(cell.wanted.max_cost, left, 0.0)))
            with Progress(len(prepared.settings.keys), console=console) as progress:
                run, state = start(prepared, folder, progress)
        row.state, row.trouble = state.state, state.reason
        row.tally = Tallied.of(len(run.settings.keys), run.latest().values(), run.totals())
    except UserError as error:
        row.trouble = str(error)
    return row


def _limit(own: float | None, left: float | None, used: float) -> float | None:
    """The limit of one run: its own, or what is left for all together on top of what it has used."""
    both = [v for v in (own, None if left is None else used + left) if v is not None]
    return min(both) if both else None


def _read(file: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]  # comes with the engine

    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{file}: is no YAML ({' '.join(str(error).split())[:200]})") from None
    if not isinstance(value, dict):
        raise UserError(f"{file}: must be a map with benchmarks, agents and models")
    return value


def _axis(file: Path, common: dict[str, Any], many: str, one: str) -> list[dict[str, Any]]:
    entries = common.pop(many, None)
    if entries is None:
        return [{}]
    if not isinstance(entries, list) or not entries:
        raise UserError(f"{file}: {many} must be a list with at least one entry")
    return [e if isinstance(e, dict) else {one: e} for e in entries]


def _needs_model(agent: Any) -> bool:
    spec = AGENTS.all().get(str(agent))
    return spec is None or spec.needs_model


def _wanted(file: Path, merged: dict[str, Any]) -> Wanted:
    known = {f.name for f in fields(Wanted)} - {"exact", "options", "limits"} | set(_RENAMED)
    for key in merged:
        if key not in known:
            raise UserError(
                f"{file}: unknown key {key!r}; there are: {', '.join(sorted(known))}, and the lists"
            )
    if not merged.get("benchmark"):
        raise UserError(f"{file}: no benchmark is named; give benchmarks: [...]")
    values = {_RENAMED.get(k, k): v for k, v in merged.items()}
    if values.get("data") is not None:
        values["data"] = _beside(file, str(values["data"]))
    if "ids" in values:
        values["ids"] = str(values["ids"])
    names = {v: k for k, v in _RENAMED.items()}
    try:
        wanted: Wanted = TypeAdapter(Wanted).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(names.get(str(part), str(part)) for part in first["loc"])
        raise UserError(f"{file}: {key}: {first['msg']}, not {first['input']!r}") from None
    for key in ("epochs", "limit", "concurrency", "max_cost"):
        value = getattr(wanted, key)
        if value is not None and not value > 0:
            raise UserError(f"{file}: {key} must be more than 0, not {value}")
    return wanted


def _beside(file: Path, path: str) -> Path:
    """Data folders are named as seen from the matrix file."""
    return Path(path) if Path(path).is_absolute() else file.parent / path


def _name(wanted: Wanted) -> str:
    return "-".join(re.sub(r"[^A-Za-z0-9._-]+", "_", part) for part in _parts(wanted))


def _parts(wanted: Wanted) -> Iterator[str]:
    yield wanted.benchmark
    yield wanted.agent
    if wanted.model:
        yield wanted.model
