"""Brave Search; key in BRAVE_API_KEY (or BRAVE_SEARCH_API_KEY)."""

from proofreel.tools.web.search._ask import ask
from proofreel.tools.web.search.provider import OnWait, SearchResult, from_environment, results_of


class Brave:
    """``GET /res/v1/web/search`` with ``q`` and ``count``; results in ``web.results``."""

    name = "brave"

    def __init__(self, url: str = "https://api.search.brave.com") -> None:
        self._url = url.rstrip("/")
        _, self._key = from_environment(self.name, "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """As ``Provider.search``; the service takes at most 400 characters and 50 words."""
        found = await ask(
            self.name,
            "GET",
            f"{self._url}/res/v1/web/search",
            headers={"X-Subscription-Token": self._key, "Accept": "application/json"},
            params={"q": " ".join(query.split()[:50])[:400], "count": count},
            secret=self._key,
            on_wait=on_wait,
        )
        web = found.get("web")
        rows = web.get("results") if isinstance(web, dict) else None
        return results_of(rows, count, "title", "url", "description")
