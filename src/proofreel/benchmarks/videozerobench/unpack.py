"""The archive of videos, unpacked once into the cache: the data folder may be read-only."""

import hashlib
import os
import shutil
import stat
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from filelock import FileLock

from proofreel.benchmarks.benchmark import DataError

DONE = ".unpacked"


def _members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """The files of an archive.

    Raises:
        DataError: an entry would leave the folder, or is a link.
    """
    for info in archive.infolist():
        name = info.filename
        parts = PurePosixPath(name).parts
        outside = name.startswith("/") or ".." in parts or "\\" in name or ":" in name or "\0" in name
        if outside or stat.S_ISLNK(info.external_attr >> 16):
            raise DataError(f"{path}: entry {name!r} would leave the folder; the archive is not unpacked")
    return [i for i in archive.infolist() if not i.is_dir()]


def _identity(members: list[zipfile.ZipInfo]) -> str:
    """A name for the content: names, sizes and checksums of the entries, so that nothing big is read."""
    listing = "\n".join(sorted(f"{i.filename}\t{i.file_size}\t{i.CRC}" for i in members))
    return hashlib.sha256(listing.encode()).hexdigest()[:24]


def unpacked(path: Path, cache: Path) -> Path:
    """The folder with the content of the archive, made on the first call and shared by all processes.

    Raises:
        DataError: no archive, an unsafe entry, a damaged entry, or not enough room.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
            folder = cache / "videozerobench" / _identity(members)
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{folder}.lock"):
                if not (folder / DONE).is_file():
                    _unpack(archive, members, folder, path)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"{path}: cannot be unpacked ({error}); unpack it beside the table yourself"
        ) from None
    return folder


def _unpack(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], folder: Path, path: Path) -> None:
    needed, free = sum(i.file_size for i in members), shutil.disk_usage(folder.parent).free
    if needed > free:
        raise DataError(
            f"{path}: needs {needed / 1e9:.1f} GB in {folder.parent}, {free / 1e9:.1f} GB are free; "
            "set PROOFREEL_CACHE to a larger disk"
        )
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        for info in members:
            archive.extract(info, partial)
        (partial / DONE).touch()
        os.replace(partial, folder)  # noqa: PTH105
    finally:
        shutil.rmtree(partial, ignore_errors=True)
