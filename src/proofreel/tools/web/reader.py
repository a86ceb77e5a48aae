"""Reads pages in child processes that are killed when a page is too much for them."""

import json
import os
import subprocess
import sys
import threading
from typing import Any

import anyio
import anyio.to_thread

from proofreel.tools.web.errors import KINDS, WebError

SECONDS = 20.0
"""What one page may take to be turned into text, start of the child included."""
CHILDREN = 2
_ENVIRONMENT = frozenset(("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV"))
_START = "import sys; sys.path[:] = {path!r}; from proofreel.tools.web._reading_worker import main; main()"


class _Child:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # No keys: a parser that a page has taken over must find nothing worth sending.
            env={k: v for k, v in os.environ.items() if k in _ENVIRONMENT},
        )

    def ask(self, header: dict[str, Any], body: bytes) -> dict[str, Any] | None:
        """The reply; None when the child died on the page."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(json.dumps(header | {"length": len(body)}).encode() + b"\n" + body)
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):
            return None
        return dict(json.loads(line)) if line.endswith(b"\n") else None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except (OSError, ValueError):  # the dead child's pipe may still hold unsent bytes
                    continue


class PageReader:
    """Warm children, started when needed; safe in threads and event loops.

    Args:
        seconds: what one page may take.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._room = anyio.CapacityLimiter(CHILDREN)

    async def read(self, body: bytes, content_type: str, url: str, truncated: bool = False) -> dict[str, Any]:
        """As ``reading.read_page``, in a child.

        Raises:
            WebError: the page cannot be read, takes too long, or took its reader down.
        """
        header = {"content_type": content_type, "url": url, "truncated": truncated}
        async with self._room:
            with self._lock:
                warm = self._idle.pop() if self._idle else None
            child: _Child = warm if warm is not None else await anyio.to_thread.run_sync(_Child)
            reply: dict[str, Any] | None = None
            try:
                with anyio.fail_after(self._seconds):
                    reply = await anyio.to_thread.run_sync(child.ask, header, body, abandon_on_cancel=True)
            except TimeoutError:
                raise WebError(
                    "timeout", f"{url}: reading the page takes more than {self._seconds:g} s; it is given up"
                ) from None
            finally:
                if reply is None:
                    child.kill()
                else:
                    with self._lock:
                        self._idle.append(child)
        if reply is None:
            raise WebError("unreadable", f"{url}: the page took its reader down (memory or a crash)")
        if "error" in reply:
            kind: Any = reply["error"] if reply["error"] in KINDS else "unreadable"
            raise WebError(kind, str(reply.get("message")))
        return reply

    def close(self) -> None:
        """Ends the children; a later read starts new ones."""
        with self._lock:
            children, self._idle = self._idle, []
        for child in children:
            child.kill()
