"""One drawing for each kind of plot; what is missing is left out of a drawing, never drawn as 0."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from proofreel.core import Plot, Table
from proofreel.core.table import Cell
from proofreel.report.table_text import cell_text, heading

COLOURS = ("#2f5fe0", "#c2570c", "#0c756d", "#8a4bd1", "#b3322c", "#6b7a12", "#1c86b3", "#a8467f")
ENDINGS = {
    "right": "#15734a",
    "wrong": "#b3322c",
    "abstained": "#d39a2d",
    "unparsed": "#6647d1",
    "model failed": "#b4540a",
    "judge failed": "#1c68b3",
    "harness failed": "#0c756d",
    "excluded": "#c9c6be",
    "not run": "#8b8d94",
}
"""Endings have their own colours, in every figure the same."""
WIDTH = 6.4


def size(table: Table) -> tuple[float, float]:
    """Inches: horizontal kinds grow with their rows."""
    plot = _plot(table)
    rows = len(table.rows)
    if plot.kind == "radar":
        return (5.6, 5.0)
    if plot.kind in ("bars", "stacks", "intervals", "heat"):
        return (WIDTH, min(30.0, 1.5 + 0.3 * rows))
    if plot.kind == "grouped_bars":
        # The legend stands below, a line or more of it: with less than this one row leaves no room for its bars.
        return (WIDTH, min(30.0, max(2.8, 1.6 + rows * (0.16 + 0.16 * len(plot.y)))))
    return (WIDTH, 3.8)


def number(value: Cell) -> float:
    """A value to draw; NaN for what is missing or no number."""
    return float(value) if isinstance(value, int | float) else math.nan


def colour(name: str, place: int) -> str:
    """Colour of a series."""
    return ENDINGS.get(name, COLOURS[place % len(COLOURS)])


def _plot(table: Table) -> Plot:
    if table.plot is None:
        raise ValueError(f"table {table.id} has no plot")
    return table.plot


def _labels(table: Table) -> list[str]:
    column = next(c for c in table.columns if c.name == _plot(table).x)
    return [_short(cell_text(v, column)) for v in table.column(column.name)]


def _short(text: str, most: int = 34) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _head(table: Table, name: str) -> str:
    return heading(next(c for c in table.columns if c.name == name))


def _digits(table: Table, name: str) -> Callable[[float], str]:
    column = next(c for c in table.columns if c.name == name)
    return lambda v: cell_text(v, column)


def _horizontal(figure: Any, table: Table) -> Any:
    axes = figure.add_subplot()
    axes.set_title(table.title)
    axes.set_yticks(range(len(table.rows)), _labels(table))
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    return axes


def _whole(axis: Any, table: Table, names: Sequence[str]) -> None:
    """Ticks on whole numbers for counts and ranks."""
    columns = [c for c in table.columns if c.name in names]
    if all(c.unit == "count" or (c.unit == "number" and c.digits == 0) for c in columns):
        axis.get_major_locator().set_params(integer=True)


def _legend(axes: Any, many: int) -> None:
    if many:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=min(4, many))


def bars(figure: Any, table: Table) -> None:
    """One bar a row, with its value."""
    name = _plot(table).y[0]
    axes = _horizontal(figure, table)
    told = _digits(table, name)
    values = [number(v) for v in table.column(name)]
    axes.barh(range(len(values)), values, height=0.62, color=COLOURS[0])
    for place, value in enumerate(values):
        if not math.isnan(value):
            axes.annotate(
                told(value), (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8
            )
    axes.margins(x=0.12)
    _whole(axes.xaxis, table, (name,))
    axes.set_xlabel(_head(table, name))


def grouped_bars(figure: Any, table: Table) -> None:
    """A group of bars a row, one a series."""
    names = _plot(table).y
    axes = _horizontal(figure, table)
    height = 0.8 / len(names)
    for k, name in enumerate(names):
        places = [n - 0.4 + (k + 0.5) * height for n in range(len(table.rows))]
        values = [number(v) for v in table.column(name)]
        axes.barh(places, values, height=height * 0.9, color=colour(name, k), label=_short(name))
    axes.set_xlabel(_unit(table, names))
    _legend(axes, len(names) if len(names) > 1 else 0)


def stacks(figure: Any, table: Table) -> None:
    """One bar a row, made of its series; series that are nowhere are left out."""
    axes = _horizontal(figure, table)
    left = [0.0] * len(table.rows)
    drawn = 0
    for k, name in enumerate(_plot(table).y):
        values = [0.0 if math.isnan(v := number(c)) else v for c in table.column(name)]
        if not any(values):
            continue
        axes.barh(
            range(len(values)), values, left=left, height=0.62, color=colour(name, k), label=_short(name)
        )
        left = [a + b for a, b in zip(left, values, strict=True)]
        drawn += 1
    axes.set_xlabel(_unit(table, _plot(table).y))
    axes.margins(x=0)
    _whole(axes.xaxis, table, _plot(table).y)
    _legend(axes, drawn)


def intervals(figure: Any, table: Table) -> None:
    """A point a row with its interval; a row without an interval is a point alone."""
    plot = _plot(table)
    axes = _horizontal(figure, table)
    values = [number(v) for v in table.column(plot.y[0])]
    ends = [
        (number(a), number(b))
        for a, b in zip(
            *(table.column(n) if n else table.column(plot.y[0]) for n in (plot.low, plot.high)), strict=True
        )
    ]
    for place, (low, high) in enumerate(ends):
        if not (math.isnan(low) or math.isnan(high)):
            axes.plot(
                (low, high), (place, place), color=COLOURS[0], linewidth=5, alpha=0.3, solid_capstyle="round"
            )
    axes.scatter(values, range(len(values)), color=COLOURS[0], zorder=3, s=30)
    known = [v for pair in ends for v in pair if not math.isnan(v)]
    if known and min(known) < 0 < max(known):
        axes.axvline(0, color="#3a3c42", linewidth=1, linestyle=(0, (4, 3)))
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.margins(x=0.06)
    _whole(axes.xaxis, table, plot.y)
    axes.set_xlabel(_head(table, plot.y[0]))


def series_of(table: Table) -> list[tuple[str, list[Cell], list[float]]]:
    """(name, abscissae, values) of every line or cloud, by series column or by columns of values."""
    plot = _plot(table)
    xs = table.column(plot.x)
    if plot.series is None:
        return [(name, list(xs), [number(v) for v in table.column(name)]) for name in plot.y]
    found: dict[str, tuple[list[Cell], list[float]]] = {}
    for label, x, y in zip(table.column(plot.series), xs, table.column(plot.y[0]), strict=True):
        one = found.setdefault(str(label), ([], []))
        one[0].append(x)
        one[1].append(number(y))
    return [(name, x, y) for name, (x, y) in found.items()]


def lines(figure: Any, table: Table) -> None:
    """A line a series over numbers or labels."""
    plot = _plot(table)
    axes = figure.add_subplot()
    axes.set_title(table.title)
    for k, (name, xs, ys) in enumerate(series_of(table)):
        at: Sequence[Any] = xs if any(isinstance(x, str) for x in xs) else [number(x) for x in xs]
        axes.plot(at, ys, color=colour(name, k), marker="o", markersize=3, label=_short(name))
    if plot.log_x:
        axes.set_xscale("log")
    if all(not y < 0 for _, _, ys in series_of(table) for y in ys):
        axes.set_ylim(bottom=0)
    axes.set_xlabel(_head(table, plot.x))
    axes.set_ylabel(_unit(table, plot.y))
    _legend(axes, len(series_of(table)))


def scatter(figure: Any, table: Table) -> None:
    """A point a row, labelled by its series."""
    plot = _plot(table)
    axes = figure.add_subplot()
    axes.set_title(table.title)
    for k, (name, xs, ys) in enumerate(series_of(table)):
        points = [(number(x), y) for x, y in zip(xs, ys, strict=True)]
        points = [(x, y) for x, y in points if not (math.isnan(x) or math.isnan(y))]
        if not points or (plot.log_x and any(x <= 0 for x, _ in points)):
            continue
        axes.scatter(
            [x for x, _ in points], [y for _, y in points], color=COLOURS[k % len(COLOURS)], s=36, zorder=3
        )
        if plot.series:
            axes.annotate(_short(name, 26), points[0], (6, 4), textcoords="offset points", fontsize=8)
    if plot.log_x:
        axes.set_xscale("log")
    axes.margins(0.14)
    axes.set_xlabel(_head(table, plot.x))
    axes.set_ylabel(_unit(table, plot.y))


def radar(figure: Any, table: Table) -> None:
    """A polygon a series; a spoke without a value opens the polygon and is not drawn as 0."""
    axes = figure.add_subplot(projection="polar")
    axes.set_title(table.title, pad=18)
    labels = list(dict.fromkeys(_labels(table)))
    angles = [2 * math.pi * n / len(labels) for n in range(len(labels))]
    column = next(c for c in table.columns if c.name == _plot(table).x)
    for k, (name, xs, ys) in enumerate(series_of(table)):
        by_label = {_short(cell_text(x, column)): y for x, y in zip(xs, ys, strict=True)}
        values = [by_label.get(label, math.nan) for label in labels]
        axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            color=colour(name, k),
            linewidth=1.6,
            marker="o",
            markersize=3,
            label=_short(name),
        )
        if not any(math.isnan(v) for v in values):
            axes.fill(angles, values, color=colour(name, k), alpha=0.08)
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, [_short(label, 22) for label in labels], fontsize=8)
    for text, angle in zip(axes.get_xticklabels(), angles, strict=True):
        across = math.sin(angle)
        text.set_horizontalalignment("center" if abs(across) < 0.2 else "left" if across > 0 else "right")
    axes.set_rlabel_position(180 / len(labels))
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=2)


def heat(figure: Any, table: Table) -> None:
    """A row a label, a column a series, every value printed."""
    plot = _plot(table)
    axes = figure.add_subplot()
    axes.set_title(table.title)
    grid = [[number(v) for v in row] for row in zip(*(table.column(n) for n in plot.y), strict=True)]
    axes.imshow(grid, cmap="Oranges", aspect="auto", vmin=0)
    known = [v for row in grid for v in row if not math.isnan(v)]
    top = max(known, default=1.0) or 1.0
    told = [_digits(table, n) for n in plot.y]
    for r, row in enumerate(grid):
        for c, value in enumerate(row):
            if not math.isnan(value):
                axes.text(
                    c,
                    r,
                    told[c](value),
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color="white" if value > 0.62 * top else "#3a3c42",
                )
    axes.set_yticks(range(len(grid)), _labels(table))
    axes.set_xticks(range(len(plot.y)), [_short(n, 18) for n in plot.y], rotation=20, ha="right", fontsize=8)
    axes.grid(visible=False)


def histogram(figure: Any, table: Table) -> None:
    """Upright bars over bins, one a series beside each other."""
    names = _plot(table).y
    axes = figure.add_subplot()
    axes.set_title(table.title)
    width = 0.9 / len(names)
    for k, name in enumerate(names):
        places = [n - 0.45 + (k + 0.5) * width for n in range(len(table.rows))]
        axes.bar(
            places,
            [number(v) for v in table.column(name)],
            width=width,
            color=colour(name, k),
            label=_short(name),
        )
    labels = _labels(table)
    long = sum(map(len, labels)) > 80
    axes.set_xticks(
        range(len(labels)), labels, rotation=50 if long else 0, ha="right" if long else "center", fontsize=8
    )
    axes.grid(axis="x", visible=False)
    _whole(axes.yaxis, table, names)
    axes.set_xlabel(_plot(table).x)
    axes.set_ylabel(_unit(table, names))
    _legend(axes, len(names) if len(names) > 1 else 0)


def _unit(table: Table, names: Sequence[str]) -> str:
    """Name of the axis of values: the column's own heading, or what several columns have in common."""
    if len(names) == 1:
        return _head(table, names[0])
    units = {c.unit for c in table.columns if c.name in names}
    told = {"percent": "%", "count": "count", "seconds": "seconds", "usd": "USD", "tokens": "tokens"}
    return told.get(units.pop(), "") if len(units) == 1 else ""


KINDS: dict[str, Callable[[Any, Table], None]] = {
    "bars": bars,
    "grouped_bars": grouped_bars,
    "stacks": stacks,
    "lines": lines,
    "scatter": scatter,
    "radar": radar,
    "heat": heat,
    "intervals": intervals,
    "histogram": histogram,
}
