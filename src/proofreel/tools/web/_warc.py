"""WARC records of our kinds: written as one gzip member each, read one by one, found again without an index."""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote

from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.tools.web.hop import Hop

Kind = Literal["page", "service", "search", "failure", "search_failure"]
"""``page``: an answer of a web server. ``service``: a page as a reader service gave it. ``search``: results."""
KIND_HEADER = "Proofreel-Kind"
_TYPES: dict[Kind, str] = {
    "page": "response",
    "service": "resource",
    "search": "resource",
    "failure": "metadata",
    "search_failure": "metadata",
}


class Entry(Record):
    """One record of the archive: what it answers, and where its bytes lie."""

    id: str
    kind: Kind
    key: str
    file: str
    offset: int
    length: int
    sha256: str
    size: int
    status: int | None = None
    at: str = ""


def need_warcio() -> None:
    """Loads the library, once and before any thread does.

    Raises:
        UserError: it is not installed.
    """
    try:
        import warcio.archiveiterator
        import warcio.warcwriter  # noqa: F401
    except ImportError:
        raise UserError("archives of the web need: pip install 'proofreel[web]'") from None


def append(path: Path, data: bytes) -> int:
    """Adds bytes in one go and returns the size of the file; on failure it is as before."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(handle).st_size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
        except OSError:
            os.ftruncate(handle, before)
            raise
        return before + len(data)
    finally:
        os.close(handle)


def member(kind: Kind, key: str, body: bytes, hop: Hop | None, headers: dict[str, str]) -> bytes:
    """A WARC record as one gzip member."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version="1.1")
    http = None
    if kind == "page" and hop is not None:
        http = StatusAndHeaders(f"{hop.status} {hop.reason}".strip(), list(hop.headers), protocol="HTTP/1.1")
    content_type = "" if kind == "page" else "application/json"
    if kind == "service" and hop is not None:
        content_type = hop.header("content-type") or "text/plain; charset=utf-8"
    record = writer.create_warc_record(
        key if kind in ("page", "service", "failure") else f"urn:proofreel:search:{quote(key, safe='')}",
        _TYPES[kind],
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=http,
        warc_content_type=content_type,
        warc_headers_dict={**headers, KIND_HEADER: kind},
    )
    writer.write_record(record)
    return buffer.getvalue()


def scan(files: Iterable[Path]) -> Iterator[Entry]:
    """Every whole record of WARC files that is of our kinds."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    for path in files:
        with path.open("rb") as file:
            records = ArchiveIterator(file, check_digests=True)
            found: list[Entry] = []
            try:
                for record in records:
                    body = record.raw_stream.read()
                    headers = record.rec_headers
                    kind, uri = headers.get_header(KIND_HEADER), headers.get_header("WARC-Target-URI") or ""
                    offset = records.get_record_offset()
                    length = records.get_record_length()
                    if kind not in _TYPES or record.digest_checker.passed is not True:
                        continue
                    status = record.http_headers.get_statuscode() if record.http_headers else None
                    found.append(
                        Entry(
                            id=headers.get_header("WARC-Record-ID").strip("<>"),
                            kind=kind,
                            key=unquote(uri.removeprefix("urn:proofreel:search:"))
                            if "search" in kind
                            else uri,
                            file=path.name,
                            offset=offset,
                            length=length,
                            sha256=hashlib.sha256(body).hexdigest(),
                            size=len(body),
                            status=int(status) if status else None,
                            at=headers.get_header("WARC-Date") or "",
                        )
                    )
            except (ArchiveLoadFailed, EOFError, OSError):  # a record cut off by a kill ends its file
                pass
            yield from found
