"""A table as CSV (values as they are), Markdown and LaTeX (values as they are printed)."""

import csv
import io
import re
import unicodedata
from typing import Any

from proofreel.core import Table
from proofreel.core.table import Cell, Column

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_FORMULA = tuple("=+-@")
_NUMBER = re.compile(r"[+-]?[\d.,]+(e[+-]?\d+)?\s*%?", re.IGNORECASE).fullmatch
_TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
_BREAKS = "\u2028\u2029"
_UNITS = {"percent": "%", "seconds": "s", "usd": "USD"}


def cell_text(value: Cell, column: Column) -> str:
    """How a value is printed; a missing one is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if column.unit in ("count", "tokens") and float(value).is_integer():
        return f"{int(value):,}"
    if column.unit == "text":
        return str(value)
    if 0 < value < 0.5 * 10**-column.digits:
        return f"<{10**-column.digits:.{column.digits}f}"
    return f"{value:,.{column.digits}f}"


def heading(column: Column) -> str:
    """Name of a column with its unit, once."""
    unit = _UNITS.get(column.unit)
    return column.name if unit is None or unit in column.name else f"{column.name} ({unit})"


def best_rows(table: Table, place: int) -> set[int]:
    """Rows with the best value of a column, among two different numbers or more; none where no end is best."""
    better = table.columns[place].better
    numbers = {n: row[place] for n, row in enumerate(table.rows) if isinstance(row[place], int | float)}
    if better is None or len(set(numbers.values())) < 2:
        return set()
    best = (max if better == "high" else min)(numbers.values())  # type: ignore[type-var]
    return {n for n, value in numbers.items() if value == best}


def csv_cell(value: Any) -> Any:
    """A value for CSV: missing is empty; a text that a spreadsheet would run as a formula gets an apostrophe before it.

    Texts come from models and questions. Numbers, and texts that are numbers, stay as they are.
    """
    if value is None:
        return ""
    if isinstance(value, str) and value.lstrip()[:1] in _FORMULA and value.strip("-") and not _NUMBER(value):
        return f"'{value}"
    return value


def to_csv(table: Table) -> str:
    """CSV with a header; what is missing is an empty cell, never 0."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([csv_cell(c.name) for c in table.columns])
    writer.writerows([csv_cell(v) for v in row] for row in table.rows)
    return text.getvalue()


def to_markdown(table: Table, level: int = 2) -> str:
    """Heading, table and note; the best value of a column is bold."""
    escape = markdown

    lines = [f"{'#' * level} {one_line(table.title)}", ""]
    if table.rows:
        best = [best_rows(table, k) for k in range(len(table.columns))]
        lines.append("| " + " | ".join(escape(heading(c)) for c in table.columns) + " |")
        lines.append("|" + "|".join("---" if c.unit == "text" else "---:" for c in table.columns) + "|")
        for n, row in enumerate(table.rows):
            cells = [
                f"**{escape(cell_text(v, c))}**" if n in best[k] else escape(cell_text(v, c))
                for k, (v, c) in enumerate(zip(row, table.columns, strict=True))
            ]
            lines.append("| " + " | ".join(cells) + " |")
    else:
        lines.append(f"*{missing(table)}*")
    if table.note:
        lines += ["", table.note]
    return "\n".join([*lines, ""])


def to_latex(table: Table) -> str:
    """A ``table`` environment for ``booktabs``; the best value of a column is bold."""
    lines = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering"]
    lines.append(rf"\caption{{{latex(table.title)}{'. ' + latex(table.note) if table.note else ''}}}")
    lines.append(rf"\label{{tab:{table.id}}}")
    if table.rows:
        best = [best_rows(table, k) for k in range(len(table.columns))]
        lines.append(
            rf"\begin{{tabular}}{{{''.join('l' if c.unit == 'text' else 'r' for c in table.columns)}}}"
        )
        lines.append(r"\toprule")
        lines.append(" & ".join(latex(heading(c)) for c in table.columns) + r" \\")
        lines.append(r"\midrule")
        for n, row in enumerate(table.rows):
            cells = [latex(cell_text(v, c)) for v, c in zip(row, table.columns, strict=True)]
            cells = [rf"\textbf{{{text}}}" if n in best[k] else text for k, text in enumerate(cells)]
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
    else:
        lines.append(latex(missing(table)))
    return "\n".join([*lines, r"\end{table}", ""])


def one_line(text: str) -> str:
    """Text without line breaks and control characters; each becomes a space."""
    return "".join(" " if ch in _BREAKS or unicodedata.category(ch) in ("Cc", "Cs") else ch for ch in text)


def markdown(text: str) -> str:
    """Text for a cell of a Markdown table: no break, no bar, no tag, no link or picture of its own."""
    for mark in "\\|`[]":
        text = text.replace(mark, f"\\{mark}")
    return _TAG.sub("&lt;", one_line(text))


def missing(table: Table) -> str:
    """Why a table has no rows."""
    return table.missing or "Nothing to show: the runs hold no such data."


def latex(text: str) -> str:
    """Text with everything escaped that LaTeX would read as a command; line breaks become spaces."""
    return "".join(_LATEX.get(ch, ch) for ch in one_line(text))
