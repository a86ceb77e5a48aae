"""Bytes to text when the server is vague or wrong about its encoding."""

import codecs
import re

_MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I)
_XML = re.compile(rb"^<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})", re.I)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I)
# What browsers do: these names mean the larger Windows or national sets.
_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_SINGLE_BYTE = ("cp1252", "iso8859-15", "latin_1")


def decode(body: bytes, content_type: str = "") -> tuple[str, str, str | None]:
    """Text, the encoding it was read in, and a note when that is not what the page said.

    Order: byte-order mark, header, ``<meta>`` or XML declaration, UTF-8, a guess. A declaration that does not fit the
    bytes loses: to UTF-8 when the bytes are that, else to a guess (charset-normalizer), else bad bytes become U+FFFD.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name, None
    declared = _declared(body, content_type)
    if declared is not None:
        text = _strict(body, declared)
        if text is not None and not (declared in _SINGLE_BYTE and _is_utf8(body)):
            return text, declared, None
    if (text := _strict(body, "utf-8")) is not None:
        return text, "utf-8", _note(declared, "utf-8")
    guess = _guess(body)
    if guess is not None and (text := _strict(body, guess)) is not None:
        return text, guess, _note(declared, guess) or f"no charset given, read as {guess}"
    name = declared or "utf-8"
    return body.decode(name, "replace"), name, f"some bytes are not {name} and were replaced"


def _declared(body: bytes, content_type: str) -> str | None:
    head = body[:4096]
    inside = _META.search(head) or _XML.match(head.lstrip())
    header = _HEADER.search(content_type)
    for name in (header and header[1], inside and inside[1].decode("ascii")):
        known = name and _known(name)
        if known:
            return known
    return None


def _known(name: str) -> str | None:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    found = _WIDER.get(found, found)
    # Codecs of Python that are no text encodings (rot13, base64) must not be reachable from a page.
    return found if getattr(codecs.lookup(found), "_is_text_encoding", True) else None


def _strict(body: bytes, name: str) -> str | None:
    """The text; a last character cut in half by a byte limit is forgiven."""
    try:
        decoder = codecs.getincrementaldecoder(name)("strict")
        return decoder.decode(body)
    except (UnicodeError, LookupError, ValueError):
        return None


def _is_utf8(body: bytes) -> bool:
    return not body.isascii() and _strict(body, "utf-8") is not None


def _guess(body: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:200_000]).best()
    return None if best is None else _known(best.encoding)


def _note(declared: str | None, used: str) -> str | None:
    return None if declared in (None, used) else f"says {declared}, read as {used}"
