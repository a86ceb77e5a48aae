"""SearXNG: a metasearch server of one's own; its address in SEARXNG_URL."""

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.search._ask import ask
from proofreel.tools.web.search.provider import OnWait, SearchResult, from_environment, results_of


class Searxng:
    """``GET /search?format=json``; results in ``results``. The address is the operator's word and may be local."""

    name = "searxng"

    def __init__(self, url: str | None = None) -> None:
        self._url = (url or from_environment(self.name, "SEARXNG_URL")[1]).rstrip("/")

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """As ``Provider.search``."""
        try:
            found = await ask(
                self.name,
                "GET",
                f"{self._url}/search",
                params={"q": query, "format": "json"},
                on_wait=on_wait,
            )
        except WebError as error:
            hint = "; the server must allow the json format (search.formats)" if "403" in str(error) else ""
            raise WebError("search", f"{error}{hint}") from None
        return results_of(found.get("results"), count, "title", "url", "content")
