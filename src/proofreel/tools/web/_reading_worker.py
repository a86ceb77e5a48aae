"""The child process that reads pages: a request line of JSON and the bytes in, a line of JSON out."""

import json
import os
import sys
from typing import Any, BinaryIO

MEMORY = 2 << 30
"""Bytes of address space; a page that wants more ends this process, not the run."""
PROCESSOR_SECONDS = 60


def main() -> None:
    """Serves until the pipe closes."""
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the replies.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _limit_memory()
    sys.setrecursionlimit(3000)
    while line := requests.readline():
        header = json.loads(line)
        _limit_time()
        reply = _answer(header, _exactly(requests, header.pop("length")))
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise SystemExit(0)
    return data


def _answer(header: dict[str, Any], body: bytes) -> dict[str, Any]:
    from proofreel.tools.web.errors import WebError
    from proofreel.tools.web.reading import read_page

    try:
        return read_page(body, **header)
    except WebError as error:
        return {"error": error.kind, "message": str(error)}
    except (Exception, RecursionError, MemoryError) as error:  # noqa: BLE001  hostile pages break readers in any way
        said = f"{header.get('url')}: cannot be read ({type(error).__name__})"
        return {"error": "unreadable", "message": said}


def _limit_time() -> None:
    """A page that runs for ever ends this process even when the one that should kill it is gone."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    room = int(used.ru_utime + used.ru_stime) + PROCESSOR_SECONDS
    resource.setrlimit(
        resource.RLIMIT_CPU, (room if hard == resource.RLIM_INFINITY else min(room, hard), hard)
    )


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    room = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (room, hard))
