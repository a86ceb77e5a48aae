"""Frames of a video by a sampling plan: `read_frames` at once, `iter_frames` one at a time.

Decoding happens in a child process that can be killed (see `_isolate`), so that neither a hang nor a crash
of a native decoder on a hostile file reaches the caller. `isolate=False` decodes in this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _isolate
from ._index import FrameIndex, load_index
from ._picture import PictureSpec
from ._stream import FrameStream
from .errors import BadRequest, DamagedFrame, OutOfRange
from .sample import Plan, Selection, StartsPastEnd


class FrameFlag(IntFlag):
    """What is to be said of a frame; 0 when it is exactly the frame asked for."""

    OK = 0
    CLAMPED = 1
    """The request lay past the end; this is the last frame."""
    DAMAGED = 2
    """The packets of the frame asked for are damaged: the nearest good frame, or a doubtful picture."""
    TRUNCATED = 4
    """The request lay in a part of the video that is missing from the file."""

    @property
    def clamped(self) -> bool:
        """Whether the request lay past the end."""
        return FrameFlag.CLAMPED in self

    @property
    def damaged(self) -> bool:
        """Whether the picture is not, or may not be, the exact one."""
        return FrameFlag.DAMAGED in self

    @property
    def truncated(self) -> bool:
        """Whether the request lay in a missing part of the file."""
        return FrameFlag.TRUNCATED in self


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame with what belongs to it.

    Attributes:
        image: uint8 [H, W, 3] RGB, upright, square pixels.
        time: true display time in seconds.
        index: display-order number of this frame.
        flags: see `FrameFlag`.
        requested: the time asked for, seconds.
        request: place of the request in the plan's own order.
    """

    image: npt.NDArray[np.uint8]
    time: float
    index: int
    flags: FrameFlag
    requested: float
    request: int

    def __repr__(self) -> str:
        height, width = self.image.shape[:2]
        flags = f" {self.flags!r}" if self.flags else ""
        return f"<Frame {self.index} at {self.time:.3f} s, {width}x{height}{flags}>"


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of a plan, in the plan's order.

    Attributes:
        images: uint8 [N, H, W, 3] RGB, upright, square pixels, contiguous.
        times: float64 [N], true display times in seconds on the container timeline.
        indices: int64 [N], display-order numbers of the frames given.
        flags: one `FrameFlag` for each frame.
        requested: float64 [N], the times asked for.
    """

    images: npt.NDArray[np.uint8]
    times: npt.NDArray[np.float64]
    indices: npt.NDArray[np.int64]
    flags: tuple[FrameFlag, ...]
    requested: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, number: int) -> Frame:
        return Frame(
            self.images[number],
            float(self.times[number]),
            int(self.indices[number]),
            self.flags[number],
            float(self.requested[number]),
            range(len(self))[number],
        )

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        count, height, width = self.images.shape[:3]
        flagged = sum(1 for flag in self.flags if flag)
        span = f", {self.times.min():.3f} to {self.times.max():.3f} s" if count else ""
        return f"<{count} Frames {width}x{height}{span}, {flagged} flagged>"


def read_frames(
    path: str | PathLike[str],
    plan: Plan,
    height: int | None = None,
    width_multiple: int = 1,
    crop: Sequence[float] | None = None,
    *,
    strict: bool = False,
    timeout: float | None = None,
    isolate: bool = True,
) -> Frames:
    """The frames of a plan, in the plan's order.

    Args:
        path: the video file.
        plan: which frames, see `proofreel.video.sample`.
        height: rows of the result; the width follows in proportion. `None` keeps the display size.
        width_multiple: the width is floored to a multiple of this.
        crop: (x0, y0, x1, y1) in 0-1 of the upright picture, cut out at source resolution before scaling.
        strict: raise `OutOfRange` or `DamagedFrame` where a frame would be flagged.
        timeout: most seconds to spend decoding; without it only a stall of a minute ends the work.
        isolate: decode in a child process that can be killed.

    Returns:
        N frames with their true times. Where damage forbids the exact frame, or a request lies past the end,
        the frame is the nearest earlier good one and is flagged.

    Raises:
        BadRequest: the request makes no sense, or would not fit in memory.
        VideoError: the file cannot be read, see `proofreel.video.errors`.
    """
    request = _Request.checked(path, plan, height, width_multiple, crop, strict, timeout, isolate)
    ready = request.resolve()
    rows, columns = ready.size
    count = len(ready.selection.indices)
    _check_memory(count, rows, columns)
    images = np.empty((count, rows, columns, 3), np.uint8)
    shown = np.empty(count, np.int64)
    flags = [FrameFlag.OK] * count
    for frame in ready.frames():
        images[frame.request] = frame.image
        shown[frame.request] = frame.index
        flags[frame.request] = frame.flags
    return Frames(images, ready.index.times[shown], shown, tuple(flags), ready.selection.requested)


def iter_frames(
    path: str | PathLike[str],
    plan: Plan,
    height: int | None = None,
    width_multiple: int = 1,
    crop: Sequence[float] | None = None,
    *,
    strict: bool = False,
    timeout: float | None = None,
    isolate: bool = True,
) -> Iterator[Frame]:
    """The frames of a plan one at a time, in display order and bounded memory.

    Decoding runs ahead by a few frames only. A frame that is asked for more than once is decoded once and
    given for each request. Arguments and errors as for `read_frames`; the request is checked at the call,
    the file when the first frame is taken.
    """
    request = _Request.checked(path, plan, height, width_multiple, crop, strict, timeout, isolate)
    return (frame for frame in _later(request))


def _later(request: _Request) -> Iterator[Frame]:
    yield from request.resolve().frames()


@dataclass(frozen=True)
class _Request:
    path: str
    plan: Plan
    spec: PictureSpec
    strict: bool
    timeout: float | None
    isolate: bool

    @classmethod
    def checked(
        cls,
        path: Any,
        plan: Any,
        height: Any,
        width_multiple: Any,
        crop: Any,
        strict: bool,
        timeout: Any,
        isolate: bool,
    ) -> _Request:
        """All that can be refused without touching the file."""
        if not isinstance(plan, Plan):
            raise BadRequest(f"plan must be a sampling plan such as Uniform(8), got {type(plan).__name__}")
        if timeout is not None and not float(timeout) > 0:
            raise BadRequest(f"timeout must be > 0 seconds, got {timeout}")
        spec = PictureSpec.checked(height, width_multiple, crop)
        return cls(
            os.fspath(path),
            plan,
            spec,
            strict,
            None if timeout is None else float(timeout),
            isolate and _isolate.AVAILABLE,
        )

    def resolve(self) -> _Ready:
        patience = _isolate.Patience(self.path, self.timeout)
        index = _isolate.index_of(self.path, patience) if self.isolate else load_index(self.path)
        try:
            selection = self.plan.resolve(index.timeline)
        except StartsPastEnd as error:
            raise OutOfRange(self.path, f"the window {error}; ask for an earlier one") from error
        if self.strict and selection.clamped.any():
            worst = float(selection.requested[selection.clamped].max())
            raise OutOfRange(self.path, f"{worst:.3f} s is past its end at {index.end:.3f} s (strict)")
        return _Ready(self, index, selection, patience)


@dataclass(frozen=True)
class _Ready:
    """A request whose frame numbers are known."""

    request: _Request
    index: FrameIndex
    selection: Selection
    patience: Any

    @property
    def size(self) -> tuple[int, int]:
        return self.request.spec.size_for(self.index.display_size)

    def frames(self) -> Iterator[Frame]:
        """Every request's frame, in display order."""
        wanted, inverse = np.unique(self.selection.indices, return_inverse=True)
        by_wanted = np.split(np.argsort(inverse, kind="stable"), np.cumsum(np.bincount(inverse))[:-1])
        path, spec = self.request.path, self.request.spec
        if self.request.isolate:
            pictures = _isolate.pictures(path, self.index, wanted, spec, self.patience)
        else:
            stream = FrameStream(path, self.index, wanted, spec, self.patience.check_deadline)
            pictures = stream.pictures()
        for picture, requests in zip(pictures, by_wanted, strict=True):
            for request in requests.tolist():
                asked = float(self.selection.requested[request])
                flags = self._flags(request, picture.damaged or self.index.in_gap(picture.wanted, asked))
                if flags.damaged and self.request.strict:
                    raise DamagedFrame(
                        path, f"the frame at {asked:.3f} s is damaged (strict); ask for another time"
                    )
                time = float(self.index.times[picture.shown])
                yield Frame(picture.image, time, picture.shown, flags, asked, request)

    def _flags(self, request: int, damaged: bool) -> FrameFlag:
        flags = FrameFlag.DAMAGED if damaged else FrameFlag.OK
        if self.selection.clamped[request]:
            flags |= FrameFlag.CLAMPED
            if self.index.truncated:
                flags |= FrameFlag.TRUNCATED
        return flags


def _check_memory(count: int, rows: int, columns: int) -> None:
    needed = count * rows * columns * 3
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > 0.8 * have:
        raise BadRequest(
            f"{count} frames of {columns}x{rows} need {needed / 2**30:.1f} GiB of {have / 2**30:.1f} GiB memory; "
            "use iter_frames, a smaller height or fewer frames"
        )
