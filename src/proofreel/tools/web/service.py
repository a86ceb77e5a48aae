"""Page reading by a service: it fetches and turns pages into text, for sites that need scripts."""

import os

import httpx

from proofreel.core.errors import UserError
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, Resolver, SafeUrl, checked_addresses
from proofreel.tools.web.hop import Hop


class ReaderService:
    """``GET <service>/<page URL>`` answers the page as text or Markdown (the form of Jina Reader and its kin).

    The address is in PROOFREEL_READER_URL and is the operator's word; the key, if any, in PROOFREEL_READER_KEY. The
    page's own URL passes the guard, its name's addresses too, before the service is asked.

    Raises:
        UserError: the address is not set.
    """

    def __init__(self, policy: Policy, resolve: Resolver, max_bytes: int) -> None:
        self._policy, self._resolve, self._max_bytes = policy, resolve, max_bytes
        self._url = os.environ.get("PROOFREEL_READER_URL", "").rstrip("/")
        self._key = os.environ.get("PROOFREEL_READER_KEY", "")
        if not self._url:
            raise UserError("web_reader=service needs the environment variable PROOFREEL_READER_URL")

    async def hop(self, url: SafeUrl) -> Hop:
        """The page as the service reads it.

        Raises:
            WebError: the guard refuses, or the service fails.
        """
        await checked_addresses(url.host, url.port, self._policy, self._resolve)
        headers = {"accept": "text/plain, text/markdown, text/html"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        body = b""
        try:
            async with (
                httpx.AsyncClient(timeout=30.0, follow_redirects=False) as client,
                client.stream("GET", f"{self._url}/{url.text}", headers=headers) as answer,
            ):
                async for part in answer.aiter_bytes(65_536):
                    body += part
                    if len(body) >= self._max_bytes:
                        break
        except httpx.HTTPError as error:
            raise WebError(
                "network", f"{url}: the reader service does not answer ({type(error).__name__})"
            ) from None
        if answer.status_code != 200:
            raise WebError("http", f"{url}: the reader service answers {answer.status_code}")
        cut = len(body) >= self._max_bytes
        kept = (("content-type", answer.headers.get("content-type", "text/plain; charset=utf-8")),)
        return Hop(url.text, 200, "OK", kept, body[: self._max_bytes], "length" if cut else None)
