"""What ``human_study`` does once its words are read."""

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from proofreel.benchmarks import get_benchmark
from proofreel.benchmarks.videozerobench.human import aggregate, human_tables, read_replies
from proofreel.benchmarks.videozerobench.marks import level_runs
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.core import Table
from proofreel.core.errors import UserError
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
        console.print(_grid(table))
        if table.note:
            console.print(table.note, style="dim", markup=False, highlight=False)
    if out is not None:
        out.write_text(
            json.dumps([t.model_dump(mode="json") for t in tables], ensure_ascii=False, indent=1) + "\n"
        )
        console.print(f"tables: {out}", markup=False, highlight=False, soft_wrap=True)


def _grid(table: Table) -> Grid:
    grid = Grid(title=table.title, header_style="bold", box=None, padding=(0, 3, 0, 0), title_justify="left")
    for column in table.columns:
        grid.add_column(column.name, justify="left" if column.unit == "text" else "right")
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        grid.add_row(
            *("" if v is None else f"{v:.{c.digits}f}" if isinstance(v, float) else str(v) for c, v in cells)
        )
    return grid
