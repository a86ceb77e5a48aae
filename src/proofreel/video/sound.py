"""The sound of a stretch of a video as a small file of its own, for models that listen and shall not see."""

from __future__ import annotations

import io
from fractions import Fraction
from os import PathLike
from typing import Any

import av
import av.container
import numpy as np

from ._audio_runs import Samples
from ._reference import ClipRef
from .audio import iter_audio
from .cache import MediaCache, default_cache
from .errors import BadRequest
from .ref import check_unchanged

SOUND_VERSION = 1
"""Part of the key under which a sound is kept; goes up when the same request gives other bytes."""
RATE, BITS = 16_000, 64_000
"""Samples and bits a second: an hour is 29 MB."""


def cut_sound(path: str | PathLike[str], start: float = 0.0, end: float | None = None) -> bytes:
    """The sound between two times as an mp3 in one channel, time 0 being ``start``.

    Silence before a track that begins late is kept, so that seconds of the sound are seconds of the video.

    Args:
        path: media file.
        start: seconds on the container timeline, >= 0.
        end: seconds; None or anything later than the file means its end.

    Raises:
        NoAudio: the file has no audio track.
        VideoError: as `read_audio`.
    """
    out = io.BytesIO()
    container: Any = av.open(out, "w", format="mp3")
    with container:
        stream: Any = container.add_stream("libmp3lame", rate=RATE, layout="mono")
        stream.bit_rate = BITS
        at = 0
        for samples in iter_audio(path, rate=RATE, start=start, end=end):
            container.mux(stream.encode(_frame(samples, at)))
            at += len(samples)
        container.mux(stream.encode(None))
    return out.getvalue()


def expand_sound(ref: ClipRef, cache: MediaCache | None = None) -> bytes:
    """The sound of a reference without pictures, made or taken from the cache: an mp3.

    Raises:
        BadRequest: the reference has pictures.
        MediaChanged: the file has another hash than the reference.
        VideoError: as `cut_sound` does.
    """
    if ref.pictures:
        raise BadRequest("expand_sound is for references without pictures; expand_clip makes the others")
    check_unchanged(ref)
    key = f"sound|{SOUND_VERSION}|{ref.id}"
    return (cache or default_cache()).get_or_make(key, lambda: cut_sound(ref.video, ref.start, ref.end))


def _frame(samples: Samples, at: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[None, :]), format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
    return frame
