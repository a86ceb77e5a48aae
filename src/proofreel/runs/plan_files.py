"""Facts of many files at once: probed side by side, remembered by the probe's own cache."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from proofreel.core._base import Record
from proofreel.video import VideoError, VideoInfo, probe

Progress = Callable[[int, int], None]
WORKERS = 4


class FileFact(Record):
    """What a plan needs to know of one video file; ``error`` says why it cannot be used.

    Attributes:
        path: the file.
        bytes: its size, 0 when it is not there.
        duration: seconds; None when it cannot be read.
        width: displayed columns, 0 without video.
        height: displayed rows, 0 without video.
        frames: None without video.
        has_audio: whether it has sound.
        truncated: the file holds less than it promises.
        error: one line, None for a good file.
        missing: there is no such file.
    """

    path: str
    bytes: int = 0
    duration: float | None = None
    width: int = 0
    height: int = 0
    frames: int | None = None
    has_audio: bool = False
    truncated: bool = False
    error: str | None = None
    missing: bool = False


def probe_all(
    paths: Iterable[str], *, progress: Progress | None = None, timeout: float = 120.0
) -> dict[str, FileFact]:
    """Facts of every file, by path; a bad file becomes a fact with an error, never an exception.

    Args:
        paths: files; each is looked at once.
        progress: told (done, total) after each file.
        timeout: seconds after which a file counts as unreadable.
    """
    wanted = sorted(set(paths))
    facts: dict[str, FileFact] = {}
    with ThreadPoolExecutor(min(WORKERS, (os.cpu_count() or 1) * 2), "probe") as pool:
        jobs = {pool.submit(_fact, path, timeout): path for path in wanted}
        for number, job in enumerate(as_completed(jobs), 1):
            facts[jobs[job]] = job.result()
            if progress is not None:
                progress(number, len(wanted))
    return {path: facts[path] for path in wanted}


def _fact(path: str, timeout: float) -> FileFact:
    try:
        size = Path(path).stat().st_size
    except OSError as error:
        return FileFact(path=path, error=f"no such file ({error.strerror})", missing=True)
    try:
        info = probe(path, timeout=timeout)
    except VideoError as error:
        return FileFact(path=path, bytes=size, error=_short(error, path))
    return _of(info, size)


def _of(info: VideoInfo, size: int) -> FileFact:
    return FileFact(
        path=info.path,
        bytes=size,
        duration=info.duration,
        width=info.width,
        height=info.height,
        frames=info.frame_count,
        has_audio=info.has_audio,
        truncated=info.truncated,
        error=None if info.has_video else "has no moving picture",
    )


def _short(error: VideoError, path: str) -> str:
    return str(error).removeprefix(f"{path}: ").removeprefix(path).lstrip(": ") or type(error).__name__


def same_content(facts: Iterable[FileFact]) -> list[list[str]]:
    """Groups of files with the same bytes; only files of one size are hashed."""
    from proofreel.video import file_hash

    by_size: dict[int, list[str]] = {}
    for fact in facts:
        if fact.bytes and not fact.missing:
            by_size.setdefault(fact.bytes, []).append(fact.path)
    groups: dict[str, list[str]] = {}
    for paths in by_size.values():
        for path in paths if len(paths) > 1 else ():
            try:
                groups.setdefault(file_hash(path), []).append(path)
            except VideoError:
                continue  # told as unreadable elsewhere
    return [sorted(paths) for paths in groups.values() if len(paths) > 1]
