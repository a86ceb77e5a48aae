"""What a run costs beside the calls themselves: our runner, the vendor's SDK in a loop, bare httpx in a loop.

All three send the same bodies to the same scripted server (a process of its own) at the same concurrency, each in a
fresh process, in turn. Ours starts from media references with warm caches; the rivals have the JPEG bytes in memory
and do what any client must: base64, JSON, send, read the answer. Two cases:

- ``single``: one call with 384 pictures, against the same run with 1 picture (the difference is the marginal cost);
- ``react``: 15 looks with 20 pictures each and 16 planner turns, the cost of a sample taken from two sample counts.

    python -m benchmarks_perf run_overhead [--full]
"""

from __future__ import annotations

import asyncio
import base64
import json
import multiprocessing
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks_perf._measure import Run, contest, verdict
from benchmarks_perf.model_overhead import _Forget, make_video

MARK = "data:image/jpeg;base64,"
MODEL = "openai-api/local/scripted"
LOOKS, PER_LOOK = 15, 20
LATENCY = 0.2
REPORT = (
    "**Focus Answer:** a pattern\n**Observations:**\n- 1.0s: a pattern\n"
    "**Coverage:** rich\n**Uncertainty:** none\nFINAL ANSWER: B"
)


def script(request: Any) -> Any:
    """The model: a planner that looks 15 times, a perceiver, or a single answer."""
    from proofreel.testing import Call, Text, ToolCalls

    if b'"tools"' not in request.raw:
        return Text(REPORT, delay=LATENCY)
    done = request.raw.count(b'"tool_call_id"')
    if done >= LOOKS:
        return Text('PLAN: answer\nREASONING: seen\n{"answer": "B", "reasoning": "seen"}', delay=LATENCY)
    window = {"start_time": 2 * done, "end_time": 2 * done + 2, "fps": PER_LOOK // 2, "resolution": "low"}
    return ToolCalls((Call("analyze_video", window),), text="PLAN: look\nREASONING: not yet")


def serve(pipe: Connection) -> None:
    """Runs the scripted server; ``keep`` makes it remember bodies, anything else gives them back."""
    from proofreel.testing import OpenAIServer

    server = OpenAIServer(script)
    server.requests = _Forget()
    with server:
        pipe.send(server.url)
        while (word := pipe.recv()) != "stop":
            if word == "keep":
                server.requests = []
            else:
                pipe.send([r.raw for r in server.requests])
                server.requests = _Forget()


def make_data(root: Path, samples: int) -> None:
    """A data folder with one clip of noise and so many questions."""
    (root / "videos").mkdir(parents=True)
    make_video(root / "videos" / "noise.mp4", 400)
    rows = [
        {
            "question_id": n,
            "video_path": "videos/noise.mp4",
            "question_text": f"Which pattern is shown, number {n:03d}?",
            "options": ["one", "two", "three"],
            "answer": "B",
        }
        for n in range(1, samples + 1)
    ]
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))


class Lag:
    """The longest time the event loop did not come back to a task that asked for 5 ms, apart from its start."""

    def __init__(self) -> None:
        self.longest, self._task = 0.0, None

    def begin(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            asked = time.perf_counter()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, time.perf_counter() - asked - 0.005)


def ours(
    url: str, data: str, out: str, agent: str, frames: int, samples: int, concurrency: int, **_: Any
) -> dict[str, Any]:
    """Our runner on the data folder."""
    from proofreel.runs.progress import Progress
    from proofreel.runs.setup import Wanted, prepare_run
    from proofreel.runs.start import start

    lag = Lag()

    class Watch(Progress):
        def started(self, key: tuple[str, int]) -> None:
            lag.begin()
            super().started(key)

    options = {"fps": 10, "max_frames": frames, "thinking_budget": None} if agent == "single_turn" else {}
    prepared = prepare_run(
        Wanted(
            benchmark="agentvidbench",
            data=Path(data),
            agent=agent,
            model=MODEL,
            base_url=url,
            options={**options, "thinking_budget": None},
            limit=samples,
            concurrency=concurrency,
        )
    )
    folder = Path(out)
    shutil.rmtree(folder, ignore_errors=True)
    run, state = start(prepared, folder, Watch(samples))
    results = run.results()
    kinds = [r.verdict.outcome.value for r in results]
    if kinds.count("right") < samples:
        said = [f"{r.verdict.outcome}: {r.verdict.reason}" for r in results if r.verdict.outcome != "right"]
        raise SystemExit(f"{agent}: {state.state} {state.reason or ''}, {len(results)} results; {said[:2]}")
    logs = sum(p.stat().st_size for p in (folder / "logs").iterdir())
    ledger = run.ledger_path.stat().st_size
    return {
        "right": kinds.count("right"),
        "state": state.state,
        "log_kb": logs / samples / 1e3,
        "ledger_kb": ledger / samples / 1e3,
        "stall": lag.longest,
    }


