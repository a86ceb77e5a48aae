"""A stretch of a video as a small file that plays anywhere: H.264 and AAC in an mp4."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import av
import av.audio.stream
import av.container
import av.video.stream
import numpy as np
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

from ._audio_runs import Samples
from .audio import iter_audio
from .decode import Frame, iter_frames
from .errors import BadRequest, VideoError
from .probe import probe
from .sample import Rate

CLIP_VERSION = 1
"""Part of every key under which a clip is kept; goes up when the same request gives other bytes."""

_TICKS = 90_000
_SOUND_RATE = 48_000
_EVERY_FRAME = 5_000.0
"""A rate no video has: `Rate` above the source's own gives every frame once."""
_FEWEST_ROWS = 64
_THREADS = 2
"""A fixed number, because x264 writes other bytes for another number of threads."""


def cut_clip(
    path: str | PathLike[str],
    start: float,
    end: float,
    *,
    fps: float | None = None,
    height: int | None = None,
    audio: bool = True,
) -> bytes:
    """Cut ``start`` to ``end`` out of a video, exactly, by encoding it anew.

    The first frame is the one on screen at ``start``; pictures are upright with square pixels and even sides.
    Memory holds a few frames and the result. The same request gives the same bytes with the same PyAV.

    Args:
        path: the video file.
        start: seconds on the container timeline, >= 0.
        end: seconds, later than ``start``; later than the video means its end.
        fps: frames a second, as `Rate` samples them; None keeps every frame at its own time.
        height: rows, rounded down to even; None keeps the display size.
        audio: take the sound along, in one channel; a video without sound gives a clip without.

    Returns:
        An mp4 with its index in front.

    Raises:
        BadRequest: a number is out of range; raised before the file is touched.
        OutOfRange: ``start`` is past the end.
        VideoError: as `read_frames` does.
    """
    _check(start, end, fps, height)
    path = fspath(path)
    info = probe(path)
    rows = max(2, (height or info.height) // 2 * 2)
    plan = Rate(fps or _EVERY_FRAME, start, end)
    frames = iter_frames(path, plan, height=rows, width_multiple=2)
    first = next(frames)
    stop = max(min(end, info.duration), first.requested + 1 / _TICKS)
    # Where the pictures are fewer than asked for, the true rate is the slower of the two.
    rate = Fraction(max(min(fps or math.inf, info.fps, 240.0), 0.1)).limit_denominator(1001)
    with tempfile.TemporaryDirectory(prefix="proofreel-") as folder:
        target = Path(folder) / "clip.mp4"
        writer = _Writer(target, first, rate, with_sound=audio and info.has_audio)
        with writer.container:
            sound = iter_audio(path, 1.0, _SOUND_RATE, start, stop) if writer.sound else iter(())
            writer.run(first, frames, sound, start, stop)
        _check_result(target, path, stop - start, max(1 / rate, Fraction(1, 10)))
        return target.read_bytes()


def transcode_under(
    path: str | PathLike[str],
    max_bytes: int,
    start: float = 0.0,
    end: float | None = None,
    *,
    fps: float | None = None,
    height: int | None = None,
    audio: bool = True,
) -> bytes:
    """A clip of at most ``max_bytes``: `cut_clip`, with fewer rows until it fits.

    Raises:
        BadRequest: it does not fit even with 64 rows; ask for a shorter window or a lower rate.
        VideoError: as `cut_clip` does.
    """
    info = probe(path)
    stop = info.duration if end is None else end
    rows = height or info.height
    while True:
        data = cut_clip(path, start, stop, fps=fps, height=rows, audio=audio)
        if len(data) <= max_bytes:
            return data
        if rows <= _FEWEST_ROWS:
            raise BadRequest(
                f"{stop - start:.1f} s take {len(data)} bytes at {rows} rows, more than {max_bytes}; "
                "ask for a shorter window or a lower rate",
                path,
            )
        # Bytes go roughly with the area; never by less than a quarter, so that few tries are needed.
        fewer = min(rows * math.sqrt(max_bytes / len(data)), rows * 0.75)
        rows = max(_FEWEST_ROWS, int(fewer) // 2 * 2)


class _Writer:
    """One mp4 being written: pictures and sound go in side by side, so that little waits in memory."""

    def __init__(self, target: Path, first: Frame, rate: Fraction, with_sound: bool) -> None:
        self.container = av.open(
            str(target), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}
        )
        self.picture = self._picture_stream(first, rate)
        self.sound = self._sound_stream() if with_sound else None
        self._lengths: dict[int, int] = {}
        self._sound_at = 0

    def _picture_stream(self, first: Frame, rate: Fraction) -> av.video.stream.VideoStream:
        stream = self.container.add_stream("libx264", rate=rate)
        context = stream.codec_context
        context.height, context.width = first.image.shape[:2]
        context.pix_fmt = "yuv420p"
        context.time_base = Fraction(1, _TICKS)
        context.sample_aspect_ratio = Fraction(1)
        context.thread_count = _THREADS
        context.max_b_frames = 0  # decode order is display order: lengths and seeks stay exact
        context.gop_size = max(1, round(2 * rate))
        context.color_range = ColorRange.MPEG
        context.colorspace = Colorspace.SMPTE170M  # what the conversion from RGB uses
        context.color_primaries = ColorPrimaries.SMPTE170M
        context.color_trc = ColorTrc.SMPTE170M
        context.options = {"preset": "veryfast", "crf": "23"}
        return stream

    def _sound_stream(self) -> av.audio.stream.AudioStream:
        stream = self.container.add_stream("aac", rate=_SOUND_RATE, layout="mono", bit_rate=96_000)
        stream.codec_context.options = {"flags": "+bitexact"}
        return stream

    def run(
        self, first: Frame, rest: Iterator[Frame], sound: Iterator[Samples], start: float, stop: float
    ) -> None:
        """Write everything; frame times become times since ``start``, and the last one lasts until ``stop``."""
        before = first
        for frame in rest:
            self._show(before, start, frame.requested)
            self._play_until(frame.requested - start, sound)
            before = frame
        self._show(before, start, stop)
        self._play_until(math.inf, sound)
        self._mux(self.picture.encode(None))
        if self.sound is not None:
            self.container.mux(self.sound.encode(None))

    def _show(self, frame: Frame, start: float, until: float) -> None:
        at = round((frame.requested - start) * _TICKS)
        picture = av.VideoFrame.from_ndarray(frame.image, format="rgb24").reformat(
            format="yuv420p", dst_colorspace=Colorspace.ITU601, dst_color_range=ColorRange.MPEG
        )
        picture.pts, picture.time_base = at, Fraction(1, _TICKS)
        self._lengths[at] = max(1, round((until - start) * _TICKS) - at)
        self._mux(self.picture.encode(picture))

    def _mux(self, packets: list[Any]) -> None:
        for packet in packets:
            if packet.pts is not None:
                packet.duration = self._lengths.pop(packet.pts, packet.duration)
            self.container.mux(packet)

    def _play_until(self, seconds: float, sound: Iterator[Samples]) -> None:
        while self.sound is not None and self._sound_at < seconds * _SOUND_RATE:
            samples = next(sound, None)
            if samples is None:
                return
            heard = av.AudioFrame.from_ndarray(samples[np.newaxis], format="fltp", layout="mono")
            heard.sample_rate, heard.time_base = _SOUND_RATE, Fraction(1, _SOUND_RATE)
            heard.pts = self._sound_at
            self._sound_at += len(samples)
            self.container.mux(self.sound.encode(heard))


def _check_result(target: Path, path: str, seconds: float, slack: Fraction) -> None:
    """Read the finished file's header back: a clip that would not play is an error here, not at a provider."""
    with av.open(str(target)) as made:
        length = (made.duration or 0) / av.time_base
        whole = bool(made.streams.video) and made.streams.video[0].frames > 0
    if not whole or abs(length - seconds) > slack:
        raise VideoError(path, f"clip of {seconds:.3f} s came out with {length:.3f} s; report this file")


def _check(start: float, end: float, fps: float | None, height: int | None) -> None:
    for name, value in (("start", start), ("end", end)):
        if not (math.isfinite(value) and value >= 0):
            raise BadRequest(f"{name} must be finite and >= 0, got {value}")
    if end <= start:
        raise BadRequest(f"clip must end after it starts, got {start} to {end}")
    if fps is not None and not (math.isfinite(fps) and fps > 0):
        raise BadRequest(f"fps must be > 0, got {fps}")
    if height is not None and (height != int(height) or height < 2):
        raise BadRequest(f"height must be a whole number >= 2, got {height}")
