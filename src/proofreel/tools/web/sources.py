"""Where a run's web comes from: live and archived on the way, or out of an archive alone."""

import anyio

from proofreel.tools.web._warc import Kind
from proofreel.tools.web.archive import Archive
from proofreel.tools.web.errors import KINDS, WebError
from proofreel.tools.web.guard import SafeUrl
from proofreel.tools.web.hop import Hop, Source

NEVER_KEPT = ("miss",)


class Recorded:
    """A source whose answers and failures are kept, and asked for once: what is in the archive is not fetched again.

    Args:
        inner: where answers come from.
        archive: where they are kept.
        kind: ``page``, or ``service`` for pages as a reader service gives them.
    """

    def __init__(self, inner: Source, archive: Archive, kind: Kind = "page") -> None:
        self._inner, self._archive, self._kind = inner, archive, kind

    async def hop(self, url: SafeUrl) -> Hop:
        """The answer, from the archive where it is there."""
        from anyio.to_thread import run_sync

        known = self._archive.find(url.text, self._kind)
        if known is not None and not passing(known.status):
            return await run_sync(self._archive.page, known)
        try:
            hop = await self._inner.hop(url)
        except WebError as error:
            if error.kind not in NEVER_KEPT:
                self._archive.add_json("failure", url.text, {"kind": error.kind, "message": str(error)})
            raise
        await run_sync(self._archive.add_page, hop, self._kind)
        return hop


class Timed:
    """A source whose answers must all have come by one moment: no slow server holds a visit for longer.

    Args:
        inner: where answers come from.
        seconds: from now, for all requests together.
    """

    def __init__(self, inner: Source, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds
        self._end = anyio.current_time() + seconds

    async def hop(self, url: SafeUrl) -> Hop:
        """The answer, if it is whole in time.

        Raises:
            WebError: ``timeout``.
        """
        try:
            with anyio.fail_after(max(0.0, self._end - anyio.current_time())):
                return await self._inner.hop(url)
        except TimeoutError:
            raise WebError(
                "timeout", f"{url}: the page is not there within {self._seconds:g} s; given up"
            ) from None


def passing(status: int | None) -> bool:
    """Whether a status may be another one next time (busy, failing); such an answer is asked for again."""
    return status is not None and (status == 429 or status >= 500)


class Replay:
    """Answers and failures out of an archive; there is no network behind it.

    Args:
        archive: of an earlier run.
        kind: which records are pages.
    """

    def __init__(self, archive: Archive, kind: Kind = "page") -> None:
        self._archive, self._kind = archive, kind

    async def hop(self, url: SafeUrl) -> Hop:
        """The recorded answer.

        Raises:
            WebError: the recorded failure; ``miss`` when nothing is recorded.
        """
        from anyio.to_thread import run_sync

        entry = self._archive.find(url.text, self._kind)
        if entry is not None:
            return await run_sync(self._archive.page, entry)
        failed = self._archive.find(url.text, "failure")
        if failed is not None:
            raise failure_of(self._archive, failed.key, "failure")
        raise missing(self._archive, f"the page {url}")


def failure_of(archive: Archive, key: str, kind: str) -> WebError:
    """The failure that is recorded for a URL or query."""
    entry = archive.find(key, "search_failure" if kind == "search_failure" else "failure")
    said = {} if entry is None else archive.json(entry)
    found = said.get("kind")
    return WebError(found if found in KINDS else "network", str(said.get("message") or "failed"))


def missing(archive: Archive, what: str) -> WebError:
    """A miss, which is never made good from the live web."""
    held = len(archive.entries)
    return WebError(
        "miss", f"replay: {what} is not in the archive {archive.folder} ({held} records); nothing was fetched"
    )
