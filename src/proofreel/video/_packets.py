"""Packets of one stream from a key frame on, and the decoder they are fed to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

import av
import av.container
import av.video.stream
from av.stream import Discard

from ._container import VideoPacket, captured_logs, demuxed, is_complaint, open_media
from ._index import FrameIndex

_EARLIER_KEYS = 3
"""How many key frames back a seek that overshoots is tried again before reading from the start."""


@dataclass(frozen=True)
class Trouble:
    """What the decoder said to a packet: it refused it, or only complained in its log."""

    failed: bool
    complained: bool


class Stopped(Exception):  # noqa: N818 - a signal, not an error
    """The caller of a decode wants no more; unwinds the decoding thread."""


class PacketSource:
    """An open file with one decoder of one thread. Use as a context; not shared between threads.

    Args:
        path: the file.
        index: its index.
        on_packet: called for every packet; proves progress, and may raise `Stopped`.
    """

    def __init__(self, path: str, index: FrameIndex, on_packet: Callable[[], None]) -> None:
        self.path = path
        self.index = index
        self._on_packet = on_packet
        self._open_files = ExitStack()
        self._logs = self._open_files.enter_context(captured_logs())
        self._current = self._open_files.enter_context(ExitStack())
        self._open()

    def __enter__(self) -> PacketSource:
        return self

    def __exit__(self, *_: object) -> None:
        self._open_files.close()

    def another(self) -> PacketSource:
        """A second source on the same file, closed together with this one."""
        return self._open_files.enter_context(PacketSource(self.path, self.index, self._on_packet))

    def _open(self) -> None:
        self._current.close()
        self._container = self._current.enter_context(open_media(self.path))
        self._stream = cast(av.video.stream.VideoStream, self._container.streams[self.index.stream_index])
        self._context = self._stream.codec_context
        self._context.thread_count = 1
        self._exact = True
        for other in self._container.streams:
            if other.index != self._stream.index:
                other.discard = Discard.all

    def feed(self, packet: VideoPacket | None, exact: bool = True) -> tuple[list[av.VideoFrame], Trouble]:
        """The frames that come out for a packet; `None` drains the decoder.

        With `exact` false the packet is left undecoded if no other frame refers to it.
        """
        self._on_packet()
        if self.index.skippable and exact != self._exact:
            self._context.skip_frame = "DEFAULT" if exact else "NONREF"
            self._exact = exact
        lines = len(self._logs)
        try:
            frames = self._context.decode(packet)
        except av.error.FFmpegError:
            return [], Trouble(True, True)
        return frames, Trouble(False, any(map(is_complaint, self._logs[lines:])))

    def from_start(self) -> Iterator[VideoPacket | None]:
        """All packets of the stream, then `None`; the file is opened anew."""
        self._open()
        yield from self._read()
        yield None

    def from_key(self, key: int) -> Iterator[VideoPacket | None]:
        """Packets from a key packet on, then `None`.

        A seek is never trusted: the packet with the key frame's own time must turn up, or the seek goes one
        key earlier, and after three of those the file is read from its start.

        Args:
            key: position in `FrameIndex.keys`; -1 for the start of the file.
        """
        for earlier in range(_EARLIER_KEYS + 1 if key >= 0 else 0):
            target = int(self.index.keys[max(0, key - earlier)])
            try:
                self._container.seek(target, stream=self._stream, backward=True, any_frame=False)
            except av.error.FFmpegError:
                break
            packets = self._skip_to_key(key)
            first = next(packets, None)
            if first is not None:
                yield first
                yield from packets
                yield None
                return
        packets = self._read_anew()
        if key >= 0:
            packets = self._until_key(packets, key, give_up=False)
        yield from packets
        yield None

    def _read_anew(self) -> Iterator[VideoPacket]:
        self._open()
        return self._read()

    def _skip_to_key(self, key: int) -> Iterator[VideoPacket]:
        return self._until_key(self._read(), key, give_up=True)

    def _until_key(self, packets: Iterator[VideoPacket], key: int, give_up: bool) -> Iterator[VideoPacket]:
        """Drops packets before the key packet. Empty when a later key packet comes first and `give_up`."""
        wanted = int(self.index.keys[key])
        for packet in packets:
            self._on_packet()
            if packet.is_keyframe and packet.pts == wanted:
                yield packet
                yield from packets
                return
            if give_up and packet.is_keyframe and packet.pts is not None and packet.pts > wanted:
                return

    def _read(self) -> Iterator[VideoPacket]:
        """Packets with data until the end, or until libav cannot read on."""
        try:
            for packet in demuxed(self._container, self._stream):
                if packet.size:
                    yield packet
        except av.error.FFmpegError:
            return