def _bodies(path: str) -> list[dict[str, Any]]:
    """The recorded bodies of one sample, pictures as raw bytes."""
    bodies = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
    for body in bodies:
        for part in _pictures(body):
            part["url"] = base64.b64decode(part["url"].removeprefix(MARK))
    return bodies


def _pictures(body: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [p for m in body["messages"] if isinstance(m["content"], list) for p in m["content"]]
    return [p["image_url"] for p in parts if p["type"] == "image_url"]


def _ready(body: dict[str, Any]) -> dict[str, Any]:
    """A body with its pictures as data URIs, made anew for each call as any client must."""

    def part(p: dict[str, Any]) -> dict[str, Any]:
        if p["type"] != "image_url":
            return p
        image = p["image_url"]
        return {**p, "image_url": {**image, "url": MARK + base64.b64encode(image["url"]).decode()}}

    messages = [
        {**m, "content": [part(p) for p in m["content"]]} if isinstance(m["content"], list) else m
        for m in body["messages"]
    ]
    return {**body, "messages": messages}


def _loop(
    send: Callable[[dict[str, Any]], Awaitable[None]], bodies: str, samples: int, concurrency: int
) -> dict[str, Any]:
    recorded, lag = _bodies(bodies), Lag()

    async def sample(room: asyncio.Semaphore) -> None:
        async with room:
            for body in recorded:
                await send(_ready(body))

    async def every() -> None:
        lag.begin()
        room = asyncio.Semaphore(concurrency)
        await asyncio.gather(*(sample(room) for _ in range(samples)))

    asyncio.run(every())
    return {"right": samples, "state": "done", "stall": lag.longest}


def sdk(url: str, bodies: str, samples: int, concurrency: int, **_: Any) -> dict[str, Any]:
    """The vendor's client in a loop."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="k", max_retries=0)

    async def send(body: dict[str, Any]) -> None:
        await client.chat.completions.create(**body)

    return _loop(send, bodies, samples, concurrency)


def bare(url: str, bodies: str, samples: int, concurrency: int, **_: Any) -> dict[str, Any]:
    """httpx in a loop."""
    import httpx

    client = httpx.AsyncClient(timeout=120)

    async def send(body: dict[str, Any]) -> None:
        (await client.post(f"{url}/chat/completions", json=body)).json()

    return _loop(send, bodies, samples, concurrency)


WAYS = {
    "bare httpx loop": "run_overhead:bare",
    "openai SDK loop": "run_overhead:sdk",
    "proofreel run": "run_overhead:ours",
}


def run(full: bool) -> None:
    """Prints both cases."""
    samples, rounds = (30, 3) if full else (10, 1)
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        world = {"PROOFREEL_CACHE": f"{folder}/cache"}
        os.environ |= world
        data = Path(folder) / "data"
        make_data(data, samples)
        url = here.recv()
        common = {"url": url, "data": str(data), "out": f"{folder}/run", "concurrency": 10}
        single(common, samples, rounds, here, Path(folder))
        react(common, samples, rounds, here, Path(folder))
        here.send("stop")
        server.join(5)


def _record(common: dict[str, Any], agent: str, frames: int, pipe: Connection, path: Path) -> int:
    """Writes the bodies of one sample of ours, in order; warms the caches on the way. Returns bytes sent."""
    pipe.send("keep")
    ours(**{**common, "agent": agent, "frames": frames, "samples": 1, "out": f"{path}.run"})
    pipe.send("give")
    raws: list[bytes] = pipe.recv()
    path.write_bytes(b"\n".join(json.dumps(json.loads(raw)).encode() for raw in raws))
    return max(map(len, raws))


def single(common: dict[str, Any], samples: int, rounds: int, pipe: Connection, folder: Path) -> None:
    """384 pictures in one call against 1 picture in one call."""
    runs: dict[int, dict[str, list[Run]]] = {}
    size = 0
    for frames in (384, 1):
        bodies = folder / f"single{frames}.jsonl"
        size = max(size, _record(common, "single_turn", frames, pipe, bodies))
        given = {
            **common,
            "agent": "single_turn",
            "frames": frames,
            "samples": samples,
            "bodies": str(bodies),
        }
        runs[frames] = contest(WAYS, given, rounds)
    in_flight = size * 10 / 2**20
    print(
        f"single: {samples} samples at concurrency 10, body {size / 1e6:.1f} MB, {in_flight:.0f} MiB in flight"
    )
    heads = ("CPU s/call", "of 1 frame", "marginal", "peak MiB", "over 1 frame", "stall s")
    print(f"   {'':18s} " + " ".join(f"{h:>12s}" for h in heads))
    marginal = {}
    for name in WAYS:
        many, one = runs[384][name], runs[1][name]
        cpu = [statistics.median(r.cpu for r in of) / samples for of in (many, one)]
        memory = [statistics.median(r.mebibytes for r in of) for of in (many, one)]
        marginal[name] = cpu[0] - cpu[1]
        stall = max(r.found["stall"] for r in many)
        print(
            f"   {name:18s} {cpu[0]:12.4f} {cpu[1]:12.4f} {marginal[name]:12.4f} {memory[0]:12.0f} "
            f"{memory[0] - memory[1]:12.0f} {stall:12.2f}"
        )
    _verdicts(marginal, runs[384]["proofreel run"], "marginal CPU of a 384-frame call")
    grown = statistics.median(r.mebibytes for r in runs[384]["proofreel run"])
    grown -= statistics.median(r.mebibytes for r in runs[1]["proofreel run"])
    verdict("memory over the 1-frame run, by bytes in flight", grown / in_flight, 2.0)


def react(common: dict[str, Any], samples: int, rounds: int, pipe: Connection, folder: Path) -> None:
    """15 looks of 20 pictures."""
    bodies = folder / "react.jsonl"
    _record(common, "video_react", 0, pipe, bodies)
    few = max(1, samples // 3)
    given = {**common, "agent": "video_react", "frames": 0, "bodies": str(bodies)}
    runs = {n: contest(WAYS, {**given, "samples": n}, rounds) for n in (samples, few)}
    print(
        f"react: {samples} samples at concurrency 10, {LOOKS} looks of {PER_LOOK} pictures, {LOOKS + 1} planner turns"
    )
    print(f"   {'':18s} {'CPU s/sample':>12s} {'peak MiB':>9s} {'stall s':>8s}")
    each = {}
    for name in WAYS:
        cpu = {n: statistics.median(r.cpu for r in runs[n][name]) for n in runs}
        each[name] = (cpu[samples] - cpu[few]) / (samples - few)
        many = runs[samples][name]
        memory = statistics.median(r.mebibytes for r in many)
        print(f"   {name:18s} {each[name]:12.4f} {memory:9.0f} {max(r.found['stall'] for r in many):8.2f}")
    _verdicts(each, runs[samples]["proofreel run"], "CPU of a sample")


def _verdicts(cost: dict[str, float], mine: list[Run], what: str) -> None:
    verdict(f"{what} by the SDK loop's", cost["proofreel run"] / cost["openai SDK loop"], 1.2)
    verdict(f"{what} by bare httpx's", cost["proofreel run"] / cost["bare httpx loop"], 2.0)
    found = mine[-1].found
    verdict("log kB a sample", max(r.found["log_kb"] for r in mine), 20)
    verdict("longest stall of the event loop, s", max(r.found["stall"] for r in mine), 0.2)
    print(
        f"   ledger {found['ledger_kb']:.1f} kB a sample; all items right: {found['right']}, {found['state']}"
    )
