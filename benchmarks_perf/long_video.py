"""Agents on a video of fifty minutes: time, memory, calls and frames of a first and of a second question.

The models are scripted on this machine, so the figures are ours alone: decoding, scaling, JPEG, requests, database,
search. Every agent runs in a process of its own with an empty cache; its second question finds what the first left.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np

from benchmarks_perf._measure import OUT, measure
from proofreel.testing import Call, OpenAIServer, Reply, Request, Text, ToolCalls

MINUTES, SHORT, FPS, SIZE, SCENE = 50, 5, 5, (320, 180), 20
"""Lengths, frames a second, pixels, and seconds between two changes of the picture."""
MAIN, EYE = "main-model", "seeing-model"


def video(minutes: int) -> Path:
    """A quiet picture that changes every 20 seconds, with a small square that wanders."""
    path = OUT / f"quiet_{minutes}min.mp4"
    if path.exists():
        return path
    print(f"   making {path.name} once ...", flush=True)
    OUT.mkdir(exist_ok=True)
    draft = path.with_suffix(".draft.mp4")
    rng = np.random.default_rng(7)
    with av.open(str(draft), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "g": str(FPS * 10)})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        scene = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
        for i in range(minutes * 60 * FPS):
            if i % (SCENE * FPS) == 0:
                scene = rng.integers(0, 255, (9, 16, 3), dtype=np.uint8).repeat(20, 0).repeat(20, 1)
            picture = scene.copy()
            x, y = i * 3 % (SIZE[0] - 16), i * 2 % (SIZE[1] - 16)
            picture[y : y + 16, x : x + 16] = 255
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return draft.replace(path)


def _call(name: str, **arguments: Any) -> ToolCalls:
    return ToolCalls((Call(name, arguments),))


def _plan(**step: Any) -> Text:
    own = {"step_id": "1", "description": "look", "sub_query": "q", "spatial_token_rate": "low", **step}
    return Text(json.dumps({"reasoning": "r", "steps": [own], "completion_criteria": "c"}))


def _go(name: str, enough: bool = False) -> Text:
    own = {"reasoning": "r", "tool_name": name, "tool_input": "the square", "info_sufficient": enough}
    return Text(json.dumps(own))


SURE = {"sufficient": True, "confidence": 0.9, "justification": "j", "reasoning": "r", "selected_option": "B"}


def turns(at: int) -> dict[str, tuple[Reply, ...]]:
    """What the main model of each agent says to one question, turn by turn; it looks closely from second ``at``."""
    spot = [[f"00:{at // 60:02}:00", f"00:{at // 60:02}:30"]]
    return {
        "dvd": (
            _call("global_browse_tool", query="What wanders?"),
            _call("clip_search_tool", event_description="a square wanders"),
            _call("frame_inspect_tool", question="Where?", time_ranges_hhmmss=spot),
            _call("finish", answer="B"),
        ),
        "video_react": (
            _call("analyze_video", fps=1),
            _call("analyze_video", start_time=at, end_time=at + 30, fps=3),
            Text(f'{{"answer": "B", "reasoning": "seen", "evidence": [[{at}, {at + 30}]]}}'),
        ),
        "avp": (
            _plan(load_mode="uniform", fps=0.5, regions=[]),
            Text(json.dumps({**SURE, "sufficient": False, "confidence": 0.4})),
            _plan(load_mode="region", fps=2.0, regions=[[at, at + 30]]),
            Text(json.dumps(SURE)),
        ),
        "star": (
            _go("frame-extraction-tool"),
            _go("image-question-answering-tool"),
            _go("", True),
            Text("FINAL ANSWER: B"),
        ),
    }


LOOK = (
    "**Focus Answer:** a square\n**Observations:**\n- 1205s: it wanders\n"
    "**Coverage:** rich\n**Uncertainty:** none"
)


def _seeing(request: Request) -> Reply:
    """Any model that is not the main one, by what it is asked."""
    content = request.json["messages"][-1]["content"]
    said = content if isinstance(content, str) else "\n".join(c.get("text", "") for c in content)
    if found := re.search(r"The clip runs from (\S+) to", said):
        text = f"At {found[1]} a white square wanders over coloured fields, from left to right."
        subject = {
            "name": f"square of {found[1]}",
            "appearance": ["white"],
            "identity": [],
            "first_seen": found[1],
        }
        return Text(json.dumps({"subject_registry": {"s": subject}, "clip_description": text}))
    if said.startswith("Different stretches"):
        return Text(json.dumps({"subject_registry": {"s": {"name": "square", "first_seen": "00:00:00"}}}))
    if "query_related_event" in said:
        return Text(json.dumps({"subject_registry": {}, "query_related_event": "It wanders at 00:20:05."}))
    if "key_evidence" in said:
        row = {"timestamp_start": 1205, "timestamp_end": 1210, "description": "it wanders"}
        return Text(json.dumps({"detailed_response": "a square", "key_evidence": [row], "reasoning": "r"}))
    return Text(LOOK)


class Counting(OpenAIServer):
    """Keeps numbers instead of requests, which hold tens of megabytes of pictures."""

    def __init__(self, turns: tuple[Reply, ...]) -> None:
        self.tally: dict[str, int] = {MAIN: 0, EYE: 0}
        self._left: Iterator[Reply] = iter(turns * 2)
        self._tallied = threading.Lock()
        super().__init__(self._reply)
        self.requests = deque(maxlen=1)  # type: ignore[assignment]

    def _reply(self, request: Request) -> Reply:
        model = request.json["model"]
        with self._tallied:
            self.tally[model] += 1
            if model == MAIN and b"Choose which of the stretches" not in request.raw:
                return next(self._left)
        return Text('{"analysis": "middle", "segments": [1]}') if model == MAIN else _seeing(request)


def two_questions(agent: str, path: str, url: str) -> dict[str, Any]:
    """A first and a second question, in a process of its own: seconds, frames, calls of each."""
    return asyncio.run(_two(agent, path, url))


def prepare_two_questions() -> None:
    """Loads the engine before the clock starts."""
    from proofreel.agents import list_agents
    from proofreel.models import resolve_model

    list_agents()
    resolve_model("openai-api/local/warm", base_url="http://127.0.0.1:9/v1")


async def _two(agent: str, path: str, url: str) -> dict[str, Any]:
    from proofreel.agents import AgentContext, Budget, run_agent
    from proofreel.core import Question
    from proofreel.models import resolve_model
    from proofreel.video import Ledger, cache_dir

    found: dict[str, Any] = {"questions": []}
    for number in range(2):
        ledger, marks = Ledger(), {}
        began = time.perf_counter()

        def note(
            stage: str, done: float, total: float, message: str, marks: Any = marks, began: float = began
        ) -> None:
            if stage == "clips" and total and done == total:
                marks.setdefault("database", time.perf_counter() - began)

        settings: dict[str, Any] = {"base_url": url, "ledger": ledger, "max_retries": 0, "video": False}
        ctx = AgentContext(
            model=resolve_model(f"openai-api/local/{MAIN}", **settings),
            perceiver=resolve_model(f"openai-api/local/{EYE}", **settings),
            budget=Budget(),
            ledger=ledger,
            options={"thinking_budget": None, "on_progress": note},
        )
        question = Question.ask("What wanders?", path, ("a circle", "a square", "a dog"), id=f"q{number}")
        trajectory = await run_agent(agent, question, ctx)
        found["questions"].append(
            {
                "seconds": time.perf_counter() - began,
                "database": marks.get("database"),
                "calls": trajectory.tokens.calls,
                "sent": trajectory.frames_seen,
                "distinct": len({f.index for e in ledger.entries for f in e.frames}),
                "letter": trajectory.answer.letter,
                "reason": trajectory.answer.reason[:200],
            }
        )
    root = cache_dir()
    found["cache"] = {
        p.name: sum(f.stat().st_size for f in p.rglob("*") if f.is_file()) for p in root.glob("*")
    }
    return found


def run(full: bool = False) -> None:
    """All agents in turn; ``full`` takes fifty minutes of video, otherwise five."""
    from proofreel.agents import list_agents

    minutes = MINUTES if full else SHORT
    path = video(minutes)
    scripts = {k: v for k, v in turns(minutes * 24).items() if k in list_agents()}
    print(f"   {path.name}: {path.stat().st_size / 1e6:.1f} MB")
    columns = (
        ("wall s", 15),
        ("CPU s", 7),
        ("peak MiB", 9),
        ("calls", 11),
        ("frames sent", 13),
        ("distinct", 9),
    )
    print("   agent       ", *(f"{name:>{width}}" for name, width in columns), " database s; cache MB")
    for agent, said in scripts.items():
        with Counting(said) as server, _fresh_cache() as cache:
            asked = {"agent": agent, "path": str(path), "url": server.url}
            cost = measure("long_video:two_questions", asked, {"PROOFREEL_CACHE": cache})
        first, second = cost.found["questions"]
        for q in (first, second):
            if q["letter"] != "B":
                raise SystemExit(f"{agent}: no answer ({q['reason']})")
        base = "" if first["database"] is None else f"{first['database']:.1f} then {second['database']:.2f}; "
        kept = ", ".join(f"{k} {v / 1e6:.1f}" for k, v in sorted(cost.found["cache"].items()) if v > 50_000)
        print(
            f"   {agent:12s} {first['seconds']:7.1f} {second['seconds']:7.1f} {cost.cpu:7.1f} {cost.mebibytes:9.0f}"
            f" {first['calls']:5d} {second['calls']:5d} {first['sent']:6d} {second['sent']:6d} {first['distinct']:9d}"
            f"  {base}{kept}"
        )


@contextmanager
def _fresh_cache() -> Iterator[str]:
    """An empty cache folder beside the videos, removed afterwards."""
    folder = OUT / "long_video_cache"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
