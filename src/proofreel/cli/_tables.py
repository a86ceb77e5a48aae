"""Tables of data in a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as Grid

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
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in (table.columns[k] for k in places):
        grid.add_column(heading(column), justify="left" if column.unit == "text" else "right")
    best = {k: best_rows(table, k) for k in places}
    for n, row in enumerate(table.rows):
        cells = {k: cell_text(row[k], table.columns[k]) for k in places}
        grid.add_row(*(f"{text}*" if n in best[k] else text for k, text in cells.items()))
    console.print(grid, markup=False, highlight=False)
    if table.note:
        console.print(table.note, style="dim", markup=False, highlight=False, soft_wrap=True)
