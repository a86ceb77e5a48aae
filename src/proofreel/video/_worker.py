"""The child process of `_isolate`: serves one request after another until its pipe closes.

It ends itself by an alarm when it stalls, so that it dies also when the parent, who would have killed it,
is gone. The alarm is the kernel's: it works in the middle of a native call.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from . import _progress
from ._container import own_the_logs
from ._index import Ints, load_index
from ._picture import PictureSpec
from ._stream import FrameStream
from .errors import DecoderCrashed, VideoError

_SLOTS = 4
_TICK_SECONDS = 0.5
_GRACE_SECONDS = 15


class _NoMoreWanted(Exception):  # noqa: N818 - a signal, not an error
    """The parent has enough frames."""


class _ParentGone(Exception):  # noqa: N818 - a signal, not an error
    """The pipe is closed."""


class _Alarm:
    """The kernel's alarm clock: kills this process unless put off. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds = 0

    def set(self, seconds: int) -> None:
        with self._lock:
            self._seconds = seconds
            signal.alarm(seconds)

    def put_off(self) -> bool:
        """Starts the time anew; False if the alarm is not set."""
        with self._lock:
            signal.alarm(self._seconds)
            return self._seconds > 0


class _Server:
    def __init__(self, pipe: Connection, memory: int) -> None:
        self._pipe, self._memory = pipe, memory
        self._sending = threading.Lock()
        self._alarm = _Alarm()
        self._limit = 0
        self._free: set[int] = set()

    def serve(self) -> None:
        threading.Thread(target=self._prove_progress, daemon=True).start()
        with contextlib.suppress(_ParentGone):
            while True:
                kind, *content = self._receive()
                if kind == "folder":
                    with contextlib.suppress(OSError):
                        os.chdir(content[0])
                elif kind not in ("stop", "free"):  # those are late words on a finished request
                    self._answer(kind, content)

    def _answer(self, kind: str, content: list[Any]) -> None:
        *content, stall = content
        self._limit = int(stall) + _GRACE_SECONDS
        self._alarm.set(self._limit)
        try:
            if kind == "call":
                self._say("result", _function(content[0])(*content[1]))
            else:
                with contextlib.suppress(_NoMoreWanted):
                    self._stream(*content)
                self._say("done")
        except _ParentGone:
            raise
        except VideoError as error:
            self._say("error", error)
        except Exception as error:  # noqa: BLE001 - told to the parent, who raises it
            self._say("error", DecoderCrashed(str(content[0]), f"{type(error).__name__}: {error}"))
        finally:
            self._alarm.set(0)

    def _stream(self, path: str, frames: int, wanted: Ints, spec: PictureSpec) -> None:
        index = load_index(path)
        if len(index) != frames:
            raise VideoError(path, "the file changed while it was being read; try again")
        stream = FrameStream(path, index, wanted, spec, on_wait=self._listen)
        size = stream.height * stream.width * 3
        os.ftruncate(self._memory, max(_SLOTS * size, os.fstat(self._memory).st_size))
        with mmap.mmap(self._memory, _SLOTS * size) as shared:
            slots = np.ndarray((_SLOTS, stream.height, stream.width, 3), np.uint8, shared)
            try:
                self._free = set(range(_SLOTS))
                self._say("size", _SLOTS, stream.height, stream.width)
                with contextlib.closing(stream.pictures()) as pictures:
                    for picture in pictures:
                        slot = self._free_slot()
                        slots[slot] = picture.image
                        self._say("frame", slot, picture.wanted, picture.shown, picture.damaged)
            finally:
                del slots

    def _free_slot(self) -> int:
        """A slot the parent has read. Waiting for a slow reader is no stall."""
        self._listen()
        while not self._free:
            self._alarm.set(0)
            self._hear(self._receive())
            self._alarm.set(self._limit)
        return self._free.pop()

    def _listen(self) -> None:
        while self._pipe.poll():
            self._hear(self._receive())

    def _hear(self, message: tuple[Any, ...]) -> None:
        if message[0] == "stop":
            raise _NoMoreWanted
        self._free.add(message[1])

    def _receive(self) -> tuple[Any, ...]:
        try:
            return tuple(self._pipe.recv())
        except (EOFError, OSError) as error:
            raise _ParentGone from error

    def _say(self, *message: Any) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        try:
            with self._sending:
                self._pipe.send_bytes(data)
        except OSError as error:
            raise _ParentGone from error

    def _prove_progress(self) -> None:
        """Tells the parent about twice a second that packets are moving, and puts the alarm off."""
        seen = _progress.count
        pause = threading.Event()
        with contextlib.suppress(_ParentGone):
            while not pause.wait(_TICK_SECONDS):
                if _progress.count != seen and self._alarm.put_off():
                    self._say("tick")
                seen = _progress.count


def _function(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def main(pipe: int, memory: int) -> None:
    """Entry point of the child process; the descriptors are inherited."""
    own_the_logs()
    _Server(Connection(pipe), memory).serve()
