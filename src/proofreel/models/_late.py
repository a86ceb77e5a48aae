"""Frames that become parts of a request while it is being sent, so that no whole body is ever held.

A body with 384 pictures is four megabytes; as data URIs, as JSON and in the socket it would be there three times for
every open call, with hundreds of objects around it. Here the messages hold one mark for a reference, and its parts
are written as the body goes out.
"""

from __future__ import annotations

import base64
import json
import mmap
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from proofreel.models.failure import FailureKind, ModelFailure
from proofreel.video.ref import EncodedFrames

PIECE = 256 * 1024
"""Bytes handed to the connection at a time: large enough to cost little, small enough not to hold up the loop."""


@dataclass(frozen=True)
class LateFrames:
    """Pictures with their times, to stand where a mark stands: a label and an image part for each.

    Attributes:
        block: the pictures one after another, in memory mapped for them alone: it goes back to the system at once,
            where blocks of the heap of whichever thread decoded them would stay with it.
        detail: OpenAI image detail.
    """

    times: tuple[float, ...]
    block: mmap.mmap
    sizes: tuple[int, ...]
    detail: str

    @classmethod
    def of(cls, frames: EncodedFrames, detail: str) -> LateFrames:
        """From expanded frames."""
        sizes = tuple(map(len, frames.jpegs))
        block = mmap.mmap(-1, sum(sizes))
        for picture in frames.jpegs:
            block.write(picture)
        return cls(tuple(frames.times), block, sizes, detail)

    def close(self) -> None:
        """Gives the memory back; what was cut off in the middle of being read gives it back by itself."""
        with suppress(BufferError):
            self.block.close()

    def parts(self) -> Iterator[dict[str, Any]]:
        """The parts as a chat request has them."""
        for time, picture in self._pictures():
            yield {"type": "text", "text": label(time)}
            yield {"type": "image_url", "image_url": {"url": data_uri(picture), "detail": self.detail}}

    def written(self) -> Iterator[bytes]:
        """The same parts as JSON, without the brackets of their list."""
        for number, (time, picture) in enumerate(self._pictures()):
            yield b"," if number else b""
            yield self._head(time)
            yield base64.b64encode(picture)
            yield self._tail()

    def __len__(self) -> int:
        """Bytes of the JSON."""
        pictures = sum(-(-n // 3) * 4 for n in self.sizes)
        around = sum(len(self._head(t)) for t in self.times) + len(self.sizes) * (len(self._tail()) + 1)
        return pictures + around - (1 if self.sizes else 0)

    def _head(self, time: float) -> bytes:
        start = '{"type":"text","text":"%s"},{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,'
        return (start % label(time)).encode()

    def _tail(self) -> bytes:
        return f'","detail":{json.dumps(self.detail)}}}}}'.encode()

    def _pictures(self) -> Iterator[tuple[float, memoryview]]:
        block, at = memoryview(self.block), 0
        for time, size in zip(self.times, self.sizes, strict=True):
            yield time, block[at : at + size]
            at += size


def label(time: float) -> str:
    """The text in front of a picture."""
    return f"[t={time:.2f} s]"


def data_uri(picture: bytes | memoryview) -> str:
    """A JPEG as a data URI."""
    return "data:image/jpeg;base64," + base64.b64encode(picture).decode("ascii")


Late = Mapping[str, LateFrames]
_NONE: Late = MappingProxyType({})
_pending: ContextVar[Late] = ContextVar("proofreel_late", default=_NONE)


def new_mark() -> str:
    """A text that nobody who wrote the messages can have guessed."""
    return f"frames-{secrets.token_hex(16)}"


@contextmanager
def late_frames(pending: Late) -> Iterator[None]:
    """The frames of the request being sent in this context."""
    token = _pending.set(pending)
    try:
        yield
    finally:
        _pending.reset(token)


class LateBody:
    """A JSON body whose frames are put in as it is read.

    Args:
        body: a chat request with marks.

    Raises:
        ModelFailure: frames have no place in the body, or more than one; nothing was sent.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        self._parts: list[bytes | LateFrames] = []
        rest = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        pending = _pending.get()
        places = {m: f'{{"type":"text","text":"{m}"}}' for m in pending}
        found = sorted((rest.find(text), mark) for mark, text in places.items())
        if any(at < 0 or rest.count(mark) != 1 for at, mark in found):
            raise ModelFailure(
                FailureKind.PAYLOAD, "frames lost their place in the request; nothing was sent"
            )
        done = 0
        for at, mark in found:
            self._parts += [rest[done:at].encode(), pending[mark]]
            done = at + len(places[mark])
        self._parts.append(rest[done:].encode())

    def __len__(self) -> int:
        """Bytes of the whole body."""
        return sum(map(len, self._parts))

    def drop(self) -> None:
        """Lets go of the pictures: the client's request and response keep the body in a cycle for long."""
        self._parts.clear()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body in pieces."""
        waiting = bytearray()
        for part in self._parts:
            for piece in (part,) if isinstance(part, bytes) else part.written():
                waiting += piece
                if len(waiting) >= PIECE:
                    yield bytes(waiting)
                    waiting.clear()
        yield bytes(waiting)


def with_frames(request: dict[str, Any]) -> dict[str, Any]:
    """A chat request with its frames in place at once, for ways of sending that take no pieces."""
    pending = _pending.get()
    if not pending:
        return request
    messages = []
    for message in request["messages"]:
        content = message.get("content")
        if isinstance(content, list):
            content = [p for part in content for p in _in_place(part, pending)]
        messages.append({**message, "content": content})
    return {**request, "messages": messages}


def _in_place(part: Any, pending: Late) -> list[Any]:
    late = pending.get(str(part.get("text"))) if isinstance(part, dict) else None
    return [part] if late is None else list(late.parts())
