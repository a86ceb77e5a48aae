"""A loopback web server whose pages are functions: they may send anything, as slowly and wrongly as they like."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Route = Callable[["Visit"], None]


class Visit(BaseHTTPRequestHandler):
    """One request; ``send`` answers it in an ordinary way, ``raw`` writes bytes as they are."""

    protocol_version = "HTTP/1.1"
    site: Site

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self._serve()

    def _serve(self) -> None:
        path = self.path.partition("?")[0]
        self.site.seen.append(
            (self.path, {k.lower(): v for k, v in self.headers.items()}, self.client_address)
        )
        route = self.site.routes.get(path)
        if route is None:
            self.send(b"not here", "text/plain", 404)
            return
        try:
            route(self)
        except OSError:
            self.close_connection = True

    def send(
        self, body: bytes, type_: str | None = "text/html; charset=utf-8", status: int = 200, **more: str
    ) -> None:
        self.send_response(status)
        if type_ is not None:
            self.send_header("content-type", type_)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def wait(self, seconds: float) -> bool:
        """Waits; True when the server is closing."""
        return self.site.closing.wait(seconds)


class Site:
    def __init__(self, routes: dict[str, Route], port: int, host: str = "127.0.0.1") -> None:
        self.routes, self.port, self.host = routes, port, host
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.closing = threading.Event()

    @property
    def root(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def allow(self) -> str:
        return f"{self.host}:{self.port}"

    def paths(self) -> list[str]:
        return [path for path, _, _ in self.seen]


@contextmanager
def site(
    routes: dict[str, Route], host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    server = Server((host, 0), BaseHTTPRequestHandler)
    here = Site(routes, server.server_address[1], host)
    server.RequestHandlerClass = type("Bound", (Visit,), {"site": here})
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def page(
    body: bytes, type_: str | None = "text/html; charset=utf-8", status: int = 200, **more: str
) -> Route:
    return lambda visit: visit.send(body, type_, status, **more)


def redirect(to: str, status: int = 302) -> Route:
    return lambda visit: visit.send(b"", "text/html", status, location=to)


def article(title: str, *paragraphs: str) -> bytes:
    inner = "".join(f"<p>{p}</p>" for p in paragraphs)
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><title>{title}</title></head>"
        f"<body><nav>Home | About</nav><article><h1>{title}</h1>{inner}</article></body></html>"
    ).encode()


class NoSearch:
    """A search service that nobody should ask."""

    name = "none"

    async def search(self, query: str, count: int, on_wait: Any = None) -> list[Any]:
        raise AssertionError(f"searched for {query!r}")
