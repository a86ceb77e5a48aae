"""One request and its answer, as it came over the wire: what is fetched, archived and replayed."""

import re
import zlib
from dataclasses import dataclass
from typing import Protocol

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import SafeUrl

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/json", "application/pdf")
_UNSURE_TYPES = (
    "application/octet-stream",
    "binary/octet-stream",
    "application/x-pdf",
    "application/download",
)
_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}


@dataclass(frozen=True)
class Hop:
    """An answer.

    Attributes:
        headers: (lower-case name, value) in order.
        body: bytes as sent, content encoding included.
        truncated: why the body is not whole: ``length`` (byte limit), ``type`` (not asked for), None when it is.
    """

    url: str
    status: int
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    truncated: str | None = None

    def header(self, name: str) -> str:
        """The first value of a header; empty when it is absent."""
        return next((v for k, v in self.headers if k == name), "")

    @property
    def content_type(self) -> str:
        """The media type alone, lower case; empty when the server names none."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Source(Protocol):
    """Where answers come from: the web, an archive, or a collection of files."""

    async def hop(self, url: SafeUrl) -> Hop:
        """The answer to one request.

        Raises:
            WebError: there is none.
        """


def plain_type(name: str) -> str:
    """A media type or encoding as it may stand in a message: words of a server are not repeated otherwise."""
    return (
        name if re.fullmatch(r"[\w.+-]{1,60}(?:/[\w.+-]{1,60})?", name, re.ASCII) else "an odd content type"
    )


def may_be_text(content_type: str) -> bool:
    """Whether a body of this type is worth reading; unknown and vague types are, until their bytes are seen."""
    if not content_type or content_type in _UNSURE_TYPES:
        return True
    return content_type.startswith(_TEXT_TYPES) or content_type.endswith(("+xml", "+json"))


def plain_body(hop: Hop, limit: int) -> tuple[bytes, bool]:
    """The body without its content encoding, at most ``limit`` bytes, and whether it was cut off there.

    A body that swells (a gzip bomb) is unpacked up to the limit only; the rest is never held in memory.

    Raises:
        WebError: ``unreadable`` for an encoding that was not asked for or is broken from the start.
    """
    names = [n.strip().lower() for n in hop.header("content-encoding").split(",") if n.strip()]
    names = [n for n in names if n != "identity"]
    cut = hop.truncated == "length"
    if not names or not hop.body:
        return hop.body[:limit], cut or len(hop.body) > limit
    if len(names) > 1 or names[0] not in _WINDOW:
        raise WebError(
            "unreadable",
            f"{hop.url}: sent as {', '.join(map(plain_type, names[:3]))}, which was not asked for; it is not read",
        )
    opened = _inflate(hop.body, _WINDOW[names[0]], limit)
    if opened is None:
        raise WebError("unreadable", f"{hop.url}: says {names[0]}, but the bytes are not")
    return opened[0], cut or not opened[1]


def _inflate(body: bytes, window: int, limit: int) -> tuple[bytes, bool] | None:
    """What was unpacked and whether that is all; None when nothing could be."""
    for bits in (window, -15) if window == 15 else (window,):
        try:
            machine = zlib.decompressobj(bits)
            out = machine.decompress(body, limit)
            # A second gzip member would be more of the page; nobody sends one, and none is unpacked.
            more = machine.unconsumed_tail or machine.unused_data.startswith(b"\x1f\x8b")
            return out, machine.eof and not more
        except zlib.error:
            continue
    return None
