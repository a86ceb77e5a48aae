"""Decoded sound as runs: stretches of mono samples with the time at which each one starts."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from itertools import islice
from typing import NamedTuple

import av
import av.audio.frame
import av.audio.stream
import av.container
import numpy as np
import numpy.typing as npt
from av.stream import Discard, Disposition

from . import _progress
from ._container import captured_logs, demuxed, open_media, timeline_start
from .errors import NoAudio, UnsupportedCodec

Samples = npt.NDArray[np.float32]

_BREAK = 0.015
"""Frames further than this from where the last one ended start a new stretch: a lost AAC or Opus packet is
longer, the rounding of Matroska's milliseconds much shorter."""

_PREROLL = 1.0
"""Seconds decoded ahead of the time asked for, so that codecs that overlap their frames have settled."""

_SETTLING = 0.3
"""Seconds decoded and thrown away after a seek: the first packets may be partial and their times borrowed."""

_BELIEVABLE = 60
"""Seconds past the declared end that a frame's time may lie; a damaged clock says hours."""

_NO_INDEX = frozenset({"mp3", "aac", "ac3", "eac3"})
"""Formats where a seek lands on guessed times; they decode from the start, at hundreds of times real time."""

_RUN_SECONDS = 0.5
_BATCH = 8


class Run(NamedTuple):
    """Mono samples that follow each other.

    Attributes:
        begin: second on the timeline at which the stretch began that they belong to.
        skip: samples of the stretch before these; whole, so that places are exact however long it is.
        samples: float32 [n] in [-1, 1].
    """

    begin: float
    skip: int
    samples: Samples


def audio_runs(path: str, start: float, rate: int) -> Generator[Run, None, None]:
    """Runs of the default audio track from ``start`` or earlier to the end of the file, in order.

    Damaged packets are left out, which shows as a gap between runs; times may overlap where the file's do.

    Raises:
        NoAudio: there is no audio track.
        UnsupportedCodec: no decoder for it.
        UnreadableContainer: the file cannot be opened.
    """
    if start > _PREROLL:
        sought = _quietly(_runs_from(path, start - _PREROLL, rate))
        first = next(sought, None)
        if first is not None and first.begin <= start:
            yield first
            yield from sought
            return
        # The seek landed late or nowhere (no index, wrapped clock, late track): decode from the start.
    yield from _quietly(_runs_from(path, None, rate))


def _quietly(runs: Iterator[Run]) -> Generator[Run, None, None]:
    """The same runs, with libav's error lines captured only while it works and never while the caller does."""
    while True:
        with captured_logs():
            batch = list(islice(runs, _BATCH))
        if not batch:
            return
        yield from batch


def _runs_from(path: str, seek_to: float | None, rate: int) -> Generator[Run, None, None]:
    with open_media(path) as container:
        _pick(path, container)
        origin = timeline_start(container)
    with open_media(path) as container:
        stream = _pick(path, container)
        if seek_to is not None and not _seek(container, stream, seek_to + origin):
            return
        latest = math.inf if container.duration is None else container.duration / av.time_base + _BELIEVABLE
        settling = 0.0 if seek_to is None else _SETTLING
        stretch: _Stretch | None = None
        for frame in _frames(container, stream):
            if settling > 0:
                settling -= frame.samples / frame.sample_rate
                continue
            time = math.inf if frame.time is None else frame.time - origin
            expected = 0.0 if stretch is None else stretch.end
            if time > latest or time == math.inf:
                time = expected
            if stretch is None or abs(time - expected) > _BREAK or not stretch.fits(frame):
                if stretch is not None:
                    yield from stretch.finish()
                stretch = _Stretch(rate, frame, time)
            yield from stretch.add(frame)
        if stretch is not None:
            yield from stretch.finish()


class _Stretch:
    """Frames without a gap, mixed and resampled; where samples lie follows from their count alone."""

    def __init__(self, rate: int, first: av.AudioFrame, begin: float) -> None:
        # Integer samples make libswresample weight the channels so that their sum never passes full scale.
        self._graph = av.AudioResampler(format="s32", layout="mono", rate=rate)
        self._shape = _shape(first)
        self._begin, self._frames_in, self._skip = begin, 0, 0
        self._waiting: list[npt.NDArray[np.int32]] = []
        self._count, self._enough = 0, rate * _RUN_SECONDS

    @property
    def end(self) -> float:
        """Second at which the frames so far end."""
        return self._begin + self._frames_in / self._shape[2]

    def fits(self, frame: av.AudioFrame) -> bool:
        """Whether the frame has the format, channels and rate that the stretch began with."""
        return self._shape == _shape(frame)

    def add(self, frame: av.AudioFrame | None) -> Generator[Run, None, None]:
        """Takes a frame in, None for the end; gives what is ready."""
        self._frames_in += 0 if frame is None else frame.samples
        for out in self._graph.resample(frame):
            self._waiting.append(np.frombuffer(out.planes[0], np.int32, out.samples).copy())  # type: ignore[call-overload]
            self._count += out.samples
        if self._count and (frame is None or self._count >= self._enough):
            samples = (np.concatenate(self._waiting) * 2.0**-31).astype(np.float32)
            yield Run(self._begin, self._skip, samples)
            self._skip += self._count
            self._waiting, self._count = [], 0

    def finish(self) -> Generator[Run, None, None]:
        """What is left, also in the resampler."""
        yield from self.add(None)


def _shape(frame: av.AudioFrame) -> tuple[str, str, int]:
    return frame.format.name, frame.layout.name, frame.sample_rate


def _pick(path: str, container: av.container.InputContainer) -> av.audio.stream.AudioStream:
    tracks = container.streams.audio
    if not tracks:
        raise NoAudio(path, "has no audio track")
    decodable = [s for s in tracks if s.codec_context is not None]
    if not decodable:
        raise UnsupportedCodec(path, "no decoder for its audio codec is built in; convert the file")
    return next((s for s in decodable if s.disposition & Disposition.default), decodable[0])


def _seek(container: av.container.InputContainer, stream: av.audio.stream.AudioStream, to: float) -> bool:
    if container.format.name in _NO_INDEX or stream.time_base is None:
        return False
    try:
        container.seek(int(to / stream.time_base), backward=True, stream=stream)
    except (av.FFmpegError, OSError):
        return False
    return True


def _frames(
    container: av.container.InputContainer, stream: av.audio.stream.AudioStream
) -> Iterator[av.audio.frame.AudioFrame]:
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all
    packets = demuxed(container, stream)
    while True:
        try:
            packet = next(packets, None)
        except (av.FFmpegError, OSError):
            return  # the file is cut here: what was read is what there is
        if packet is None:
            return
        _progress.tick()
        try:
            frames = packet.decode()
        except (av.FFmpegError, ValueError):
            continue  # a damaged packet; those after it may be whole
        for frame in frames:
            if frame.samples > 0 and frame.sample_rate > 0:
                yield frame
