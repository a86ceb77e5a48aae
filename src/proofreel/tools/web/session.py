"""One run's way to the web: what the tools use, shared by all of its agents."""

import json
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
from anyio.to_thread import run_sync

from proofreel.core.errors import UserError
from proofreel.tools.web._warc import append
from proofreel.tools.web.archive import Archive
from proofreel.tools.web.blocklist import BlockList
from proofreel.tools.web.corpus import Corpus
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Resolver, check_url
from proofreel.tools.web.hop import Source
from proofreel.tools.web.live import LiveWeb
from proofreel.tools.web.page import Page, follow, page_of, read_hop
from proofreel.tools.web.reader import PageReader
from proofreel.tools.web.search import Provider, SearchResult, provider_named
from proofreel.tools.web.search.provider import OnWait
from proofreel.tools.web.service import ReaderService
from proofreel.tools.web.settings import WebSettings
from proofreel.tools.web.sources import Recorded, Replay, Timed, failure_of, missing
from proofreel.tools.web.transport import system_addresses

EVENTS = "events.jsonl"


@dataclass(frozen=True)
class Found:
    """Results of a search.

    Attributes:
        results: best first, without those on the block list.
        provider: service that gave them.
        blocked: results left out by the block list.
        archive_id: record of the search, None when nothing is archived.
        source: ``live``, ``archive`` or ``corpus``.
    """

    query: str
    results: tuple[SearchResult, ...]
    provider: str
    blocked: int = 0
    archive_id: str | None = None
    source: str = "live"


