"""The question table, TSV or its JSON twin, with every cell left as it is written."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from proofreel.benchmarks.benchmark import DataError

TABLE = "VideoZeroBench_500_v0"


def has_table(root: Path) -> bool:
    """Whether a folder holds a file named like the question table."""
    return any(p.suffix in (".tsv", ".json") for p in root.glob("VideoZeroBench*"))


def find_table(root: Path) -> Path:
    """The question table of a data folder: the published name, else the only file named like it.

    Raises:
        DataError: there is none, or there are several.
    """
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; give the folder that holds {TABLE}.tsv")
    for name in (f"{TABLE}.tsv", f"{TABLE}.json"):
        if (root / name).is_file():
            return root / name
    found = sorted(p for p in root.glob("VideoZeroBench*") if p.suffix in (".tsv", ".json"))
    if len(found) == 1:
        return found[0]
    several = (
        f"several tables ({', '.join(p.name for p in found)}); keep one" if found else "no question table"
    )
    raise DataError(f"{root}: {several}; it must hold {TABLE}.tsv or {TABLE}.json")


def read_table(path: Path) -> list[dict[str, Any]]:
    """Rows of a table as dictionaries; TSV cells stay text, so that no answer turns into a number or NaN.

    Raises:
        DataError: the file cannot be read, or is no such table.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    rows: Any
    if path.suffix == ".json":
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}: no JSON ({error})") from None
        if not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
            raise DataError(f"{path}: must be a JSON list of objects, one a question")
        return list(rows)
    usual = csv.field_size_limit(2**31 - 1)  # box lists are longer than the default 128 KB allow
    try:
        table, header = _tab_separated(text, path)
    finally:
        csv.field_size_limit(usual)  # the limit is the whole process's
    missing = {"video", "question", "answer"} - set(header)
    if missing:
        raise DataError(f"{path}: no column {', '.join(sorted(missing))}; is it tab-separated with a header?")
    return table


def _tab_separated(text: str, path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows and header. Lines end at line feeds only: a separator of Unicode inside a cell belongs to the cell.

    Cells are quoted as spreadsheets do it. A file that cannot be read so (a cell that merely begins with a quotation
    mark) is read without quoting, if then every line has as many cells as the header.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), dialect="excel-tab", strict=True)
    try:
        rows: list[dict[str, Any]] = list(reader)
        return rows, list(reader.fieldnames or ())
    except csv.Error as error:
        plain = [line.split("\t") for line in text.replace("\r\n", "\n").split("\n") if line]
        if any(len(cells) != len(plain[0]) for cells in plain):
            raise DataError(
                f"{path} line {reader.reader.line_num}: not a tab-separated row ({error})"
            ) from None
        return [dict(zip(plain[0], cells, strict=True)) for cells in plain[1:]], plain[0]
