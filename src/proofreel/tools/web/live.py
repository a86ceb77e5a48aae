"""The live web: one checked, polite, bounded request."""

import ssl
import time
from functools import cache

import anyio
import httpcore
import httpx

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, Resolver, SafeUrl
from proofreel.tools.web.hop import REDIRECTS, Hop, may_be_text
from proofreel.tools.web.robots import Robots
from proofreel.tools.web.transport import CheckedTransport, system_addresses

AGENT = "Mozilla/5.0 (compatible; Proofreel; video question research)"
_HEADERS = {
    "user-agent": AGENT,
    "accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
    "accept-language": "en,*;q=0.5",
    "accept-encoding": "gzip",
}
_DROP = frozenset({"transfer-encoding", "connection", "keep-alive", "set-cookie"})
_SMALL = 65_536
_TIMEOUT = httpx.Timeout(15.0, connect=10.0).as_dict()


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


class LiveWeb:
    """Requests to the web itself.

    Args:
        policy: what the guard lets through.
        max_bytes: bytes of a body that are read, counted as they come in.
        pace: seconds between two page requests to one host.
        robots: ask each site's robots.txt first.
        resolve: resolver of names; the system's by default.
        tls: TLS settings; the usual certificate authorities by default.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        max_bytes: int,
        pace: float = 1.0,
        robots: bool = True,
        resolve: Resolver = system_addresses,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._policy, self._max_bytes, self._pace = policy, max_bytes, pace
        self._resolve, self._tls = resolve, tls
        self._next: dict[str, float] = {}
        self._robots = Robots(self._plain) if robots else None

    async def hop(self, url: SafeUrl) -> Hop:
        """The answer to one request, after the site's robots.txt and its pause.

        Raises:
            WebError: refused, or no answer.
        """
        if self._robots is not None:
            await self._robots.check(url)
        await self._wait_turn(url.host)
        return await self._plain(url, self._max_bytes)

    async def _wait_turn(self, host: str) -> None:
        now = time.monotonic()
        turn = max(now, self._next.get(host, 0.0))
        self._next[host] = turn + self._pace
        if turn > now:
            await anyio.sleep(turn - now)

    async def _plain(self, url: SafeUrl, limit: int) -> Hop:
        transport = CheckedTransport(self._policy, self._resolve, self._tls or _tls())
        try:
            # The transport alone, not a client: a client follows, remembers and reads Location headers by itself.
            request = httpx.Request("GET", url.text, headers=_HEADERS, extensions={"timeout": _TIMEOUT})
            if (request.url.host, request.url.port or url.port) != (url.host, url.port):
                raise WebError("address", f"{url} is not fetched: it can be read in two ways")
            async with transport:
                answer = await transport.handle_async_request(request)
                try:
                    return await _read(url, answer, limit)
                finally:
                    await answer.aclose()
        except (httpcore.TimeoutException, httpx.TimeoutException, TimeoutError):
            raise WebError("timeout", f"{url}: the server does not answer in time") from None
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpx.HTTPError,
            ssl.SSLError,
            OSError,
        ) as error:
            # Protocol errors quote what the server sent, which must not reach an agent outside of a fence.
            odd = isinstance(error, httpcore.ProtocolError | httpx.ProtocolError)
            said = "it is no proper HTTP" if odd else " ".join(str(error).split()) or type(error).__name__
            raise WebError("network", f"{url}: no answer ({said[:200]})") from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise WebError("address", f"{url} is not fetched: {error}") from None


async def _read(url: SafeUrl, answer: httpx.Response, limit: int) -> Hop:
    headers = tuple((k.lower(), v) for k, v in answer.headers.multi_items() if k.lower() not in _DROP)
    empty = Hop(url.text, answer.status_code, answer.reason_phrase, headers, truncated="type")
    if answer.status_code not in REDIRECTS and not may_be_text(empty.content_type):
        return empty
    limit = min(limit, _SMALL) if answer.status_code >= 300 else limit
    parts: list[bytes] = []
    size, cut = 0, None
    async for part in answer.aiter_raw():
        parts.append(part[: limit - size])
        size += len(parts[-1])
        if len(parts[-1]) < len(part):
            cut = "length"
            break
    return Hop(url.text, answer.status_code, answer.reason_phrase, headers, b"".join(parts), cut)
