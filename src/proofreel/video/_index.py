"""The packet index: which frames a video shows, when, and where decoding can start.

Made by reading every packet header once (no decoding but the first frame), kept in memory, and on disk when
it was slow to make. It is the only truth about frame numbers and times; container headers are not trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import threading
import time
import zipfile
from collections import OrderedDict
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._place import cache_dir
from .sample import TOLERANCE, Timeline

INDEX_VERSION = 3
_KEPT_IN_MEMORY = 64
_WORTH_A_FILE = 0.1
"""Seconds of scanning above which an index goes to disk."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FrameIndex:
    """Facts of the chosen video stream.

    Attributes:
        pts: int64 [n], display times in ticks, ascending; one for each frame that is shown.
        keys: int64 [k], ticks of all key packets, ascending, hidden ones included.
        lost: int64 [m], ticks of packets that follow a hole in the stream.
        gaps: int64 [g], numbers of frames after which others are lost.
        tick: seconds in a tick, as (numerator, denominator).
        start: seconds on the container clock that count as t = 0.
        end_pts: ticks at which the last frame stops being shown.
        matched: True when packet times are trustworthy, so that frames are found by time and reached by
            seeking; False when they have to be counted from the start.
        synthetic: True when times come from the declared rate, not from the file.
        counted: whether every packet of a shown frame gives a frame, so that one that does not is a loss.
        skippable: whether frames that nothing refers to may be left undecoded.
    """

    pts: Ints
    keys: Ints
    lost: Ints
    gaps: Ints
    stream_index: int
    tick: tuple[int, int]
    start: float
    end_pts: int
    matched: bool
    synthetic: bool
    skippable: bool
    counted: bool
    codec: str
    width: int
    height: int
    sample_aspect: tuple[int, int]
    rotation: int
    declared_frames: int | None
    declared_duration: float | None
    duration: float
    duration_measured: bool
    truncated: bool
    video_streams: int
    has_audio: bool

    def __len__(self) -> int:
        return len(self.pts)

    def seconds(self, ticks: Any) -> Any:
        """Ticks of the stream as seconds on the timeline."""
        return ticks * self.tick[0] / self.tick[1] - self.start

    @cached_property
    def times(self) -> npt.NDArray[np.float64]:
        """float64 [n], display time of every frame in seconds."""
        times: npt.NDArray[np.float64] = self.seconds(self.pts.astype(np.float64))
        times.flags.writeable = False
        return times

    @property
    def end(self) -> float:
        """Seconds at which the last frame stops being shown."""
        return float(self.seconds(self.end_pts))

    def shows(self, ticks: int) -> bool:
        """Whether a frame with this time is shown."""
        at = int(np.searchsorted(self.pts, ticks))
        return at < len(self.pts) and int(self.pts[at]) == ticks

    def in_gap(self, number: int, seconds: float) -> bool:
        """Whether the frame on screen at a time would be a lost one after frame `number`."""
        if number not in self.gaps:
            return False
        usual = float(np.median(np.diff(self.times)))
        return bool(seconds >= self.times[number] + usual - TOLERANCE)

    @property
    def timeline(self) -> Timeline:
        """What a sampling plan needs to know."""
        declared = self.declared_duration if self.truncated and self.declared_duration else self.end
        return Timeline(self.times, self.end, max(declared, self.end))

    @property
    def display_size(self) -> tuple[int, int]:
        """(width, height) upright with square pixels."""
        width = max(1, round(self.width * self.sample_aspect[0] / self.sample_aspect[1]))
        return (self.height, width) if self.rotation in (90, 270) else (width, self.height)


def load_index(path: str) -> FrameIndex:
    """The index of a file, from memory, from disk, or by scanning it.

    Raises:
        VideoError: as `_scan.scan` does.
    """
    from ._container import check_plain_file

    check_plain_file(path)
    stamp = file_stamp(path)
    with _lock:
        known = _memory.get(stamp)
        if known is not None:
            _memory.move_to_end(stamp)
            return known
    index = _read(stamp)
    if index is None:
        from ._scan import scan

        began = time.perf_counter()
        index = scan(path)
        if time.perf_counter() - began > _WORTH_A_FILE:
            _write(stamp, index)
    remember(stamp, index)
    return index


def file_stamp(path: str) -> str:
    """Identity of the state of a file: its full path, size, times and inode, and the index version."""
    status = Path(path).stat()
    facts = (str(Path(path).resolve()), status.st_size, status.st_mtime_ns, status.st_ino, INDEX_VERSION)
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def recall(stamp: str) -> FrameIndex | None:
    """The index in this process's memory, if there."""
    with _lock:
        return _memory.get(stamp)


def remember(stamp: str, index: FrameIndex) -> None:
    """Keep an index in this process's memory, the least recently used go."""
    with _lock:
        _memory[stamp] = index
        _memory.move_to_end(stamp)
        while len(_memory) > _KEPT_IN_MEMORY:
            _memory.popitem(last=False)


_memory: OrderedDict[str, FrameIndex] = OrderedDict()
_lock = threading.Lock()
_ARRAYS = ("pts", "keys", "lost", "gaps")


def _file_of(stamp: str) -> Path:
    return cache_dir() / "index" / f"{stamp}.npz"


def _read(stamp: str) -> FrameIndex | None:
    try:
        with np.load(_file_of(stamp), allow_pickle=False) as stored:
            facts = json.loads(str(stored["facts"]))
            arrays = {name: stored[name] for name in _ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    pairs = {name: tuple(facts[name]) for name in ("tick", "sample_aspect") if name in facts}
    if {*facts, *arrays} != {f.name for f in fields(FrameIndex)}:
        return None
    return FrameIndex(**{**facts, **pairs, **arrays})


def _write(stamp: str, index: FrameIndex) -> None:
    """Best effort: a full or read-only disk only means that the next process scans again."""
    facts = {k: v for k, v in asdict(index).items() if k not in _ARRAYS}
    target = _file_of(stamp)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=target.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, facts=json.dumps(facts), **{name: getattr(index, name) for name in _ARRAYS})
            Path(part).replace(target)
        except OSError:
            Path(part).unlink(missing_ok=True)
            raise
