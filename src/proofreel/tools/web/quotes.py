"""Quote check: words cited from the web must stand in what the run has archived, letter for letter."""

import unicodedata
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin

from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.tools.web._warc import Entry
from proofreel.tools.web.archive import Archive
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, check_url
from proofreel.tools.web.hop import REDIRECTS
from proofreel.tools.web.page import read_hop
from proofreel.tools.web.reader import PageReader

_QUOTES = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_EVERYTHING = Policy(ports=frozenset(range(1, 65536)))


class Place(Record):
    """Where a quote stands: the record, its URL, and the characters ``start`` to ``end`` of the text named.

    ``text`` is what the agent was given, ``page`` all visible text, ``snippet`` a search result. ``exact`` means
    without any clean-up.
    """

    archive_id: str
    url: str
    part: Literal["text", "page", "snippet"]
    start: int
    end: int
    exact: bool


class QuoteCheck(Record):
    """The result of one check; ``problems`` are pages that could not be looked into."""

    quote: str
    found: bool
    places: tuple[Place, ...] = ()
    searched: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Clean:
    text: str
    at: tuple[int, ...]
    """Index in the original of every character, and its length at the end."""


def clean(text: str) -> _Clean:
    """The form in which quotes are compared.

    Unicode NFKC per character, typographic quotes and dashes as plain ones, invisible characters left out, every run
    of white space as one space. Case, accents, digits, punctuation and word order stay: a changed letter is no quote.
    """
    out: list[str] = []
    at: list[int] = []
    for index, char in enumerate(text):
        if char in _UNSEEN:
            continue
        for plain in unicodedata.normalize("NFKC", char).translate(_QUOTES):
            if plain.isspace():
                if out and out[-1] == " ":
                    continue
                plain = " "
            out.append(plain)
            at.append(index)
    return _Clean("".join(out), (*at, len(text)))


def find_quote(quote: str, text: str) -> tuple[int, int, bool] | None:
    """Start and end in the text and whether they match as they stand; None when the words are not there.

    A quote of fewer than three letters or digits after clean-up is never found: it would stand anywhere.
    """
    wanted = clean(quote).text.strip()
    if sum(c.isalnum() for c in wanted) < 3:
        return None
    plain = quote.strip()
    start = text.find(plain)
    if start >= 0:
        return start, start + len(plain), True
    held = clean(text)
    start = held.text.find(wanted)
    if start < 0:
        return None
    last = held.at[start + len(wanted) - 1]
    return held.at[start], last + 1, False


async def check_quote(
    quote: str, archive: Archive, *, url: str | None = None, reader: PageReader | None = None
) -> QuoteCheck:
    """Looks for a quote in the pages and search results of an archive.

    Args:
        quote: the words cited.
        archive: of the run.
        url: the page cited; its redirects are followed inside the archive. None looks into everything.
        reader: to share child processes; one of its own when None.
    """
    own = reader is None
    reader = reader or PageReader()
    places: list[Place] = []
    problems: list[str] = []
    searched = 0
    try:
        async for entry, part, text in _texts(archive, url, reader, problems):
            searched += 1
            hit = find_quote(quote, text)
            if hit is not None:
                places.append(
                    Place(
                        archive_id=entry.id, url=entry.key, part=part, start=hit[0], end=hit[1], exact=hit[2]
                    )
                )
    finally:
        if own:
            reader.close()
    return QuoteCheck(
        quote=quote, found=bool(places), places=tuple(places), searched=searched, problems=tuple(problems)
    )


async def _texts(
    archive: Archive, url: str | None, reader: PageReader, problems: list[str]
) -> AsyncIterator[tuple[Entry, Literal["text", "page", "snippet"], str]]:
    for entry in _pages(archive, url, problems):
        try:
            read = await read_hop(archive.page(entry), reader, 200_000_000)
        except (WebError, UserError) as error:
            problems.append(str(error))
            continue
        yield entry, "text", str(read["text"])
        if read["whole"] != read["text"]:
            yield entry, "page", str(read["whole"])
    for entry in archive.entries:
        if entry.kind == "search":
            for row in archive.json(entry)["results"]:
                if url is None or row["link"] == url:
                    yield entry, "snippet", f"{row['title']}\n{row['snippet']}"


def _pages(archive: Archive, url: str | None, problems: list[str]) -> list[Entry]:
    """The records to look into: one page behind its redirects, or all."""
    if url is None:
        return list(_final(archive.entries))
    key, passed = _agreed(url), set[str]()
    while key not in passed:
        passed.add(key)
        entry = archive.find(key, "page", "service")
        if entry is None:
            break
        if entry.status not in REDIRECTS:
            return [entry]
        key = _agreed(urljoin(key, archive.page(entry).header("location")))
    problems.append(f"{url} is not in the archive {archive.folder}")
    return []


def _agreed(url: str) -> str:
    """The form in which the archive knows a URL; nothing is fetched here, so the guard has no say."""
    try:
        return check_url(url, _EVERYTHING).text
    except WebError:
        return url


def _final(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Pages that are pages: the last answer of each URL, redirects and errors left out."""
    last = {e.key: e for e in entries if e.kind in ("page", "service")}
    for entry in last.values():
        if entry.status is not None and entry.status not in REDIRECTS and 200 <= entry.status < 300:
            yield entry
