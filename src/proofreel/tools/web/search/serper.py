"""Serper: Google's results as JSON; key in SERPER_API_KEY."""

from proofreel.tools.web.search._ask import ask
from proofreel.tools.web.search.provider import OnWait, SearchResult, from_environment, results_of


class Serper:
    """``POST /search`` with ``q`` and ``num``; results in ``organic``."""

    name = "serper"

    def __init__(self, url: str = "https://google.serper.dev") -> None:
        self._url = url.rstrip("/")
        _, self._key = from_environment(self.name, "SERPER_API_KEY")

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """As ``Provider.search``."""
        found = await ask(
            self.name,
            "POST",
            f"{self._url}/search",
            headers={"X-API-KEY": self._key},
            json={"q": query, "num": count},
            secret=self._key,
            on_wait=on_wait,
        )
        return results_of(found.get("organic"), count, "title", "link", "snippet")
