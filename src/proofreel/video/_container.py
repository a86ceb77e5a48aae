"""Opening a media file: refuse what is not a plain file, pick the stream, find time zero, keep libav quiet."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import av
import av.container
import av.logging
import av.video.stream
from av.stream import Disposition

from .errors import NoVideoStream, UnreadableContainer, UnsupportedCodec, VideoError

VideoPacket: TypeAlias = "av.Packet[av.video.stream.VideoStream]"
LogLines = list[tuple[int, str, str]]
_PRIMING_PACKETS = 64
# What points at other files, streams or devices (its frames could change while it does not, and opening it could
# wait for ever), and text that libav paints as pictures.
_REFUSED = {"concat", "dash", "hls", "lavfi", "rtp", "rtsp", "sap", "sdp", "vobsub", "webm_dash_manifest"}
_REFUSED |= {"adf", "bin", "idf", "tty", "xbin"}
_POINTERS = (b"#EXTM3U", b"ffconcat", b"<MPD", b"v=0")
_OPTIONS = {
    "format_whitelist": ",".join(sorted(av.formats_available - _REFUSED)),
    # A name is a name: "shot%03d.png" is that file, not a numbered series beside it.
    "pattern_type": "none",
}


def check_plain_file(path: str) -> None:
    """Refuse a missing file, a folder, a pipe or a device before anything can block on it.

    Raises:
        UnreadableContainer: naming what the path is instead.
    """
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableContainer(path, f"cannot open: {reason}; check the path") from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a plain file (pipe, socket or device)"
        raise UnreadableContainer(path, f"is {kind}; give a media file")
    if status.st_size == 0:
        raise UnreadableContainer(path, "is empty (0 bytes); fetch it again")


@contextlib.contextmanager
def open_media(path: str) -> Iterator[av.container.InputContainer]:
    """The opened container; always closed.

    Raises:
        UnreadableContainer: if libav cannot make sense of the file.
    """
    check_plain_file(path)
    try:
        # The prefix keeps names such as "http:talk.mp4" from being read as addresses.
        container = av.open(f"file:{path}", metadata_errors="replace", options=_OPTIONS)
    except av.error.ArgumentError as error:
        raise _not_media(path) from error
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise unreadable(path, error) from error
    with container:
        yield container


def _not_media(path: str) -> UnreadableContainer:
    """The error for a file whose kind is not read: a playlist, a text, or raw data without a header."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError:
        head = b""
    if head.startswith(_POINTERS) or b"<MPD" in head:
        return UnreadableContainer(
            path, "is a playlist that points at other files; give the media file itself"
        )
    return UnreadableContainer(path, "is no kind of media that is read (text, or raw data without a header)")


def unreadable(path: str, error: Exception) -> VideoError:
    """The typed form of a libav error at opening or reading."""
    if isinstance(error, av.error.DecoderNotFoundError):
        return UnsupportedCodec(path, f"no decoder for its codec ({error.strerror}); convert the file")
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return UnreadableContainer(path, f"not readable as media ({said}); it may be cut off or no media at all")


def video_streams(container: av.container.InputContainer) -> list[av.video.stream.VideoStream]:
    """The moving pictures of a file; an attached cover is not one."""
    return [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]


def pick_stream(path: str, container: av.container.InputContainer) -> av.video.stream.VideoStream:
    """The stream marked default, else the largest picture.

    Raises:
        NoVideoStream: if there is none.
        UnsupportedCodec: if there is no decoder for it.
    """
    streams = video_streams(container)
    if not streams:
        covers = " (an attached picture is not one)" if container.streams.video else ""
        raise NoVideoStream(path, f"has no video stream{covers}; only probe and audio work on it")
    if all(s.codec_context is None for s in streams):
        raise UnsupportedCodec(path, "no decoder for its video codec is built in; convert the file")
    return max(
        (s for s in streams if s.codec_context is not None),
        key=lambda s: (bool(s.disposition & Disposition.default), s.width * s.height),
    )


def demuxed(container: av.container.InputContainer, stream: av.stream.Stream | None = None) -> Iterator[Any]:
    """Packets in file order, of one stream or of all, the empty flushing ones at the end included.

    PyAV raises IndexError on a packet of a track that was not there when the file was opened (a programme that
    turns up late in a transport stream); such packets belong to nobody and are passed over.

    Raises:
        av.FFmpegError: libav cannot read on.
    """
    while True:
        try:
            yield from container.demux() if stream is None else container.demux(stream)
        except IndexError:
            continue
        return


def timeline_start(container: av.container.InputContainer) -> float:
    """Seconds on the container's clock that count as t = 0, shared by picture and sound.

    It is the container's start time. In Matroska the clock starts at the first block, codec delay taken off
    (as the program that wrote the file counted), even where libav already skips the priming samples.
    Reads the first packets of a Matroska file: call it before demuxing, then open anew or seek to the start.
    """
    if container.start_time is None:
        return 0.0
    start = float(container.start_time) / av.time_base
    if "matroska" in container.format.name and container.streams.audio:
        audio = container.streams.audio[0]
        with contextlib.suppress(av.error.FFmpegError):
            for count, packet in enumerate(demuxed(container)):
                if packet.stream_index == audio.index and packet.pts is not None:
                    return min(start, float(packet.pts * (audio.time_base or 0)))
                if count >= _PRIMING_PACKETS:
                    break
    return start


def is_complaint(line: tuple[int, str, str]) -> bool:
    """Whether a log line says that data was bad: every error, and the one warning by which HEVC drops a slice."""
    level, _, text = line
    return level <= av.logging.ERROR or "undecodable" in text


@contextlib.contextmanager
def captured_logs() -> Iterator[LogLines]:
    """Libav's errors and warnings of this thread, collected and not printed."""
    before = av.logging.get_level()
    if before is None:
        av.logging.set_level(av.logging.WARNING)
    try:
        with av.logging.Capture(local=True) as lines:
            yield lines
    finally:
        if before is None and _private_process is False:
            av.logging.set_level(None)


_private_process = False


def own_the_logs() -> None:
    """Called once in a decoder process: libav logs stay captured, never repeated to a terminal."""
    global _private_process
    _private_process = True
    av.logging.set_level(av.logging.WARNING)
    av.logging.set_skip_repeated(False)
