"""Decoding in child processes that can be killed.

A native hang cannot be interrupted from Python and a native crash takes its process along, so everything
that touches a media file runs in a warm child process: `call` for one result, `pictures` for a stream of
frames through shared memory. The child proves progress about twice a second; without it, or past the
caller's own limit, the child is killed and the caller gets `DecodeTimeout`.
"""

from __future__ import annotations

import atexit
import contextlib
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from socket import socketpair
from typing import Any

import numpy as np

from ._index import FrameIndex, Ints, file_stamp, recall, remember
from ._picture import PictureSpec
from ._stream import Picture, usable_processors
from .errors import DecoderCrashed, DecodeTimeout, VideoError

AVAILABLE = os.name == "posix"
"""Child processes here get their pipes by inherited descriptors; elsewhere decoding stays in process."""

STALL_SECONDS = 60.0
"""Without any progress for so long, the work counts as hung."""

_STOP_SECONDS = 2.0
_START = (
    "import sys; sys.path[:] = {path!r}; from proofreel.video._worker import main; main({pipe}, {memory})"
)


class Patience:
    """How long the work on a file may take: at most `timeout` seconds of waiting, and never a stall.

    Args:
        path: the file, for the error message.
        timeout: seconds of waiting in all; `None` for no limit but the stall.
        stall: seconds without any progress that count as hung.
    """

    def __init__(self, path: str, timeout: float | None, stall: float = STALL_SECONDS) -> None:
        self.path, self.timeout, self.stall = path, timeout, stall
        self._spent = 0.0
        self._began = time.monotonic()

    def receive(self, child: Child) -> Any:
        """The next message of the child."""
        allowed = self.stall if self.timeout is None else min(self.stall, self.timeout - self._spent)
        began = time.monotonic()
        try:
            ready = child.pipe.poll(max(0.0, allowed))
            self._spent += time.monotonic() - began
            if ready:
                return child.pipe.recv()
        except (EOFError, OSError) as error:
            raise DecoderCrashed(
                self.path, f"the decoder process died on it ({child.last_words()})"
            ) from error
        child.kill()
        raise self._expired()

    def check_deadline(self) -> None:
        """For work in this process: raises `DecodeTimeout` once the limit has passed."""
        if self.timeout is not None and time.monotonic() - self._began > self.timeout:
            raise self._expired()

    def _expired(self) -> DecodeTimeout:
        if self.timeout is not None and self._spent >= self.timeout - 0.001:
            return DecodeTimeout(
                self.path, f"not decoded within {self.timeout:g} s; allow more time or fewer frames"
            )
        return DecodeTimeout(
            self.path, f"decoding stood still for {self.stall:g} s and was stopped; check the file"
        )


class Child:
    """A decoder process with a pipe and a piece of shared memory. Used by one caller at a time."""

    def __init__(self) -> None:
        ours, theirs = socketpair()
        self._memory = _anonymous_file()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        code = _START.format(path=sys.path, pipe=theirs.fileno(), memory=self._memory)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            pass_fds=(theirs.fileno(), self._memory),
            start_new_session=True,
        )
        theirs.close()
        self.pipe = Connection(ours.detach())

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def map_memory(self, size: int) -> mmap.mmap:
        """The shared memory, readable; the child has made it at least `size` bytes long."""
        return mmap.mmap(self._memory, size, access=mmap.ACCESS_READ)

    def kill(self) -> None:
        """End it at once, also in the middle of a native call."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOP_SECONDS)
        self._said.close()
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1

    def last_words(self) -> str:
        """How it ended, for an error message."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOP_SECONDS)
        code = self.process.poll()
        ending = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        with contextlib.suppress(OSError, ValueError):
            self._said.seek(0)
            lines = self._said.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
            if lines:
                ending += f": {lines[-1]}"
        return ending


