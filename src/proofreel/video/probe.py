"""What a media file is: measured facts, not header claims."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Literal

from .errors import BadRequest, NoVideoStream

if TYPE_CHECKING:
    from ._index import FrameIndex


@dataclass(frozen=True)
class VideoInfo:
    """Facts of a media file. Seconds are on the container timeline, t = 0 at the container's start.

    Attributes:
        path: the file.
        duration: seconds; as the container says where that agrees with its packets, else measured.
        duration_source: `container` or `packets` (measured).
        width: columns as displayed: rotation and pixel aspect applied; 0 without video.
        height: rows as displayed; 0 without video.
        fps: average rate, frames a second; 0.0 without video.
        frame_count: frames that are shown, counted from packets; `None` without video.
        declared_frames: what the container claims, if it does.
        rotation: clockwise turn a player applies to the stored picture: 0, 90, 180 or 270.
        has_video: whether there is a moving picture; an attached cover is not one.
        has_audio: whether there is an audio track.
        codec: name of the video codec, e.g. `h264`; `None` without video.
        start: time of the first frame; 0.0 without video.
        end: when the last frame stops being shown; the duration without video.
        truncated: the file is cut short: it holds fewer frames or bytes than it promises.
        video_streams: number of moving pictures in the file; the default, else the largest, is used.
        timestamps: `container`, or `synthetic` where the file has none and the declared rate stands in.
    """

    path: str
    duration: float
    duration_source: Literal["container", "packets"]
    width: int
    height: int
    fps: float
    frame_count: int | None
    declared_frames: int | None
    rotation: int
    has_video: bool
    has_audio: bool
    codec: str | None
    start: float
    end: float
    truncated: bool
    video_streams: int
    timestamps: Literal["container", "synthetic"]


def probe(path: str | PathLike[str], *, timeout: float | None = None, isolate: bool = True) -> VideoInfo:
    """Facts of a media file, from its packets (read once, then cached).

    Args:
        path: the file.
        timeout: most seconds to spend; without it only a stall of a minute ends the work.
        isolate: read the file in a child process that can be killed.

    Raises:
        BadRequest: the timeout is not positive.
        UnreadableContainer: the file is missing, special, empty, or no media.
        NoFrames: its video track is empty.
        UnsupportedCodec: no decoder for its video is built in.
        DecodeTimeout: reading it stalled or took too long.
    """
    if timeout is not None and not timeout > 0:
        raise BadRequest(f"timeout must be > 0 seconds, got {timeout}")
    from . import _isolate
    from ._index import load_index

    name = os.fspath(path)
    patience = _isolate.Patience(name, timeout)
    away = isolate and _isolate.AVAILABLE
    try:
        index = _isolate.index_of(name, patience) if away else load_index(name)
    except NoVideoStream:
        if away:
            found: VideoInfo = _isolate.call("proofreel.video.probe:_sound_only", name, patience=patience)
            return found
        return _sound_only(name)
    return _with_video(name, index)


def _with_video(path: str, index: FrameIndex) -> VideoInfo:
    width, height = index.display_size
    return VideoInfo(
        path=path,
        duration=index.duration,
        duration_source="packets" if index.duration_measured else "container",
        width=width,
        height=height,
        fps=index.timeline.fps,
        frame_count=len(index),
        declared_frames=index.declared_frames,
        rotation=index.rotation,
        has_video=True,
        has_audio=index.has_audio,
        codec=index.codec,
        start=float(index.times[0]),
        end=index.end,
        truncated=index.truncated,
        video_streams=index.video_streams,
        timestamps="synthetic" if index.synthetic else "container",
    )


def _sound_only(path: str) -> VideoInfo:
    """Facts of a file without a moving picture."""
    from ._container import captured_logs, open_media
    from ._scan import measured_end
    from ._wholeness import is_cut_short

    with captured_logs(), open_media(path) as container:
        declared = None if container.duration is None else float(container.duration) / 1_000_000
        start = float(container.start_time or 0) / 1_000_000
        has_audio = bool(container.streams.audio)
    duration = declared if declared is not None else measured_end(path, start)
    return VideoInfo(
        path=path,
        duration=duration,
        duration_source="packets" if declared is None else "container",
        width=0,
        height=0,
        fps=0.0,
        frame_count=None,
        declared_frames=None,
        rotation=0,
        has_video=False,
        has_audio=has_audio,
        codec=None,
        start=0.0,
        end=duration,
        truncated=is_cut_short(path),
        video_streams=0,
        timestamps="container",
    )
