"""A blob on disk that cannot be half there: header with length and checksum, written aside and renamed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

_MAGIC = b"PFBLOB1\n"
_HEADER = len(_MAGIC) + 8 + 32


def write_blob(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` in one step: readers see the old file, or the whole new one, never a part.

    Raises:
        OSError: the disk refused; nothing is left at ``path`` that was not there before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + len(data).to_bytes(8, "big") + hashlib.sha256(data).digest())
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_blob(path: Path) -> bytes | None:
    """The data at ``path``; None when there is no such file or it is not the whole of what was written.

    Raises:
        OSError: the file exists and cannot be read.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    data = raw[_HEADER:]
    length = int.from_bytes(raw[len(_MAGIC) : len(_MAGIC) + 8], "big")
    whole = (
        raw.startswith(_MAGIC)
        and len(raw) >= _HEADER
        and len(data) == length
        and hashlib.sha256(data).digest() == raw[len(_MAGIC) + 8 : _HEADER]
    )
    return data if whole else None
