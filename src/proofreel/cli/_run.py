"""What ``run`` and ``resume`` do once their words are read."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from proofreel.cli._grid import print_grid
from proofreel.core import Outcome
from proofreel.runs.progress import Progress, Tallied
from proofreel.runs.run_folder import RunFolder, RunState
from proofreel.runs.setup import Prepared, Wanted, prepare_run

FAILED = (Outcome.MODEL_FAILED, Outcome.JUDGE_FAILED, Outcome.HARNESS_FAILED)
"""Endings that a second try may mend."""
STOPPED = 4
"""Exit code of a run that is not done."""


def run_one(out: Path | None, **words: Any) -> None:
    """Starts a run and says how it ended; exit code 4 when it is not done."""
    from proofreel.runs.start import start

    console = Console()
    prepared = prepare_run(Wanted(**words))
    folder = out or default_folder(prepared.settings.name)
    RunFolder.check_free(folder)
    _announce(prepared, folder, console)
    with Progress(len(prepared.settings.keys), console=console) as progress:
        run, state = start(prepared, folder, progress)
    tell(run, state, console)


def resume_one(path: Path, **words: Any) -> None:
    """Goes on with a run and says how it ended; exit code 4 when it is not done."""
    from proofreel.runs.start import resume

    console = Console()
    run = RunFolder.open(path)
    with Progress(len(run.settings.keys), run.latest().values(), run.totals(), console) as progress:
        run, state = resume(path, progress, **words)
    tell(run, state, console)


def default_folder(name: str) -> Path:
    """``runs/<name>-<time>``, with a name that every file system takes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
    return Path("runs") / f"{plain}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _announce(prepared: Prepared, folder: Path, console: Console) -> None:
    settings = prepared.settings
    size = f"{_count(len(settings.items), 'question')} x {settings.epochs}, {_count(len(settings.videos), 'video')}"
    console.print(
        f"{settings.name}: {size} -> {folder}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    for note in prepared.notes[:6]:
        console.print(f"  note: {note}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    if len(prepared.notes) > 6:
        console.print(f"  note: and {len(prepared.notes) - 6} more, all in run.json", style="yellow")


def tell(run: RunFolder, state: RunState, console: Console) -> None:
    """The end of a run in a few lines."""
    totals = run.totals()
    tally = Tallied.of(len(run.settings.keys), run.latest().values(), totals)
    say: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}
    for problem in run.problems:
        console.print(f"note: {problem}", style="yellow", **say)
    console.print(f"{state.state}: {tally.line()}", style="bold", **say)
    if totals.unfinished or totals.replayed.calls:
        console.print(
            f"all attempts: {totals.attempts}, of which {totals.unfinished} were cut off; "
            f"{totals.replayed.calls} calls ({totals.replayed.total:,} tokens) replayed without being paid again; "
            f"{totals.seconds:.1f} s of agent time",
            **say,
        )
    _tell_failures(run, console)
    if state.state == "done":
        console.print(f"results: {run.results_path}", **say)
        console.print(f"next: proofreel report {run.path}", **say)
        return
    console.print(f"stopped: {state.reason}", style="yellow", **say)
    console.print(f"go on with: proofreel resume {run.path}", **say)
    raise typer.Exit(STOPPED)


def _tell_failures(run: RunFolder, console: Console) -> None:
    """Why questions have no answer or no verdict, the most frequent reasons first, and how to ask them again."""
    reasons: dict[str, list[str]] = {}
    for result in run.latest().values():
        if result.verdict.outcome in FAILED:
            said = " ".join((result.verdict.reason or "no reason given").split())
            reasons.setdefault(f"{result.verdict.outcome.value.replace('_', ' ')}: {said}", []).append(
                result.item_id
            )
    say: dict[str, Any] = {"style": "yellow", "markup": False, "highlight": False, "soft_wrap": True}
    often = sorted(reasons.items(), key=lambda r: -len(r[1]))
    for why, items in often[:3]:
        more = f" and {len(items) - 3} more" if len(items) > 3 else ""
        console.print(f"{why} (question {', '.join(items[:3])}{more})", **say)
    if len(often) > 3:
        console.print(f"{len(often) - 3} more reasons: proofreel report {run.path}", **say)
    if reasons:
        console.print(f"once more: proofreel resume {run.path} --retry-failed", **say)


def run_matrix(file: Path, out: Path | None, max_cost: float | None = None) -> None:
    """Every combination of a matrix file; exit code 4 when one of them is not done."""
    from proofreel.runs.matrix import combinations, run_combinations

    console = Console()
    cells = combinations(file)
    folder = out or default_folder(file.stem)
    rows = run_combinations(cells, folder, console, max_cost)
    heads = ("run", "state", "done", "right", "accuracy", "unparsed", "failed", "spend", "tokens")
    print_grid(console, heads, [row.cells() for row in rows], text=(0, 1))
    if any(row.tally for row in rows):
        console.print(f"next: proofreel report {folder}/*", markup=False, highlight=False, soft_wrap=True)
    for row in rows:
        if row.trouble:
            console.print(f"{row.name}: {row.trouble}", style="yellow", markup=False, soft_wrap=True)
    if any(row.trouble for row in rows):
        raise typer.Exit(STOPPED)
