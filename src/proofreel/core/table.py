"""A table as data: what benchmarks and judges build, and what reports draw, print and write."""

from typing import Literal, Self

from pydantic import Field, model_validator

from proofreel.core._base import Record

Cell = str | int | float | None
"""None is a missing value: an empty cell in every form, never 0."""
Unit = Literal["text", "count", "number", "percent", "seconds", "usd", "tokens"]
PlotKind = Literal[
    "bars", "grouped_bars", "stacks", "lines", "scatter", "radar", "heat", "intervals", "histogram"
]


class Column(Record):
    """One column.

    Attributes:
        name: heading, unique in its table.
        unit: how values are meant; ``percent`` values are in 0-100, ``seconds`` in seconds.
        digits: decimals printed; stored values are never rounded.
        better: which end is best, so that the best value can be marked; None for neither.
    """

    name: str = Field(min_length=1)
    unit: Unit = "text"
    digits: int = Field(default=1, ge=0, le=6)
    better: Literal["high", "low"] | None = None


class Plot(Record):
    """How a table may be drawn: columns by name.

    Attributes:
        x: labels or abscissae (the spokes of a radar, the rows of a heat map).
        y: one or several columns of values; each is a series.
        low: lower ends of intervals around the first ``y``.
        high: upper ends.
        series: column whose values tell rows apart (one line or polygon each), None when ``y`` does.
        log_x: logarithmic abscissa.
    """

    kind: PlotKind
    x: str
    y: tuple[str, ...] = Field(min_length=1)
    low: str | None = None
    high: str | None = None
    series: str | None = None
    log_x: bool = False


class Table(Record):
    """One table of a protocol or of a report.

    Attributes:
        id: file name without ending, such as ``vzb_t2_main``.
        title: heading.
        columns: in order.
        rows: one cell a column.
        note: what a reader must know (mode, n, what the interval is).
        missing: when there are no rows: what run would fill the table, in one sentence with its command.
        plot: how to draw it, None for no figure.
        group: heading under which tables stand together (a benchmark, a judge).
    """

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str = Field(min_length=1)
    columns: tuple[Column, ...] = Field(min_length=1)
    rows: tuple[tuple[Cell, ...], ...] = ()
    note: str = ""
    missing: str = ""
    plot: Plot | None = None
    group: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [c.name for c in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.id}: a column name occurs twice")
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(names):
                raise ValueError(f"table {self.id} row {number}: {len(row)} cells for {len(names)} columns")
        if self.plot is not None:
            p = self.plot
            used = [p.x, *p.y, *(n for n in (p.low, p.high, p.series) if n is not None)]
            if unknown := [n for n in used if n not in names]:
                raise ValueError(f"table {self.id}: the plot names column {unknown[0]!r}, which is not there")
        return self

    def column(self, name: str) -> tuple[Cell, ...]:
        """The values of a column, top to bottom.

        Raises:
            KeyError: no such column.
        """
        for place, column in enumerate(self.columns):
            if column.name == name:
                return tuple(row[place] for row in self.rows)
        raise KeyError(name)
