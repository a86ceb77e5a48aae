"""Making the packet index: one pass over the packet headers of a file, and one decoded frame."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from fractions import Fraction

import av
import av.container
import av.video.stream
import numpy as np
from av.stream import Discard

from . import _progress
from ._container import (
    VideoPacket,
    captured_logs,
    demuxed,
    is_complaint,
    open_media,
    pick_stream,
    timeline_start,
    unreadable,
    video_streams,
)
from ._index import FrameIndex, Ints
from ._wholeness import is_cut_short
from .errors import NoFrames, UnsupportedCodec

_HOLE = 1.5
"""A step larger than this many usual ones means lost packets, where packets can get lost without a trace: in
transport streams, and where the container itself was damaged."""


_SKIPPING = frozenset({"h264", "hevc"})
"""Codecs whose decoders leave out single frames that no other refers to. AV1's can only do so for all frames or
none, and the older ones do not report lost frames: there every packet has to give its frame."""


@dataclass
class _Packets:
    """Columns of the packets in decode order."""

    pts: list[int | None] = field(default_factory=list)
    dts: list[int | None] = field(default_factory=list)
    duration: list[int] = field(default_factory=list)
    key: list[bool] = field(default_factory=list)
    hidden: list[bool] = field(default_factory=list)
    broken: list[bool] = field(default_factory=list)


@dataclass(frozen=True)
class _FirstPicture:
    width: int
    height: int
    rotation: int
    sample_aspect: Fraction
    pts: int | None


def scan(path: str) -> FrameIndex:
    """The index of the video stream of a file.

    Raises:
        UnreadableContainer: the file is no media or cannot be opened.
        NoVideoStream: there is no moving picture in it.
        NoFrames: its video track is empty.
        UnsupportedCodec: no decoder is built in.
    """
    with captured_logs(), open_media(path) as container:
        pick_stream(path, container)
        start = timeline_start(container)
    with captured_logs() as said, open_media(path) as container:
        stream = pick_stream(path, container)
        streams = len(video_streams(container))
        declared = None if container.duration is None else container.duration / av.time_base
        packets, picture = _read_packets(path, container, stream)
        # A stream must not be touched once its container is closed: everything is read here.
        stream_index, tick = stream.index, stream.time_base or Fraction(1, 90000)
        rate = stream.average_rate or stream.base_rate or Fraction(25)
        container_format, codec = container.format.name, stream.codec_context.codec.canonical_name
        has_audio = bool(container.streams.audio)
        promised = stream.frames or None
        sound_end = _declared_sound_end(container, start)

    total = len(packets.pts)
    cut = is_cut_short(path) or bool(promised and total < promised)
    if cut and total and packets.broken[-1] and container_format != "mpegts":
        packets.hidden[-1] = True  # the cut runs through it: it will not decode

    _hide_orphans(packets, picture)
    shown = [i for i in range(total) if not packets.hidden[i]]
    if not shown:
        raise NoFrames(path, "its video track has no frames; fetch or export it again")
    stamped = [packets.pts[i] for i in shown if packets.pts[i] is not None]
    matched = len(stamped) == len(shown) and len(set(stamped)) == len(stamped)
    synthetic = len(stamped) != len(shown)
    step = max(1, round(1 / (rate * tick)))
    pts = np.arange(len(shown)) * step if synthetic else np.sort(np.array(stamped, dtype=np.int64))
    keys = sorted({p for p, key in zip(packets.pts, packets.key, strict=True) if key and p is not None})
    last = _last_duration(packets, shown, pts, step)
    end_pts = int(pts[-1]) + last

    measured = float(end_pts * tick) - (0.0 if synthetic else start)
    trusted = declared is not None and not cut and _agrees(declared, (measured, sound_end))
    if declared is not None and not cut and not trusted and has_audio and sound_end is None:
        trusted = _agrees(declared, (measured, measured_end(path, start)))
    suspect = container_format == "mpegts" or any(
        is_complaint(line) and line[1] == container_format for line in said
    )
    lost = _holes(packets) if suspect else np.zeros(0, dtype=np.int64)
    return FrameIndex(
        pts=pts,
        keys=np.array(keys, dtype=np.int64),
        lost=lost,
        gaps=_gaps(pts) if len(lost) else np.zeros(0, dtype=np.int64),
        stream_index=stream_index,
        tick=(tick.numerator, tick.denominator),
        start=0.0 if synthetic else start,
        end_pts=end_pts,
        matched=matched,
        synthetic=synthetic,
        skippable=matched and container_format != "avi" and codec in _SKIPPING,
        counted=matched and container_format != "avi" and codec not in _SKIPPING,
        codec=codec,
        width=picture.width,
        height=picture.height,
        sample_aspect=(picture.sample_aspect.numerator, picture.sample_aspect.denominator),
        rotation=picture.rotation,
        declared_frames=promised,
        declared_duration=declared,
        duration=declared if trusted and declared is not None else measured,
        duration_measured=not trusted,
        truncated=cut,
        video_streams=streams,
        has_audio=has_audio,
    )


def _read_packets(
    path: str, container: av.container.InputContainer, stream: av.video.stream.VideoStream
) -> tuple[_Packets, _FirstPicture]:
    """All packets of the stream, and the first frame that decodes."""
    packets = _Packets()
    picture: _FirstPicture | None = None
    context = stream.codec_context
    context.thread_count = 1
    vp8 = context.codec.canonical_name == "vp8"
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all
    try:
        for packet in demuxed(container, stream):
            if picture is None:
                picture = _try_picture(path, stream, packet)
            if packet.size == 0:
                continue
            _progress.tick()
            packets.pts.append(packet.pts)
            packets.dts.append(packet.dts)
            packets.duration.append(packet.duration or 0)
            packets.key.append(packet.is_keyframe)
            packets.broken.append(packet.is_corrupt)
            # A VP8 packet says in its first byte whether its frame is ever shown.
            unseen = packet.is_discard or (vp8 and not memoryview(packet)[0] & 0x10)
            packets.hidden.append(unseen)
    except av.error.FFmpegError as error:
        if not packets.pts:
            raise unreadable(path, error) from error
    if not packets.pts:
        raise NoFrames(path, "its video track has no frames; fetch or export it again")
    if picture is None:
        raise NoFrames(
            path, f"none of its {len(packets.pts)} video packets decodes; fetch or export it again"
        )
    return packets, picture


def _try_picture(path: str, stream: av.video.stream.VideoStream, packet: VideoPacket) -> _FirstPicture | None:
    context = stream.codec_context
    try:
        frames = context.decode(packet if packet.size else None)
    except av.error.DecoderNotFoundError as error:
        raise UnsupportedCodec(path, f"no decoder for {context.name}; convert the file") from error
    except av.error.FFmpegError:
        return None
    for frame in frames:
        aspect = stream.sample_aspect_ratio or context.sample_aspect_ratio or Fraction(1)
        turn = round(-frame.rotation / 90) * 90 % 360
        return _FirstPicture(
            frame.width, frame.height, turn, aspect if aspect > 0 else Fraction(1), frame.pts
        )
    return None


def _hide_orphans(packets: _Packets, picture: _FirstPicture) -> None:
    """Leading pictures of a file that was cut out of another at an open group refer to what was cut away.

    They come before the first key frame in display order but after it in the file; a decoder that starts with
    the key frame does not show them, so neither do we.
    """
    first = packets.pts[0] if packets.key[0] else None
    if first is None or picture.pts is None or picture.pts < first:
        return
    for i, pts in enumerate(packets.pts):
        if pts is not None and pts < first:
            packets.hidden[i] = True


def _last_duration(packets: _Packets, shown: list[int], pts: Ints, step: int) -> int:
    """Ticks for which the last frame is shown: as its packet says, else the usual step."""
    latest = max(shown, key=lambda i: (packets.pts[i] or 0, i))
    said = packets.duration[latest]
    if said > 0:
        return said
    return int(np.median(np.diff(pts))) if len(pts) > 1 else step


def _holes(packets: _Packets) -> Ints:
    """Ticks of packets before which others were lost: a jump in an otherwise steady decode order."""
    known = [(d, p) for d, p in zip(packets.dts, packets.pts, strict=True) if d is not None and p is not None]
    if len(known) < 8:
        return np.zeros(0, dtype=np.int64)
    steps = np.diff(np.array([d for d, _ in known], dtype=np.int64))
    usual = np.median(steps)
    steady = np.mean(np.abs(steps - usual) <= 0.1 * usual) > 0.9
    if not steady:
        return np.zeros(0, dtype=np.int64)
    return np.array([known[i + 1][1] for i in np.flatnonzero(steps > _HOLE * usual)], dtype=np.int64)


def _gaps(pts: Ints) -> Ints:
    """Numbers of frames after which a steady stream leaves out others."""
    steps = np.diff(pts)
    return np.flatnonzero(steps > _HOLE * np.median(steps)).astype(np.int64)


def _agrees(declared: float, ends: tuple[float | None, ...]) -> bool:
    latest = max(e for e in ends if e is not None)
    return abs(declared - latest) <= max(0.25, 0.01 * latest)


def _declared_sound_end(container: av.container.InputContainer, start: float) -> float | None:
    """When the sound ends by its own track header; None where the format does not say."""
    ends = [
        float((s.start_time + s.duration) * s.time_base) - start
        for s in container.streams.audio
        if s.duration and s.start_time is not None and s.time_base
    ]
    return max(ends, default=None)


def measured_end(path: str, start: float) -> float:
    """When the last packet of any stream ends, by reading them all."""
    end = 0.0
    with captured_logs(), open_media(path) as container, contextlib.suppress(av.error.FFmpegError):
        for packet in demuxed(container):
            _progress.tick()
            if packet.pts is not None and packet.time_base is not None:
                end = max(end, float((packet.pts + (packet.duration or 0)) * packet.time_base) - start)
    return end
