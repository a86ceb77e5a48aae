"""An httpx transport that connects to the address the guard has checked, and to no other.

The name stays in the request: ``Host`` and the TLS server name are those of the URL, the certificate is verified.
"""

import socket
import ssl
from collections.abc import AsyncIterator, Iterable
from typing import Any

import anyio
import httpcore
import httpx

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, Resolver, checked_addresses


async def system_addresses(host: str, port: int) -> list[str]:
    """Addresses as the operating system resolves them; none for a name it does not know."""
    try:
        found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(entry[4][0]) for entry in found]


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves once, checks every answer, connects to an answer; there is no second look-up to poison."""

    def __init__(self, policy: Policy, resolve: Resolver) -> None:
        self._policy, self._resolve = policy, resolve
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the interface is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to a checked address of the host.

        Raises:
            WebError: the guard refuses an address, or there is none.
            httpcore.ConnectError: no address can be reached.
        """
        with anyio.fail_after(timeout):
            addresses = await checked_addresses(host, port, self._policy, self._resolve)
        trouble: Exception | None = None
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        raise trouble or httpcore.ConnectError(host)

    async def connect_unix_socket(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
        """Never: pages do not live in this machine's sockets."""
        raise WebError("address", "local sockets are not fetched")

    async def sleep(self, seconds: float) -> None:
        """As the interface asks."""
        await anyio.sleep(seconds)


class _Body(httpx.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class CheckedTransport(httpx.AsyncBaseTransport):
    """One pool of checked connections; no proxies, no keep-alive between pages."""

    def __init__(self, policy: Policy, resolve: Resolver, tls: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or httpx.create_ssl_context(),
            max_keepalive_connections=0,
            network_backend=CheckedBackend(policy, resolve),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request; errors are httpcore's own or the guard's."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=url,
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Closes every connection."""
        await self._pool.aclose()
