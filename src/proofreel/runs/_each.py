"""Many small jobs with a model, each kept as a line as soon as it is done; what is kept is not done again."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import anyio
from filelock import FileLock, Timeout

from proofreel.runs._files import RunError, append_line, drop_torn_line

T = TypeVar("T")


def each_line(
    path: Path,
    jobs: Sequence[T],
    line: Callable[[T], Awaitable[str]],
    concurrency: int,
    done: Callable[[], None],
) -> None:
    """Runs the jobs and appends the line of each to a file; a half-written last line of it is cut off first.

    Raises:
        RunError: another process writes the file, or it cannot be written (nothing more is started then).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path.with_name(f".{path.stem}.lock"), timeout=0):
            drop_torn_line(path)
            anyio.run(_all, path, jobs, line, concurrency, done)
    except Timeout:
        raise RunError(f"{path}: another process writes to this file; wait for it") from None


async def _all(
    path: Path,
    jobs: Sequence[T],
    line: Callable[[T], Awaitable[str]],
    concurrency: int,
    done: Callable[[], None],
) -> None:
    limiter = anyio.CapacityLimiter(concurrency)
    broken: list[RunError] = []

    async def one(job: T) -> None:
        async with limiter:
            try:
                append_line(path, await line(job))
            except RunError as error:
                broken.append(error)
                group.cancel_scope.cancel()
                return
        done()

    async with anyio.create_task_group() as group:
        for job in jobs:
            group.start_soon(one, job)
    if broken:
        raise broken[0]
