"""Tavily: search for agents; key in TAVILY_API_KEY."""

from proofreel.tools.web.search._ask import ask
from proofreel.tools.web.search.provider import OnWait, SearchResult, from_environment, results_of


class Tavily:
    """``POST /search`` with ``query`` and ``max_results``; results in ``results``."""

    name = "tavily"

    def __init__(self, url: str = "https://api.tavily.com") -> None:
        self._url = url.rstrip("/")
        _, self._key = from_environment(self.name, "TAVILY_API_KEY")

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """As ``Provider.search``."""
        found = await ask(
            self.name,
            "POST",
            f"{self._url}/search",
            headers={"Authorization": f"Bearer {self._key}"},
            json={"query": query, "max_results": count},
            secret=self._key,
            on_wait=on_wait,
        )
        return results_of(found.get("results"), count, "title", "url", "content")
