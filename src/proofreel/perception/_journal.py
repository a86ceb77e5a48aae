"""A file of JSON lines that survives a kill at any byte: what is in it was done, what is not is done again."""

import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any


class Journal:
    """Records of finished work, one JSON object a line, closed by ``{"done": true}``.

    A torn last line is cut off when the file is opened. One process at a time may have it open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[dict[str, Any]] = []
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "Journal":
        self.records, size = read_records(self.path)
        self._file = self.path.open("ab")
        self._file.truncate(size)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def done(self) -> bool:
        """Whether the work is finished."""
        return bool(self.records) and self.records[-1].get("done") is True

    def append(self, record: dict[str, Any]) -> None:
        """Writes one record through to the system at once.

        Raises:
            OSError: the disk is full or gone.
        """
        if self._file is None:
            raise ValueError(f"{self.path.name} is not open")
        self._file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        self.records.append(record)


def read_records(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole records of a file, and the bytes they take; nothing for a file that is not there."""
    if not path.is_file():
        return [], 0
    records: list[dict[str, Any]] = []
    size = 0
    with path.open("rb") as stream:
        for raw in stream:
            try:
                record = json.loads(raw) if raw.endswith(b"\n") else None
            except ValueError:
                record = None
            if not isinstance(record, dict):
                break
            records.append(record)
            size += len(raw)
    return records, size
