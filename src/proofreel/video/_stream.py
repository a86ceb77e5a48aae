"""Wanted frames of one file as a stream in display order, decoded by several threads in bounded memory.

Groups of pictures are handed out in order, one at a time, to threads that each have their own container and
a decoder of one thread. Each group has a bounded queue, and few groups are under way, so that no thread runs
far ahead of the reader.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain

from . import _progress
from ._gop import Group, GroupDecoder, group_by_key
from ._index import FrameIndex, Ints
from ._packets import PacketSource, Stopped
from ._picture import Converter, Image, PictureSpec

IN_FLIGHT_BYTES = 48 << 20
"""About how many bytes of finished frames may wait for the reader."""
_MOST_THREADS = 8
_MOST_TASKS = 512
_POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Picture:
    """A wanted frame as an image.

    Attributes:
        wanted: the frame number asked for.
        shown: the number of the frame in the image; another one where damage forbids the exact one.
        image: uint8 [height, width, 3].
        damaged: True when the picture is not, or may not be, the exact one.
    """

    wanted: int
    shown: int
    image: Image
    damaged: bool


class _Task:
    """A few groups in a row and their finished pictures; `None` ends it, an exception fails it."""

    def __init__(self, groups: Sequence[Group], room: int) -> None:
        self.groups = groups
        self.done: queue.Queue[Picture | BaseException | None] = queue.Queue(room)


class FrameStream:
    """Decodes frames in background threads; read `pictures()` once.

    Args:
        path: the file.
        index: its index.
        wanted: frame numbers, ascending, each once.
        spec: how the frames are to look.
        on_wait: called a few times a second while the reader waits; may raise to give up.
    """

    def __init__(
        self,
        path: str,
        index: FrameIndex,
        wanted: Ints,
        spec: PictureSpec,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        self._path, self._index, self._spec, self._on_wait = path, index, spec, on_wait
        self.height, self.width = spec.size_for(index.display_size)
        groups = group_by_key(index, wanted)
        together = 1 + len(groups) // _MOST_TASKS  # where every frame is a key frame there are many groups
        parts = [groups[i : i + together] for i in range(0, len(groups), together)]
        threads = min(usable_processors(), len(parts), _MOST_THREADS)
        ahead = 2 * threads
        room = max(1, IN_FLIGHT_BYTES // (self.height * self.width * 3 * ahead))
        self._tasks = [_Task(part, room) for part in parts]
        self._untaken = iter(self._tasks)
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(ahead)
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def pictures(self) -> Generator[Picture, None, None]:
        """The frames in display order; close it to stop the threads early."""
        for thread in self._threads:
            thread.start()
        try:
            for task in self._tasks:
                while (item := self._get(task)) is not None:
                    if isinstance(item, BaseException):
                        raise item
                    yield item
                self._turns.release()
        finally:
            self._stopped.set()
            self._turns.release(len(self._threads))
            for thread in self._threads:
                thread.join()

    def _get(self, task: _Task) -> Picture | BaseException | None:
        while True:
            try:
                return task.done.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if self._on_wait is not None:
                    self._on_wait()

    def _put(self, task: _Task, item: Picture | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                task.done.put(item, timeout=_POLL_SECONDS)
                return
            except queue.Full:
                continue
        raise Stopped

    def _take(self) -> _Task | None:
        self._turns.acquire()
        with self._lock:
            return None if self._stopped.is_set() else next(self._untaken, None)

    def _on_packet(self) -> None:
        _progress.tick()
        if self._stopped.is_set():
            raise Stopped

    def _work(self) -> None:
        decoder: GroupDecoder | None = None
        with ExitStack() as files:
            while (task := self._take()) is not None:
                try:
                    if decoder is None:
                        source = PacketSource(self._path, self._index, self._on_packet)
                        decoder = GroupDecoder(files.enter_context(source))
                        converter = Converter(self._spec, self._index.display_size, self._index.rotation)
                    for one in chain.from_iterable(map(decoder.decode, task.groups)):
                        image = converter.image(one.frame)
                        self._put(task, Picture(one.wanted, one.shown, image, one.damaged))
                    self._put(task, None)
                except Stopped:
                    return
                except BaseException as error:  # noqa: BLE001 - not swallowed: the reader raises it
                    task.done.queue.clear()
                    task.done.put(error)
                    return


def usable_processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
