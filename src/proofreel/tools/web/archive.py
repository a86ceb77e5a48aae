"""The archive of a run's web: WARC files, one gzip member a record, and an index that finds them.

Every process writes its own WARC file, so nothing is ever appended behind a half-written record. A record is written
whole before its index line; after a kill the index names whole records only. Any WARC tool reads the files.
"""

import hashlib
import io
import json
import os
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofreel.core.errors import UserError
from proofreel.tools.web._warc import Entry, Kind, append, member, need_warcio, scan
from proofreel.tools.web.hop import Hop

INDEX = "index.jsonl"


class Archive:
    """A folder of WARC files with its index.

    Args:
        folder: made when the first record is added.

    Raises:
        UserError: the index cannot be read.
    """

    def __init__(self, folder: str | Path) -> None:
        need_warcio()
        self.folder = Path(folder)
        self._lock = threading.Lock()
        self._name = f"web-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}-{uuid.uuid4().hex[:8]}.warc.gz"
        self._offset = 0
        self._last: dict[tuple[str, str], Entry] = {}
        self.entries: list[Entry] = []
        for entry in _load(self.folder):
            self._know(entry)

    @classmethod
    def open(cls, path: str | Path) -> "Archive":
        """An archive that is there; ``path`` is its folder or the folder of a run.

        Raises:
            UserError: there is none.
        """
        for folder in (Path(path) / "web", Path(path)):
            if (folder / INDEX).is_file() or any(folder.glob("*.warc.gz")):
                return cls(folder)
        raise UserError(
            f"{path}: no web archive here (no {INDEX}, no *.warc.gz); name a run made with web=live"
        )

    def find(self, key: str, *kinds: Kind) -> Entry | None:
        """The last record of a URL or query of the first of these kinds that has one."""
        with self._lock:
            return next((e for kind in kinds if (e := self._last.get((kind, key))) is not None), None)

    def page(self, entry: Entry) -> Hop:
        """The answer of a page record."""
        record, body = self._read(entry)
        headers = tuple((k.lower(), v) for k, v in record.http_headers.headers) if record.http_headers else ()
        status, _, reason = (record.http_headers.statusline if record.http_headers else "200").partition(" ")
        cut = record.rec_headers.get_header("WARC-Truncated")
        cut = "type" if cut == "unspecified" else cut
        if not record.http_headers:
            headers = (("content-type", record.rec_headers.get_header("Content-Type") or ""),)
        return Hop(entry.key, int(status), reason, headers, body, cut)

    def json(self, entry: Entry) -> dict[str, Any]:
        """The object of a search or failure record."""
        return dict(json.loads(self._read(entry)[1]))

    def add_page(self, hop: Hop, kind: Kind = "page") -> Entry:
        """Keeps an answer.

        Raises:
            UserError: it cannot be written.
        """
        extra = (
            {"WARC-Truncated": "unspecified" if hop.truncated == "type" else hop.truncated}
            if hop.truncated
            else {}
        )
        return self._add(kind, hop.url, hop.body, hop=hop, status=hop.status, extra=extra)

    def add_json(self, kind: Kind, key: str, value: dict[str, Any]) -> Entry:
        """Keeps results of a search, or a failure.

        Raises:
            UserError: it cannot be written.
        """
        return self._add(kind, key, json.dumps(value, ensure_ascii=False).encode())

    # machinery

    def _add(
        self,
        kind: Kind,
        key: str,
        body: bytes,
        *,
        hop: Hop | None = None,
        status: int | None = None,
        extra: dict[str, str] | None = None,
    ) -> Entry:
        id_ = f"urn:uuid:{uuid.uuid4()}"
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        record = member(
            kind, key, body, hop, {"WARC-Record-ID": f"<{id_}>", "WARC-Date": at, **(extra or {})}
        )
        with self._lock:
            entry = Entry(
                id=id_,
                kind=kind,
                key=key,
                file=self._name,
                offset=self._offset,
                length=len(record),
                sha256=hashlib.sha256(body).hexdigest(),
                size=len(body),
                status=status,
                at=at,
            )
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._offset = append(self.folder / self._name, record)
                append(self.folder / INDEX, entry.model_dump_json(exclude_none=True).encode() + b"\n")
            except OSError as error:
                raise UserError(
                    f"{self.folder}: the web archive cannot be written ({error.strerror})"
                ) from None
            self._know(entry)
        return entry

    def _know(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._last[entry.kind, entry.key] = entry

    def _read(self, entry: Entry) -> tuple[Any, bytes]:
        from warcio.archiveiterator import ArchiveIterator

        path = self.folder / entry.file
        try:
            with path.open("rb") as file:
                file.seek(entry.offset)
                data = file.read(entry.length)
            record = next(iter(ArchiveIterator(io.BytesIO(data))))
            body = record.raw_stream.read()
        except (OSError, StopIteration, ValueError) as error:
            raise UserError(
                f"{path}: record at {entry.offset} cannot be read ({error or 'not whole'})"
            ) from None
        if len(body) != entry.size:
            raise UserError(f"{path}: record at {entry.offset} is not whole; restore the file from a copy")
        return record, body


def _load(folder: Path) -> Iterator[Entry]:
    """Entries of an index, or, when it is lost, of the WARC files themselves."""
    index = folder / INDEX
    if not index.is_file():
        yield from scan(sorted(folder.glob("*.warc.gz")))
        return
    data = index.read_bytes()
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            yield Entry.model_validate_json(line)
        except ValidationError:
            raise UserError(
                f"{index} line {number} is no archive entry; delete the index to have it rebuilt"
            ) from None
