"""The loopback server under every scripted provider: records requests, answers from a script."""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from proofreel.testing.replies import (
    DropMidBody,
    Hang,
    MalformedJson,
    Overflow,
    RateLimited,
    Refused,
    Reply,
    ServerError,
    Text,
)


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @cached_property
    def json(self) -> dict[str, Any]:
        """The body as JSON.

        Raises:
            ValueError: the body is not a JSON object.
        """
        body = json.loads(self.raw or b"{}")
        if not isinstance(body, dict):
            raise ValueError(f"{self.path}: the body is not a JSON object")
        return body


@dataclass(frozen=True)
class Response:
    """Status, body and extra headers of an answer; ``drop`` cuts the connection after half of the body."""

    status: int
    body: bytes
    headers: dict[str, str]
    drop: bool = False


def as_json(status: int, body: Any, **headers: str) -> Response:
    """A JSON answer."""
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    return Response(status, json.dumps(body).encode(), {"content-type": "application/json", **named})


Script = Iterable[Reply] | Callable[[Request], Reply]


class ScriptedServer(ABC):
    """A provider stand-in on 127.0.0.1: use as a context manager.

    Args:
        script: replies in order, or a function from the request to a reply. A list that has run out answers
            400 (which no client retries) and counts in ``overrun``.
        key: when set, requests with another key get 401.

    Attributes:
        requests: every model request, in order of arrival, with its raw body.
    """

    def __init__(self, script: Script = (), *, key: str | None = None) -> None:
        self._source = script if callable(script) else None
        self._queue = [] if callable(script) else list(script)
        self._key = key
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.requests: list[Request] = []
        self.overrun = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is printed; requests are recorded."""

            def do_POST(self) -> None:
                outer._serve(self, self.rfile.read(int(self.headers.get("content-length") or 0)))

            def do_GET(self) -> None:
                outer._serve(self, b"")

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Clients that go away (cancelled calls) are part of the tests."""

        self._http = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def root(self) -> str:
        """``http://127.0.0.1:<port>``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """The base URL to give to a client of this provider."""
        return self.root

    @property
    def count(self) -> int:
        """Number of model requests seen."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    # what a provider defines

    @abstractmethod
    def render(self, reply: Reply, request: Request) -> Response:
        """The provider's wire form of a successful or stopped completion."""

    @abstractmethod
    def error(self, status: int, message: str, code: str | None = None) -> Response:
        """The provider's wire form of an error."""

    @abstractmethod
    def overflow(self) -> Response:
        """The provider's context-overflow error."""

    def side_route(self, request: Request) -> Response | None:
        """Answers requests that are not model calls (uploads, model lists); None: it is a model call."""
        return None

    def key_of(self, request: Request) -> str | None:
        """The API key a request carries."""
        return request.headers.get("authorization", "").removeprefix("Bearer ") or None

    # machinery

    def _next(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if self._source is None:
                if self._queue:
                    return self._queue.pop(0)
                self.overrun += 1
                return Refused("the script has no more replies")
        return self._source(request)

    def _answer(self, request: Request) -> Response | None:
        if (side := self.side_route(request)) is not None:
            return side
        if self._key is not None and self.key_of(request) != self._key:
            with self._lock:
                self.requests.append(request)
            return self.error(401, "the API key is not valid", "invalid_api_key")
        reply = self._next(request)
        match reply:
            case Hang():
                self._closing.wait()
                return None
            case RateLimited(retry_after=wait):
                response = self.error(429, "too many requests", "rate_limit_exceeded")
                return response if wait is None else _with(response, {"retry-after": f"{wait:g}"})
            case ServerError(status=status):
                return self.error(status, "internal error", "server_error")
            case Refused(message=message, status=status):
                return self.error(status, message, "invalid_request_error")
            case Overflow():
                return self.overflow()
            case MalformedJson():
                return Response(200, b'{"choices": [', {"content-type": "application/json"})
            case DropMidBody():
                whole = self.render(Text("this text will not arrive whole"), request)
                return Response(whole.status, whole.body, whole.headers, drop=True)
            case Text(delay=delay) if delay:
                self._closing.wait(delay)
        return self.render(reply, request)

    def _serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        headers = {k.lower(): v for k, v in handler.headers.items()}
        response = self._answer(Request(handler.command, handler.path, headers, body))
        if response is None:
            handler.close_connection = True
            return
        handler.send_response(response.status)
        for name, value in response.headers.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(response.body)))
        handler.end_headers()
        if response.drop:
            handler.wfile.write(response.body[: len(response.body) // 2])
            handler.wfile.flush()
            time.sleep(0.02)  # lets the half body reach the client before the cut
            handler.close_connection = True
            return
        handler.wfile.write(response.body)


def _with(response: Response, headers: dict[str, str]) -> Response:
    return Response(response.status, response.body, {**response.headers, **headers}, response.drop)
