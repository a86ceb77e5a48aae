"""Rows and columns in a terminal, of which no value is ever cut."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

GAP = 2
PIPED = 140
"""Columns to use at least where nobody sees a terminal: a file or a pipe has no width."""


def print_grid(
    console: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], text: Iterable[int] = (0,)
) -> None:
    """Prints a grid in the first form that fits: as it is, with wrapped words, on its side, or wider than the screen.

    Args:
        console: where it goes.
        heads: names of the columns.
        rows: cells as they are printed, as many as ``heads``.
        text: places of columns that hold words: on the left, and wrapped where room is short. Others are numbers.
    """
    lines, words = [list(r) for r in rows], set(text)
    room = console.width if console.is_terminal else max(console.width, PIPED)
    whole = [_wide(column) for column in zip_longest(heads, *lines, fillvalue="")]
    least = [_least(head, [r[k] for r in lines], k in words) for k, head in enumerate(heads)]
    if _sum(least) <= room:
        _print(console, heads, lines, words, _share(least, whole, room - _sum(least)))
        return
    sides = [list(column) for column in zip(heads, *lines, strict=True)]
    side = [_wide(column) for column in zip(*sides, strict=True)]
    if _sum(side) <= room:
        _print(console, None, sides, {0}, side)
        return
    _print(console, heads, lines, words, whole)


def _wide(cells: Iterable[str]) -> int:
    return max((cell_len(c) for c in cells), default=0)


def _least(head: str, cells: list[str], words: bool) -> int:
    """How narrow a column may be: a head breaks between words, a number never, words of a cell as a head."""
    parts = [w for c in cells for w in c.split()] if words else cells
    return max(_wide(head.split()), _wide(parts))


def _share(least: list[int], whole: list[int], left: int) -> list[int]:
    """Widths with the room that is left given away, to the columns that need least first."""
    widths = list(least)
    for k in sorted(range(len(widths)), key=lambda n: whole[n] - least[n]):
        more = min(left, whole[k] - least[k])
        widths[k], left = widths[k] + more, left - more
    return widths


def _sum(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _print(
    console: Console,
    heads: Sequence[str] | None,
    rows: list[list[str]],
    words: set[int],
    widths: list[int],
) -> None:
    grid = Table(
        box=None,
        padding=(0, GAP, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=heads is not None,
    )
    for k, width in enumerate(widths):
        grid.add_column(
            "" if heads is None else heads[k],
            justify="left" if k in words else "right",
            width=width,
            overflow="fold",
            style="dim" if heads is None and k == 0 else "",
        )
    for row in rows:
        grid.add_row(*row)
    # The console given knows only its own width; a wider grid goes to the same place through one that has it.
    to = console if _sum(widths) <= console.width else Console(file=console.file, width=_sum(widths))
    to.print(grid, markup=False, highlight=False, crop=False)
