"""Decoded sound as runs: stretches of mono samples with the time at which each one starts."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from fractions import Fraction
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
from ._container import captured_logs, open_media, timeline_start
from .errors import NoAudio, UnsupportedCodec

Samples = npt.NDArray[np.float32]

_BREAK = Fraction(15, 1000)
"""Frames further than this from where the last one ended start a new run: a lost AAC or Opus packet is longer,
the rounding of Matroska's milliseconds much shorter."""

_PREROLL = Fraction(1)
"""Seconds decoded ahead of the time asked for, so that codecs that overlap their frames have settled."""

_SETTLING = Fraction(3, 10)
"""Seconds decoded and thrown away after a seek: the first packets may be partial and their times borrowed."""

_BELIEVABLE = 60
"""Seconds past the declared end that a frame's time may lie; a damaged clock says hours."""

_NO_INDEX = frozenset({"mp3", "aac", "ac3", "eac3"})
"""Formats where a seek lands on guessed times; they decode from the start, at hundreds of times real time."""

_BATCH = 64


class Run(NamedTuple):
    """Mono samples, float32 [n] in [-1, 1], and the second on the timeline of the first one."""

    time: Fraction
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
        sought = _quietly(_runs_from(path, Fraction(start) - _PREROLL, rate))
        first = next(sought, None)
        if first is not None and first.time <= start:
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


def _runs_from(path: str, seek_to: Fraction | None, rate: int) -> Generator[Run, None, None]:
    with open_media(path) as container:
        _pick(path, container)
        origin = Fraction(timeline_start(container)).limit_denominator(1_000_000)
    with open_media(path) as container:
        stream = _pick(path, container)
        if seek_to is not None and not _seek(container, stream, seek_to + origin):
            return
        latest = None if container.duration is None else container.duration // av.time_base + _BELIEVABLE
        mixer = _Mixer(rate)
        expected: Fraction | None = None
        settled = Fraction(0) if seek_to is None else _SETTLING
        for frame in _frames(container, stream):
            length = Fraction(frame.samples, frame.sample_rate)
            if settled > 0:
                settled -= length
                continue
            time = None if frame.pts is None else frame.pts * Fraction(frame.time_base or 1) - origin
            if time is None or (latest is not None and time > latest):
                time = expected or Fraction(0)
            if expected is None or abs(time - expected) > _BREAK or not mixer.fits(frame):
                yield from mixer.finish()
                mixer = _Mixer(rate, frame, time)
                expected = time
            yield from mixer.push(frame)
            expected += length
        yield from mixer.finish()


class _Mixer:
    """Mixes and resamples one run; the times of what comes out follow from the count of samples."""

    def __init__(self, rate: int, first: av.AudioFrame | None = None, time: Fraction = Fraction(0)) -> None:
        # Integer samples make libswresample weight the channels so that their sum never passes full scale.
        self._graph = av.AudioResampler(format="s32", layout="mono", rate=rate)
        self._rate, self._next = rate, time
        self._shape = None if first is None else _shape(first)

    def fits(self, frame: av.AudioFrame) -> bool:
        """Whether the frame has the format, channels and rate that the run began with."""
        return self._shape == _shape(frame)

    def push(self, frame: av.AudioFrame | None) -> Generator[Run, None, None]:
        for out in self._graph.resample(frame):
            samples = (out.to_ndarray().reshape(-1) * 2.0**-31).astype(np.float32)
            if len(samples):
                yield Run(self._next, samples)
                self._next += Fraction(len(samples), self._rate)

    def finish(self) -> Generator[Run, None, None]:
        """What the resampler still holds."""
        if self._shape is not None:
            yield from self.push(None)


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


def _seek(container: av.container.InputContainer, stream: av.audio.stream.AudioStream, to: Fraction) -> bool:
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
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except IndexError:  # PyAV 18 on a packet of a track that was not there at opening; it can go on
            packets = container.demux(stream)
            continue
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