class _Pool:
    """Idle children of this process; a forked copy of the process starts with none."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()

    @contextlib.contextmanager
    def lend(self) -> Iterator[Child]:
        """A child for one request. It comes back only if it lived through it in good order."""
        child = self._take()
        try:
            yield child
        except VideoError as error:
            if isinstance(error, DecodeTimeout | DecoderCrashed):
                child.kill()
            else:
                self._put_back(child)
            raise
        except BaseException:
            child.kill()
            raise
        self._put_back(child)

    def _take(self) -> Child:
        with self._lock:
            if self._owner != os.getpid():
                self._idle, self._owner = [], os.getpid()
            while self._idle:
                child = self._idle.pop()
                if child.alive:
                    return child
                child.kill()
        return Child()

    def _put_back(self, child: Child) -> None:
        with self._lock:
            if child.alive and len(self._idle) < usable_processors() and self._owner == os.getpid():
                self._idle.append(child)
                return
        child.kill()

    def close(self) -> None:
        """Kill the idle children."""
        with self._lock:
            idle, self._idle = self._idle, []
        if self._owner == os.getpid():
            for child in idle:
                child.kill()


_pool = _Pool()
atexit.register(_pool.close)


def call(function: str, *arguments: Any, patience: Patience) -> Any:
    """The result of a function of this package, worked out in a child process.

    Args:
        function: `module:name` inside `proofreel`, e.g. `proofreel.video._index:load_index`.
        arguments: passed on; they and the result must pickle.
        patience: how long it may take.

    Raises:
        VideoError: what the function raised, or `DecodeTimeout`, or `DecoderCrashed`.
    """
    with _pool.lend() as child:
        _send(child, patience, ("call", function, arguments, patience.stall))
        while True:
            kind, *content = patience.receive(child)
            if kind == "result":
                return content[0]
            if kind == "error":
                raise content[0]


def index_of(path: str, patience: Patience) -> FrameIndex:
    """The index of a file, scanned in a child process unless this one knows it."""
    from ._container import check_plain_file

    check_plain_file(path)
    stamp = file_stamp(path)
    index = recall(stamp)
    if index is None:
        index = call("proofreel.video._index:load_index", path, patience=patience)
        remember(stamp, index)
    return index


def pictures(
    path: str, index: FrameIndex, wanted: Ints, spec: PictureSpec, patience: Patience
) -> Iterator[Picture]:
    """Wanted frames in display order, decoded in a child process.

    Args:
        path: the file.
        index: its index.
        wanted: frame numbers, ascending, each once.
        spec: how the frames are to look.
        patience: how long it may take.
    """
    with _pool.lend() as child:
        _send(child, patience, ("pictures", path, len(index), wanted, spec, patience.stall))
        finished = False
        try:
            kind, *content = patience.receive(child)
            while kind == "tick":
                kind, *content = patience.receive(child)
            if kind == "error":
                finished = True
                raise content[0]
            slots, height, width = content
            memory = np.frombuffer(child.map_memory(slots * height * width * 3), np.uint8)
            frames = memory.reshape(slots, height, width, 3)
            while True:
                kind, *content = patience.receive(child)
                if kind == "frame":
                    slot, number, shown, damaged = content
                    image = frames[slot].copy()
                    _send(child, patience, ("free", slot))
                    yield Picture(number, shown, image, damaged)
                elif kind == "done":
                    finished = True
                    return
                elif kind == "error":
                    finished = True
                    raise content[0]
        except GeneratorExit:
            finished = finished or _stopped_in_order(child)
            if not finished:
                child.kill()
            return


def _stopped_in_order(child: Child) -> bool:
    """Tells the child that no more is wanted; True when it is ready for other work."""
    deadline = time.monotonic() + _STOP_SECONDS
    try:
        child.pipe.send(("stop",))
        while child.pipe.poll(max(0.0, deadline - time.monotonic())):
            if child.pipe.recv()[0] in ("done", "error"):
                return True
    except (EOFError, OSError):
        return False
    return False


def _send(child: Child, patience: Patience, message: tuple[Any, ...]) -> None:
    try:
        if message[0] != "free":
            # The child may be older than the caller's last chdir, and names are relative to where the caller stands.
            child.pipe.send(("folder", os.getcwd()))  # noqa: PTH109
        child.pipe.send(message)
    except OSError as error:
        raise DecoderCrashed(patience.path, f"the decoder process died ({child.last_words()})") from error


def _anonymous_file() -> int:
    """Descriptor of a file without a name, in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("proofreel-frames")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
