"""Reading a file of one JSON object a line into typed rows, with reasons for the lines that are none."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from proofreel.benchmarks.benchmark import DataError

RowType = TypeVar("RowType", bound=BaseModel)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of every line that is not blank.

    Raises:
        DataError: the file is missing or is no UTF-8 text.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; is this the data folder? it must hold {path.name}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    return ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())


def parse(model: type[RowType], line: str) -> RowType | str:
    """The typed row, or a one-line reason."""
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        return reason(error)


def reason(error: ValidationError) -> str:
    """The first fault as ``field: message``."""
    first = error.errors()[0]
    place = ".".join(str(p) for p in first["loc"])
    return f"{place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}"
