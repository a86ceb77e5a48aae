"""Sound of a video as mono samples on the container timeline: sample k lies at ``start + k / rate`` seconds."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Generator, Iterator
from os import PathLike, fspath

import numpy as np

from ._audio_runs import Run, Samples, audio_runs
from ._audio_worker import isolated_audio_runs
from ._isolate import AVAILABLE
from .errors import BadRequest, NoFrames, NoVideoStream, OutOfRange
from .probe import probe

_PADDING = 0.1
"""Seconds by which sound may outlast the file's end and still be the encoder's padding, which is cut off."""

_MEMORY_SHARE = 0.4
"""Part of the machine's memory that one array may take; joining the chunks needs it twice."""


def read_audio(
    path: str | PathLike[str],
    start: float = 0.0,
    end: float | None = None,
    rate: int = 16000,
    *,
    timeout: float | None = None,
    isolate: bool = True,
) -> Samples:
    """Sound between two times, as one array.

    Time 0 is the container start, the same as for frames: a track that begins late is preceded by silence, one
    that begins early is trimmed, and lost packets leave silence of their length. All channels are mixed into one
    with the usual weights, scaled so that nothing clips; the low-frequency channel is left out.

    Args:
        path: media file, with or without pictures.
        start: seconds, >= 0.
        end: seconds, >= ``start``; None or anything later means the end of the file, which is where its
            picture or its sound ends, whichever is later.
        rate: samples a second, 1000 to 384000.
        timeout: most seconds to spend decoding; without it only a stall of a minute ends the work.
        isolate: decode in a child process that can be killed.

    Returns:
        float32 ``[round((end - start) * rate)]`` in [-1, 1].

    Raises:
        BadRequest: a number is out of range, raised before the file is touched; or the sound is too long for
            the memory of this machine.
        NoAudio: the file has no audio track.
        OutOfRange: ``start`` is at or past the end of the file.
        UnreadableContainer: the file is missing or no media.
        UnsupportedCodec: no decoder for its audio.
    """
    room = int(_MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) // 4
    parts: list[Samples] = []
    for part in iter_audio(path, rate=rate, start=start, end=end, timeout=timeout, isolate=isolate):
        parts.append(part)
        room -= len(part)
        if room < 0:
            raise BadRequest("the sound does not fit in memory; use iter_audio or a shorter window", path)
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def iter_audio(
    path: str | PathLike[str],
    chunk_seconds: float = 30.0,
    rate: int = 16000,
    start: float = 0.0,
    end: float | None = None,
    *,
    timeout: float | None = None,
    isolate: bool = True,
) -> Iterator[Samples]:
    """The samples of `read_audio` in chunks of ``chunk_seconds``, the last one shorter; memory is one chunk.

    Raises:
        BadRequest: at once. The other errors of `read_audio` come when the first chunk is asked for.
    """
    _check(start, end, rate, chunk_seconds, timeout)
    path, start, rate = fspath(path), float(start), int(rate)
    away = isolate and AVAILABLE
    runs = isolated_audio_runs(path, start, rate, timeout) if away else audio_runs(path, start, rate)
    return _chunks(path, runs, max(1, round(chunk_seconds * rate)), rate, start, end)


def _chunks(
    path: str, runs: Generator[Run, None, None], size: int, rate: int, start: float, end: float | None
) -> Iterator[Samples]:
    tape = _Tape(size, None if end is None else round((end - start) * rate))
    heard_to = 0.0
    with contextlib.closing(runs):
        for run in runs:
            if start == end:  # nothing to read, but the track must be there
                break
            heard_to = max(heard_to, run.begin + (run.skip + len(run.samples)) / rate)
            yield from tape.write(run.samples, round((run.begin - start) * rate) + run.skip)
            if tape.full:
                return
    file_end = _end_of_file(path, heard_to)
    if start >= file_end:
        raise OutOfRange(path, f"sound asked from {start:.3f} s, but the file ends at {file_end:.3f} s")
    yield from tape.finish(round((file_end - start) * rate))


class _Tape:
    """Puts samples at their place and hands out full chunks; what nothing was written to is silence."""

    def __init__(self, size: int, limit: int | None) -> None:
        self._size, self._limit = size, limit
        self._chunk = np.zeros(size, np.float32)
        self._base = 0
        self._head = 0  # everything before it is settled

    @property
    def full(self) -> bool:
        """Whether all samples up to the limit are there and handed out."""
        return self._limit is not None and self._base >= self._limit

    def write(self, samples: Samples, at: int) -> Iterator[Samples]:
        """Place ``samples`` from position ``at``, without what lies before the start or was written already."""
        samples = samples[max(0, self._head - at) :]
        at = max(at, self._head)
        if self._limit is not None:
            at = min(at, self._limit)
            samples = samples[: self._limit - at]
        while len(samples):
            yield from self._forward(at)
            taken = samples[: self._base + self._size - at]
            self._chunk[at - self._base : at - self._base + len(taken)] = taken
            samples, at = samples[len(taken) :], at + len(taken)
        self._head = at
        if self._head == self._limit:
            yield from self.finish(self._head)

    def finish(self, total: int) -> Iterator[Samples]:
        """The rest, up to ``total`` or the limit, whichever comes first."""
        total = total if self._limit is None else min(total, self._limit)
        yield from self._forward(total)
        if total > self._base:
            yield self._chunk[: total - self._base]
            self._base = total

    def _forward(self, at: int) -> Iterator[Samples]:
        while at >= self._base + self._size:
            yield self._chunk
            self._chunk = np.zeros(self._size, np.float32)
            self._base += self._size


def _end_of_file(path: str, heard_to: float) -> float:
    try:
        said = probe(path).duration
    except (NoVideoStream, NoFrames):
        return heard_to
    return heard_to if heard_to > said + _PADDING else said


def _check(start: float, end: float | None, rate: int, chunk_seconds: float, timeout: float | None) -> None:
    for name, value in (
        ("start", start),
        ("end", end),
        ("chunk_seconds", chunk_seconds),
        ("timeout", timeout),
    ):
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise BadRequest(f"{name} must be finite and >= 0, got {value}")
    if end is not None and end < start:
        raise BadRequest(f"window must end after it starts, got {start} to {end}")
    if timeout == 0:
        raise BadRequest("timeout must be > 0 seconds, got 0")
    if chunk_seconds <= 0:
        raise BadRequest(f"chunk_seconds must be > 0, got {chunk_seconds}")
    if not (1000 <= rate <= 384_000 and rate == int(rate)):
        raise BadRequest(f"rate must be a whole number from 1000 to 384000, got {rate}")
