"""Content-addressed media on disk: what is kept, what goes, and nothing half written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import filelock

from ._blob import read_blob, write_blob
from ._hash import file_hash
from ._place import cache_dir, cache_limit

__all__ = ["MediaCache", "cache_dir", "cache_limit", "default_cache", "file_hash"]


_STALE_PART_SECONDS = 3600.0


class _Entry(NamedTuple):
    used: float
    size: int
    path: Path


EVICT_WAIT = 5.0
"""Seconds one process waits while another makes room."""


class MediaCache:
    """Blobs under ``root`` addressed by key, at most about ``max_bytes`` in all, least recently used out first.

    Several processes may share a root: a blob appears whole by a rename, and one process at a time evicts. A blob
    that fails its checksum counts as absent and is written again. A disk that is full, read-only or gone turns
    the cache off with one warning; it never fails the caller. The size may pass the limit by a twentieth for
    each process between two looks at the folder.

    Args:
        root: folder of the blobs; made on the first write.
        max_bytes: size to keep under; 0 keeps nothing.
    """

    def __init__(self, root: str | Path, max_bytes: int | None = None) -> None:
        self.root = Path(root)
        self.max_bytes = cache_limit() if max_bytes is None else max_bytes
        self.writable = self.max_bytes > 0
        self._warned = False
        self._since_look: int | None = None
        self._lock = threading.Lock()
        self._making = [threading.RLock() for _ in range(64)]

    def get(self, key: str) -> bytes | None:
        """The blob kept under ``key``, whole and checked, or None. Reading makes it recently used."""
        path = self._path(key)
        try:
            data = read_blob(path)
        except OSError as error:
            self._turn_off("read", error)
            return None
        if data is not None:
            # A cache that cannot be marked as used (read-only) is still good for reading.
            with contextlib.suppress(OSError):
                os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep ``data`` under ``key``, then make room if the limit is passed."""
        if not self.writable or len(data) > self.max_bytes:
            return
        try:
            write_blob(self._path(key), data)
            self._account(len(data))
        except OSError as error:
            self._turn_off("write", error)

    def get_or_make(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The blob under ``key``, made and kept when absent; threads that want the same key make it once."""
        with self._making[int(_digest(key)[:2], 16) % len(self._making)]:
            data = self.get(key)
            if data is None:
                data = make()
                self.put(key, data)
            return data

    def size(self) -> int:
        """Bytes of the blobs on disk now."""
        return sum(entry.size for entry in self._entries())

    def evict(self) -> None:
        """Remove the least recently used blobs until nine tenths of the limit are left, and old part files.

        Waits for another process that is doing it, a few seconds at most.

        Raises:
            OSError: the folder cannot be read or written.
        """
        lock = filelock.FileLock(self.root / ".evict.lock")
        try:
            # Waited for, not skipped: what the other process lists now does not hold what was just written here.
            lock.acquire(timeout=EVICT_WAIT)
        except filelock.Timeout:
            return
        try:
            self._remove_stale_parts()
            entries = sorted(self._entries())
            total = sum(entry.size for entry in entries)
            if total <= self.max_bytes:
                return
            for entry in entries:
                if total <= self.max_bytes * 0.9:
                    break
                entry.path.unlink(missing_ok=True)
                total -= entry.size
        finally:
            lock.release()

    def _account(self, written: int) -> None:
        """Count what this process wrote; look at the folder on the first write and after each twentieth."""
        with self._lock:
            if self._since_look is not None and self._since_look + written < self.max_bytes / 20:
                self._since_look += written
                return
            self._since_look = 0
        if self.size() > self.max_bytes:
            self.evict()

    def _entries(self) -> list[_Entry]:
        found = []
        for path in self.root.glob("??/*"):
            if path.name.startswith("."):
                continue
            # Another process may have evicted it since the listing.
            with contextlib.suppress(FileNotFoundError):
                stat = path.stat()
                found.append(_Entry(stat.st_mtime, stat.st_size, path))
        return found

    def _remove_stale_parts(self) -> None:
        for path in self.root.glob("??/.part-*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _STALE_PART_SECONDS:
                    path.unlink()

    def _path(self, key: str) -> Path:
        name = _digest(key)
        return self.root / name[:2] / name[2:]

    def _turn_off(self, verb: str, error: OSError) -> None:
        with self._lock:
            first, self._warned = not self._warned, True
            self.writable = False
        if first:
            reason = error.strerror or type(error).__name__
            warnings.warn(
                f"{self.root}: cannot {verb} the media cache ({reason}); going on without it, which is slower. "
                "Set PROOFREEL_CACHE to a writable folder",
                RuntimeWarning,
                stacklevel=3,
            )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@lru_cache(maxsize=8)
def _shared(root: Path, max_bytes: int) -> MediaCache:
    return MediaCache(root, max_bytes)


def default_cache() -> MediaCache:
    """The media cache of this process, under ``cache_dir()`` and ``cache_limit()`` as they are now."""
    return _shared(cache_dir() / "media", cache_limit())