class WebSession:
    """Searches and page visits of one run.

    >>> session = WebSession(WebSettings.of({"web": "corpus", "web_corpus": "pages"}))
    >>> found = await session.search("station hall nameplate")
    >>> page = await session.visit(found.results[0].link)

    Everything is archived in ``web_record`` where that is set, and taken from there when it is asked for again.
    Replays and collections never touch the network: what they do not have is a miss, raised and counted.

    Args:
        settings: how the web is reached.
        provider: search service; by the settings when None.
        resolve: resolver of names.
        tls: TLS settings of page requests.

    Raises:
        UserError: an archive or collection that is not there, a key that is not set.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        provider: Provider | None = None,
        resolve: Resolver = system_addresses,
        tls: Any = None,
    ) -> None:
        self.settings = settings
        self.counts: Counter[str] = Counter()
        self._policy = settings.policy()
        self._block = BlockList.of(settings.web_block, defaults=settings.web_block_defaults)
        self._reader = PageReader()
        self._locks: dict[str, anyio.Lock] = {}
        self._guard = threading.Lock()
        self._record = Archive(settings.web_record) if settings.web_record else None
        self._replay = Archive.open(settings.web_archive or "") if settings.web == "replay" else None
        self._provider: Provider | None = None
        self._source: Source
        self._service: ReaderService | None = None
        if self._replay is not None:
            self._source = Replay(self._replay)
        elif settings.web == "corpus":
            corpus = Corpus(settings.web_corpus or "")
            self._source, self._provider = corpus, corpus
        else:
            self._provider = provider or provider_named(settings.web_provider)
            self._source = LiveWeb(
                self._policy,
                max_bytes=settings.web_bytes,
                pace=settings.web_pace,
                robots=settings.web_robots,
                resolve=resolve,
                tls=tls,
            )
            if settings.web_reader == "service":
                self._service = ReaderService(self._policy, resolve, settings.web_bytes)

    async def search(self, query: str, on_wait: OnWait | None = None) -> Found:
        """Results of a query.

        Raises:
            WebError: ``blocked``, ``search`` or ``miss``.
        """
        query = " ".join(query.split())
        pattern = self._block.refuses(query)
        if pattern is not None:
            self._count("blocked", query=query)
            raise WebError("blocked", f"not searched: {self._block.note(f'the query {query!r}', pattern)}")
        async with self._locks.setdefault(f"search {query}", anyio.Lock()):
            value, archive_id, source = await self._results(query, on_wait)
        rows = [SearchResult.model_validate(r) for r in value["results"]][: self.settings.web_results]
        kept = [r for r in rows if not self._is_blocked(r.link)]
        self._count("searches")
        return Found(query, tuple(kept), str(value["provider"]), len(rows) - len(kept), archive_id, source)

    async def visit(self, url: str) -> Page:
        """A page, read.

        Raises:
            WebError: why there is none, in one line.
        """
        try:
            key = check_url(url, self._policy).text
            async with self._locks.setdefault(f"visit {key}", anyio.Lock()):
                page = await self._visit(url)
        except WebError as error:
            self._count(_COUNTED.get(error.kind, "failed_visits"), url=url[:500], why=str(error))
            raise
        self._count("visits")
        return page

    def close(self) -> None:
        """Ends the child processes. Everything is on disk already; a later use starts them again."""
        self._reader.close()

    @property
    def archive(self) -> Archive | None:
        """Where this session's pages are found again: its own archive, or the one it replays."""
        return self._record or self._replay

    # machinery

    async def _results(self, query: str, on_wait: OnWait | None) -> tuple[dict[str, Any], str | None, str]:
        archives = [a for a in (self._record, self._replay) if a is not None]
        for archive in archives:
            entry = archive.find(query, "search")
            if entry is not None:
                value = await run_sync(archive.json, entry)
                kept = self._keep_search("search", query, value) if archive is not self._record else entry.id
                return value, kept or entry.id, "archive"
        if self._provider is None:
            if self._replay is not None and self._replay.find(query, "search_failure"):
                raise failure_of(self._replay, query, "search_failure")
            self._count("misses", query=query)
            raise missing(self._replay or Archive("."), f"the search {query!r}")
        try:
            rows = await self._provider.search(query, self.settings.web_results, on_wait)
        except WebError as error:
            self._count("failed_searches", query=query, why=str(error))
            self._keep_search("search_failure", query, {"kind": error.kind, "message": str(error)})
            raise
        value = {"query": query, "provider": self._provider.name, "results": [r.model_dump() for r in rows]}
        return value, self._keep_search("search", query, value), _SOURCES[self.settings.web]

    def _keep_search(self, kind: Any, query: str, value: dict[str, Any]) -> str | None:
        return None if self._record is None else self._record.add_json(kind, query, value).id

    async def _visit(self, url: str) -> Page:
        inner: Source = Timed(self._source, self.settings.web_seconds)
        kind: Any = "page"
        if self._service is not None:
            kind, inner = "service", Timed(self._service, self.settings.web_seconds)
        elif self._replay is not None and self.settings.web_reader == "service":
            kind, inner = "service", Replay(self._replay, "service")
        source = inner if self._record is None else Recorded(inner, self._record, kind)
        hop, passed = await follow(url, source, self._policy, self._block, self.settings.web_redirects)
        read = await read_hop(hop, self._reader, self.settings.web_bytes)
        archive = self._record or self._replay
        entry = None if archive is None else archive.find(hop.url, kind)
        return page_of(
            check_url(url, self._policy).text,
            hop,
            passed,
            read,
            None if entry is None else entry.id,
            _SOURCES[self.settings.web],
            self.settings.web_chars,
        )

    def _is_blocked(self, link: str) -> bool:
        pattern = self._block.blocks(link)
        if pattern is None:
            return False
        self._block.note(f"the result {link}", pattern)
        self._count("blocked", url=link)
        return True

    def _count(self, what: str, **detail: Any) -> None:
        """Counts, and writes what a reader of the run must know: refusals, failures and misses."""
        with self._guard:
            self.counts[what] += 1
            if not detail or self.settings.web_record is None:
                return
            folder = Path(self.settings.web_record)
            line = json.dumps(
                {"event": what, "at": datetime.now(UTC).isoformat(timespec="seconds"), **detail}
            )
            try:
                folder.mkdir(parents=True, exist_ok=True)
                append(folder / EVENTS, line.encode() + b"\n")
            except OSError as error:
                raise UserError(f"{folder / EVENTS}: cannot be written ({error.strerror})") from None


_SOURCES = {"live": "live", "replay": "archive", "corpus": "corpus"}
_COUNTED = {"miss": "misses", "blocked": "blocked", "address": "refused", "robots": "refused"}
