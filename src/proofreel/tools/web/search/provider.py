"""What a search service is, and how one is found by its name."""

import html
import os
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Protocol

from proofreel.core._base import Record
from proofreel.core.errors import UserError

OnWait = Callable[[int, str, float], None]
_HOME = {
    "ddgs": "Ddgs",
    "serper": "Serper",
    "tavily": "Tavily",
    "brave": "Brave",
    "searxng": "Searxng",
}


class SearchResult(Record):
    """One result, as plain text."""

    title: str
    link: str
    snippet: str


class Provider(Protocol):
    """A search service."""

    name: str

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """At most ``count`` results, best first; none is an answer.

        Raises:
            WebError: ``search``: the service failed, or refused the key.
        """


def provider_named(name: str) -> Provider:
    """The service of that name, with its key or address from the environment.

    Raises:
        UserError: no such service, its environment variable is not set, or its package is not installed.
    """
    if name not in _HOME:
        raise UserError(f"no search service {name!r}; there are: {', '.join(_HOME)}")
    made: Provider = getattr(import_module(f"proofreel.tools.web.search.{name}"), _HOME[name])()
    return made


def from_environment(service: str, *names: str) -> tuple[str, str]:
    """Name and value of the first variable that is set.

    Raises:
        UserError: none is.
    """
    for name in names:
        value = os.environ.get(name, "").strip()
        if value:
            return name, value
    raise UserError(f"search by {service} needs the environment variable {names[0]}")


def results_of(rows: Any, count: int, title: str, link: str, snippet: str) -> list[SearchResult]:
    """Typed results from rows of a service; rows without an http(s) link are left out, each link comes once."""
    found: dict[str, SearchResult] = {}
    for row in rows if isinstance(rows, Iterable) else ():
        if not isinstance(row, Mapping):
            continue
        address = str(row.get(link) or "").strip()
        if address.startswith(("http://", "https://")) and len(found) < count:
            found.setdefault(
                address,
                SearchResult(
                    title=_plain(row.get(title))[:300], link=address, snippet=_plain(row.get(snippet))[:1000]
                ),
            )
    return list(found.values())


def _plain(value: Any) -> str:
    """Text without the markup that services put around matched words."""
    text = re.sub(r"</?(?:strong|b|em|i|mark|span)\b[^>]{0,200}>", "", str(value or ""))
    return " ".join(html.unescape(text).split())
