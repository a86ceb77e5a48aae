"""The keyless default: the ``ddgs`` metasearch package. Free services limit how often they may be asked."""

from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread

from proofreel.core.errors import UserError
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.search.provider import OnWait, SearchResult, results_of

ATTEMPTS = 3
SECONDS = 10

Find = Callable[[str, int], list[dict[str, Any]]]
"""``(query, count) -> rows`` with ``title``, ``href``, ``body``."""


class Ddgs:
    """Results of several public engines through ``ddgs``.

    Args:
        find: stands in for the package's text search, for tests.
        proxy: HTTP proxy of the package's own client.
    """

    name = "ddgs"

    def __init__(self, find: Find | None = None, proxy: str | None = None) -> None:
        try:
            from ddgs import DDGS
        except ImportError:
            raise UserError("search without a key needs: pip install 'proofreel[web]'") from None
        self._find: Find = find or (
            lambda query, count: DDGS(proxy=proxy, timeout=SECONDS).text(query, max_results=count)
        )

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """As ``Provider.search``."""
        from ddgs.exceptions import DDGSException

        for attempt in range(1, ATTEMPTS + 1):
            try:
                rows = await anyio.to_thread.run_sync(self._find, query, count, abandon_on_cancel=True)
            except DDGSException as error:
                trouble = " ".join(str(error).split())[:200]
                if trouble == "No results found.":
                    return []
            else:
                return results_of(rows, count, "title", "href", "body")
            if attempt < ATTEMPTS:
                if on_wait is not None:
                    on_wait(attempt, f"ddgs: {trouble}", float(attempt))
                await anyio.sleep(attempt)
        raise WebError("search", f"search by ddgs failed: {trouble}; a service with a key is more reliable")
