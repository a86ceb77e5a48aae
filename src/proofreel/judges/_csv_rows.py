"""Rows of a CSV file that people made."""

import csv
import io
from pathlib import Path

from proofreel.core.errors import UserError


def csv_rows(text: str, path: Path) -> list[dict[str, str | None]]:
    """The rows by column name; cells beyond the header are left out, absent ones are None.

    Args:
        text: the file's content.
        path: for the message.

    Raises:
        UserError: it is no CSV.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="")
    try:
        return [{k: v for k, v in row.items() if k} for row in reader]
    except csv.Error as error:
        raise UserError(f"{path} line {reader.line_num}: is no CSV ({error}); save it as CSV again") from None
