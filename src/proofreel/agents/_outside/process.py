"""Runs a program once: words in, words out, a hard end in time, and nothing of it left behind."""

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc

from proofreel.core.errors import UserError

MOST_OUTPUT = 4_000_000
"""Bytes of an output that are kept; the rest is read and dropped."""
AFTER_EXIT = 2.0
"""Seconds a program's children may go on writing when it has ended itself."""
TO_END = 1.0
"""Seconds between the polite and the hard end."""


@dataclass
class Finished:
    """How a program ended; ``code`` is None when it was killed for its time."""

    code: int | None
    out: str
    err: str

    @property
    def last_words(self) -> str:
        """The last line of its errors, for a reason."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        return lines[-1].strip()[:300] if lines else ""


async def run_program(
    command: Sequence[str], text: str, *, env: Mapping[str, str], seconds: float | None
) -> Finished:
    """Runs a program in a process group of its own.

    Args:
        command: program and arguments; no shell reads it.
        text: its standard input.
        env: its whole environment.
        seconds: it and all it started are killed after so long; None for no limit.

    Raises:
        UserError: it cannot be started.
    """
    try:
        process = await anyio.open_process(list(command), env=dict(env), start_new_session=True)
    except OSError as error:
        raise UserError(f"command {command[0]}: cannot be started ({error.strerror})") from error
    out, err = bytearray(), bytearray()
    code: int | None = None
    try:
        with anyio.move_on_after(seconds):
            async with anyio.create_task_group() as group:
                group.start_soon(_keep, process.stdout, out)
                group.start_soon(_keep, process.stderr, err)
                group.start_soon(_feed, process, text.encode())
                code = await process.wait()
                group.cancel_scope.deadline = anyio.current_time() + AFTER_EXIT
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    return Finished(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


async def _keep(stream: Any, into: bytearray) -> None:
    async for chunk in stream:
        into.extend(chunk[: max(0, MOST_OUTPUT - len(into))])


async def _feed(process: anyio.abc.Process, data: bytes) -> None:
    # A program that does not read its input is no fault.
    with contextlib.suppress(BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        assert process.stdin is not None
        await process.stdin.send(data)
        await process.stdin.aclose()


async def _end(process: anyio.abc.Process) -> None:
    """Ends the whole group, also when the program itself is gone: what it started must not outlive the question."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break
        if number == signal.SIGTERM:
            with anyio.move_on_after(TO_END):
                await process.wait()
                await anyio.sleep(0.05)
    await process.aclose()
