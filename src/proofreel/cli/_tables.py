"""Tables of data in a terminal."""

from collections.abc import Sequence

from rich.console import Console

from proofreel.cli._grid import print_grid
from proofreel.core import Table
from proofreel.report.table_text import best_rows, cell_text, heading, missing


def print_table(console: Console, table: Table, names: Sequence[str] | None = None) -> None:
    """Title, rows and note; a table without rows says what would fill it. ``names`` chooses columns."""
    console.print()
    console.print(table.title, style="bold", markup=False, highlight=False)
    if not table.rows:
        console.print(missing(table), style="yellow", markup=False, highlight=False, soft_wrap=True)
        return
    places = [k for k, c in enumerate(table.columns) if names is None or c.name in names]
    best = {k: best_rows(table, k) for k in places}
    rows = [
        [cell_text(row[k], table.columns[k]) + ("*" if n in best[k] else "") for k in places]
        for n, row in enumerate(table.rows)
    ]
    text = [n for n, k in enumerate(places) if table.columns[k].unit == "text"]
    print_grid(console, [heading(table.columns[k]) for k in places], rows, text)
    if table.note:
        console.print(table.note, style="dim", markup=False, highlight=False, soft_wrap=True)
