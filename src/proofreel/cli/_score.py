"""What ``score`` does once its words are read."""

from pathlib import Path

from rich.console import Console

from proofreel.cli._grid import print_grid
from proofreel.core import Outcome
from proofreel.runs.rescore import rescore
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.start import gold_of


def score_run(
    path: Path,
    *,
    mode: str | None,
    judge: str | None,
    fallback_judge: str | None,
    base_url: str | None,
    name: str | None,
    data: Path | None,
    force: bool,
) -> None:
    """Judges anew, writes the file, prints what changed."""
    run = RunFolder.open(path)
    items = gold_of(run, data=data, force=force)
    chosen = run.settings.mode if mode is None else "official" if mode == "official" else "careful"
    scores, file = rescore(
        run, items, mode=chosen, judge=judge, fallback_judge=fallback_judge, base_url=base_url, name=name
    )
    first = {o: sum(r.verdict.outcome is o for r in run.latest().values()) for o in Outcome}
    rows = [
        (outcome.value.replace("_", " "), str(first[outcome]), str(scores.counts.get(outcome.value, 0)))
        for outcome in Outcome
        if scores.counts.get(outcome.value) or first[outcome]
    ]
    console = Console()
    print_grid(console, ("outcome", "first", scores.name), rows)
    console.print(f"{scores.changed} of {len(scores.items)} verdicts differ", highlight=False)
    console.print(f"scores: {file}", markup=False, highlight=False, soft_wrap=True)
