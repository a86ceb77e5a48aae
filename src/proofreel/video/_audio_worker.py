"""`audio_runs` in a child process that can be killed, a batch at a time (see `_isolate`)."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

from . import _isolate
from ._audio_runs import Run, audio_runs

_BATCH = 16
_HERE = __name__
_open: Iterator[Run] = iter(())  # in the child: the one it is reading


def isolated_audio_runs(
    path: str, start: float, rate: int, timeout: float | None
) -> Generator[Run, None, None]:
    """The same as `audio_runs`, decoded elsewhere.

    Raises:
        DecodeTimeout: it took longer than ``timeout`` seconds, or made no progress for a minute.
        DecoderCrashed: the child died.
        VideoError: as `audio_runs` does.
    """
    patience = _isolate.Patience(path, timeout)
    with _isolate._pool.lend() as child:
        _ask(child, patience, "begin", path, start, rate)
        try:
            while batch := _ask(child, patience, "more"):
                yield from batch
        except GeneratorExit:
            _ask(child, patience, "end")  # the reader has enough: the child stays fit for other work


def _ask(child: _isolate.Child, patience: _isolate.Patience, function: str, *arguments: Any) -> Any:
    _isolate._send(child, patience, ("call", f"{_HERE}:{function}", arguments, patience.stall))
    while True:
        kind, *content = patience.receive(child)
        if kind == "result":
            return content[0]
        if kind == "error":
            raise content[0]


def begin(path: str, start: float, rate: int) -> None:
    """In the child: start on a file."""
    global _open
    _open = audio_runs(path, start, rate)


def more() -> list[Run]:
    """In the child: the next runs; none at the end."""
    return list(islice(_open, _BATCH))


def end() -> None:
    """In the child: close the file."""
    global _open
    _open = iter(())
