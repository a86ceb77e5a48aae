"""The identity of a file: SHA-256 of its bytes, worked out once for each state of the file."""

from __future__ import annotations

import contextlib
import hashlib
import stat
import threading
import time
from os import PathLike
from pathlib import Path

from ._blob import read_blob, write_blob
from ._place import cache_dir
from .errors import UnreadableContainer

_known: dict[str, str] = {}
_lock = threading.Lock()
# A file changed twice within one tick of its clock keeps its stamp; one this fresh is hashed again next time.
_SETTLE_SECONDS = 2.0


def file_hash(path: str | PathLike[str]) -> str:
    """SHA-256 of the file as 64 hex digits.

    Remembered by (absolute path, size, modification time in ns, inode), in memory and under ``cache_dir()``, so
    that a large file is read once; files changed in the last two seconds are not remembered.

    Raises:
        UnreadableContainer: there is no such file, it is a folder, or it cannot be read.
    """
    path = Path(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            raise UnreadableContainer(path, "is a folder, pipe or device; give a plain file")
        stamp = _stamp(path)
        if (found := _recall(stamp)) is not None:
            return found
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        settled = time.time() - path.stat().st_mtime > _SETTLE_SECONDS
        if settled and _stamp(path) == stamp:
            _remember(stamp, digest)
    except OSError as error:
        raise UnreadableContainer(
            path, f"cannot be read: {error.strerror or type(error).__name__}; check the path"
        ) from error
    return digest


def _stamp(path: Path) -> str:
    now = path.stat()
    return f"{path.absolute()}|{now.st_size}|{now.st_mtime_ns}|{now.st_ino}"


def _place(stamp: str) -> Path:
    name = hashlib.sha256(stamp.encode("utf-8", "surrogateescape")).hexdigest()
    return cache_dir() / "hashes" / name[:2] / name[2:]


def _recall(stamp: str) -> str | None:
    with _lock:
        if stamp in _known:
            return _known[stamp]
    # The disk copy only saves time: when it cannot be read the file is hashed.
    with contextlib.suppress(OSError):
        if (data := read_blob(_place(stamp))) is not None:
            digest = data.decode("ascii")
            with _lock:
                _known[stamp] = digest
            return digest
    return None


def _remember(stamp: str, digest: str) -> None:
    with _lock:
        _known[stamp] = digest
    with contextlib.suppress(OSError):
        write_blob(_place(stamp), digest.encode("ascii"))
