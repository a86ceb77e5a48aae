"""One VideoZeroBench call of 384 frames at height 128: what decoding and encoding take of it, cold and warm.

A ten-minute 720p video (`--full`: also one of an hour) by both frame policies, against a loopback server in its own
process that answers at once: the share of a call with a real model is smaller by the model's own time. Cold is the
first level of the first question on a video; warm are the other levels and questions, whose pictures are in the cache.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks_perf._perf_media import joined, piece
from benchmarks_perf.model_overhead import serve

POLICIES = ("fps_cap", "uniform_n")


@contextmanager
def _server() -> Iterator[str]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("stop")
        process.join(5)


async def _call(video: Path, url: str, policy: str) -> dict[str, float]:
    """Seconds of looking, and of the whole call, once cold and three times warm."""
    from proofreel.agents import AgentContext
    from proofreel.benchmarks.videozerobench.exam import ask
    from proofreel.benchmarks.videozerobench.levels import Case, user_text
    from proofreel.benchmarks.videozerobench.settings import ExamSettings
    from proofreel.benchmarks.videozerobench.sight import look
    from proofreel.models import resolve_model

    ctx = AgentContext(model=resolve_model("openai-api/local/m", base_url=url))
    settings = ExamSettings.of({"sampling": policy}, "m")
    case = Case("How many?", "en", [], [])
    found: dict[str, Any] = {"cold look": [], "warm look": [], "cold": [], "warm": []}
    for number in range(4):
        kind = "warm" if number else "cold"
        began = time.perf_counter()
        sight = look(str(video), settings)
        looked = time.perf_counter()
        reply = await ask(ctx, user_text(case, 3, sight.shown), sight)
        if reply.failure is not None:
            raise SystemExit(f"the call failed: {reply.failure}")
        found[f"{kind} look"].append(looked - began)
        found[kind].append(time.perf_counter() - began)
    return {k: statistics.median(v) for k, v in found.items()} | {"frames": sight.frames}


def run(full: bool = False) -> None:
    """Prints seconds and shares."""
    videos = {"10 min": piece(600)} | ({"1 h": joined(180, 20)} if full else {})
    print(
        f"   {'video':8s} {'policy':10s} {'frames':>6s} {'state':5s} {'look s':>7s} {'call s':>7s} {'share':>6s}"
    )
    with _server() as url:
        asyncio.run(_call(videos["10 min"], url, "fps_cap"))  # imports and connections
        for name, video in videos.items():
            for policy in POLICIES:
                rounds = []
                for _ in range(3):
                    with tempfile.TemporaryDirectory() as cache:
                        os.environ["PROOFREEL_CACHE"] = cache
                        rounds.append(asyncio.run(_call(video, url, policy)))
                for state in ("cold", "warm"):
                    looked = statistics.median(r[f"{state} look"] for r in rounds)
                    whole = statistics.median(r[state] for r in rounds)
                    print(
                        f"   {name:8s} {policy:10s} {rounds[0]['frames']:6.0f} {state:5s} {looked:7.2f} {whole:7.2f} "
                        f"{100 * looked / whole:5.0f} %",
                        flush=True,
                    )


if __name__ == "__main__":
    run()
