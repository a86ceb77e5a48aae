"""Pictures that become base64 while the request is being sent, so that no whole body is ever held.

A body with 384 pictures is four megabytes; as data URIs, as JSON and in the socket it would be there three times for
every open call. Here the messages hold a mark for each picture, and the body is made in pieces as it goes out.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from proofreel.models.failure import FailureKind, ModelFailure

PIECE = 256 * 1024
"""Bytes handed to the connection at a time: large enough to cost little, small enough not to hold up the loop."""
_MARK = re.compile(r"picture-[0-9a-f]{32}-\d{6}")
_NONE: Mapping[str, bytes] = MappingProxyType({})
_pictures: ContextVar[Mapping[str, bytes]] = ContextVar("proofreel_pictures", default=_NONE)


class Marks:
    """Makes the marks of one request and keeps its pictures; marks cannot be guessed by whoever wrote the messages."""

    def __init__(self) -> None:
        self.pictures: dict[str, bytes] = {}
        self._token = secrets.token_hex(16)

    def add(self, picture: bytes) -> str:
        """The mark that stands for a picture."""
        mark = f"picture-{self._token}-{len(self.pictures):06d}"
        self.pictures[mark] = picture
        return mark


@contextmanager
def late_pictures(pictures: Mapping[str, bytes]) -> Iterator[None]:
    """The pictures of the request being sent in this context."""
    token = _pictures.set(pictures)
    try:
        yield
    finally:
        _pictures.reset(token)


class LateBody:
    """A JSON body whose pictures are put in as it is read.

    Args:
        body: what is to be sent, with marks.

    Raises:
        ModelFailure: a picture has no place in the body, or more than one; nothing was sent.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        self._pictures = _pictures.get()
        found = [m for m in _MARK.finditer(text) if m[0] in self._pictures]
        if sorted(m[0] for m in found) != sorted(self._pictures):
            raise ModelFailure(
                FailureKind.PAYLOAD, "a picture did not reach its place in the request; nothing was sent"
            )
        self._parts: list[bytes | str] = []
        at = 0
        for match in found:
            self._parts += [text[at : match.start()].encode(), match[0]]
            at = match.end()
        self._parts.append(text[at:].encode())

    def __len__(self) -> int:
        """Bytes of the whole body."""
        return sum(
            len(p) if isinstance(p, bytes) else -(-len(self._pictures[p]) // 3) * 4 for p in self._parts
        )

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body in pieces."""
        waiting = bytearray()
        for part in self._parts:
            waiting += part if isinstance(part, bytes) else base64.b64encode(self._pictures[part])
            if len(waiting) >= PIECE:
                yield bytes(waiting)
                waiting.clear()
        yield bytes(waiting)


def with_pictures(value: Any) -> Any:
    """A request with its pictures in place at once, for ways of sending that take no pieces."""
    pictures = _pictures.get()
    if not pictures:
        return value
    if isinstance(value, str):
        return _MARK.sub(
            lambda m: base64.b64encode(pictures[m[0]]).decode() if m[0] in pictures else m[0], value
        )
    if isinstance(value, dict):
        return {k: with_pictures(v) for k, v in value.items()}
    return [with_pictures(v) for v in value] if isinstance(value, list | tuple) else value
