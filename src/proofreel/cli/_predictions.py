"""What ``predictions`` does once its words are read."""

from pathlib import Path

from rich.console import Console

from proofreel.benchmarks.videozerobench.files import prediction_rows, score_file, write_predictions
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.core.errors import UserError
from proofreel.runs.numbers_load import load_run
from proofreel.runs.views import run_view


def write_out(run: Path, out: Path | None, epoch: int) -> None:
    """The predictions of a run as a file."""
    if out is None:
        raise UserError(f"{run}: name the file to write with --out FILE.tsv or FILE.json")
    view = run_view(load_run(run))
    if view.benchmark != "videozerobench":
        raise UserError(f"{run}: a run of {view.benchmark}; this form is videozerobench's")
    if epoch > view.epochs:
        raise UserError(f"{run}: it has {view.epochs} passes, there is no pass {epoch}")
    rows = prediction_rows(view, epoch)
    write_predictions(rows, out)
    blank = sum(not row["prediction"] for row in rows)
    said = f", {blank} of them not run" if blank else ""
    Console().print(f"{len(rows)} questions{said}: {out}", markup=False, highlight=False, soft_wrap=True)


def score(file: Path, mode: Mode, box_mode: str | None) -> None:
    """Scores a file and prints its metrics."""
    metrics, target = score_file(file, box_mode, mode)
    console = Console()
    for name, value in metrics.items():
        console.print(f"{name:20s} {value:8.2f}", markup=False, highlight=False)
    if mode == "official" and box_mode is None:
        said = "official scoring without --box-mode: no box counts, as in the published code"
        console.print(f"note: {said}", style="yellow", markup=False, highlight=False)
    console.print(f"scored: {target}", markup=False, highlight=False, soft_wrap=True)
