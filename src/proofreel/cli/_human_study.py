"""What ``human_study`` does once its words are read."""

import json
from pathlib import Path

from rich.console import Console

from proofreel.benchmarks import get_benchmark
from proofreel.benchmarks.videozerobench.human import aggregate, human_tables, read_replies
from proofreel.benchmarks.videozerobench.marks import level_runs
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.cli._tables import print_table
from proofreel.core.errors import UserError
from proofreel.runs._files import write_atomically
from proofreel.runs.numbers_load import load_run
from proofreel.runs.views import run_view


def human_study(file: Path, *, data: Path | None, runs: list[Path], mode: str, out: Path | None) -> None:
    """Reads, scores, prints, and writes the tables where asked."""
    replies = read_replies(file)
    chosen: Mode = "official" if mode == "official" else "careful"
    views = [run_view(load_run(path)) for path in runs]
    if other := [v for v in views if v.benchmark != "videozerobench"]:
        raise UserError(f"{other[0].path}: a run of {other[0].benchmark}; give runs of videozerobench")
    items = {i.question.id: i for i in get_benchmark("videozerobench").load(data).items}
    tables = human_tables(aggregate(replies, items, chosen), level_runs(views, chosen), chosen)
    console = Console()
    for table in tables:
        print_table(console, table)
    if out is not None:
        text = json.dumps([t.model_dump(mode="json") for t in tables], ensure_ascii=False, indent=1)
        write_atomically(out, text + "\n")
        console.print(f"tables: {out}", markup=False, highlight=False, soft_wrap=True)
