"""A web application on 127.0.0.1 for as long as a block runs; signals stay with whoever runs the event loop."""

import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio

from proofreel.core.errors import UserError


@contextlib.asynccontextmanager
async def local_server(app: Any, port: int = 0) -> AsyncIterator[str]:
    """Serves an ASGI application and gives its address, ``http://127.0.0.1:PORT``.

    Args:
        app: the application.
        port: 0 takes any free one.

    Raises:
        UserError: the port is taken.
    """
    import uvicorn

    ready = anyio.Event()

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise UserError(f"port {port} cannot be used ({error.strerror}); choose another") from error
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    server = Server(config)

    async def serve() -> None:
        # Never cut off half-way: the event loop would go on watching a closed socket.
        with anyio.CancelScope(shield=True):
            await server.serve([listening])

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            try:
                with anyio.CancelScope(shield=True):
                    await ready.wait()
                yield address
            finally:
                server.should_exit = True
    finally:
        listening.close()
