"""CPU seconds of one 384-picture call: our path, the vendor's SDK alone, bare httpx.

All three send the same pictures to the same loopback server (its own process) in interleaved rounds; ours starts
from a reference and the media cache, the rivals from JPEG bytes already in memory. Run:

    python benchmarks_perf/model_overhead.py [--calls 12] [--frames 384]
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path

import av
import numpy as np


def serve(pipe: Connection) -> None:
    """Answers every request at once, in a process of its own."""
    from proofreel.testing import OpenAIServer, Text

    server = OpenAIServer(lambda _: Text("B"))
    server.requests = _Forget()
    with server:
        pipe.send(server.url)
        pipe.recv()


class _Forget(list):
    """Requests are 5 MB each: none is kept."""

    def append(self, item: object) -> None:
        pass


def make_video(path: Path, frames: int) -> None:
    """Noise over a gradient, so that a JPEG of 360 rows has a real size."""
    rng = np.random.default_rng(1)
    grid = np.add.outer(np.arange(180), np.arange(320))[..., None] % 255
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=10, options={"preset": "ultrafast", "crf": "28"})
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for i in range(frames + 16):
            noise = rng.integers(0, 24, (180, 320, 3))
            image = np.clip(grid + noise + i % 40, 0, 255).astype(np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode(None):
            out.mux(packet)


def content(times: list[float], jpegs: list[bytes]) -> list[dict[str, object]]:
    """Times and pictures as chat content."""
    parts: list[dict[str, object]] = []
    for t, jpeg in zip(times, jpegs, strict=True):
        url = "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
        parts.append({"type": "text", "text": f"[t={t:.2f} s]"})
        parts.append({"type": "image_url", "image_url": {"url": url, "detail": "auto"}})
    return [*parts, {"type": "text", "text": "Which?"}]


async def measure(calls: int, frames: int, url: str, video: Path) -> dict[str, list[float]]:
    """CPU seconds of each call by way."""
    import httpx
    from openai import AsyncOpenAI

    from proofreel.models import call_model, media_message, resolve_model
    from proofreel.video import FramesRef, Ledger, Uniform, expand_frames

    ref = FramesRef.of(video, Uniform(frames))
    encoded = expand_frames(ref)
    print(f"{len(encoded)} pictures, {sum(map(len, encoded.jpegs)) / 1e6:.1f} MB of JPEG, {calls} calls each")
    message = [media_message("Which?", [ref])]
    ledger = Ledger()
    ours = resolve_model("openai-api/local/m", base_url=url, ledger=ledger)
    sdk = AsyncOpenAI(base_url=url, api_key="k", max_retries=0)
    bare = httpx.AsyncClient(timeout=60)

    async def by_httpx() -> None:
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": content(encoded.times, encoded.jpegs)}],
        }
        (await bare.post(f"{url}/chat/completions", json=body)).json()

    async def by_sdk() -> None:
        parts = content(encoded.times, encoded.jpegs)
        await sdk.chat.completions.create(model="m", messages=[{"role": "user", "content": parts}])  # type: ignore[list-item,misc]

    async def by_us() -> None:
        await call_model(ours, message)

    ways: dict[str, Callable[[], Awaitable[None]]] = {
        "bare httpx": by_httpx,
        "openai SDK": by_sdk,
        "proofreel": by_us,
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        await way()
    for _ in range(calls):
        for name, way in ways.items():
            began = time.process_time()
            await way()
            spent[name].append(time.process_time() - began)
    return spent


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--calls", type=int, default=12)
    arguments.add_argument("--frames", type=int, default=384)
    given = arguments.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PROOFREEL_CACHE"] = f"{folder}/cache"
        video = Path(folder) / "noise.mp4"
        make_video(video, given.frames)
        spent = asyncio.run(measure(given.calls, given.frames, ours.recv(), video))
    ours.send("stop")
    server.join(5)
    base = statistics.median(spent["openai SDK"])
    for name, values in spent.items():
        middle = statistics.median(values)
        print(f"{name:12s} {middle:.4f} CPU s a call (median)   {middle / base:.2f} x openai SDK")


if __name__ == "__main__":
    main()
