"""Shared by the agent tests: a small real clip, real servers, one call to run an agent on them."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, Trajectory
from proofreel.models import resolve_model
from proofreel.testing import (
    AnthropicServer,
    Call,
    GeminiServer,
    OpenAIServer,
    Reply,
    ScriptedServer,
    Text,
    ToolCalls,
)
from proofreel.video import Ledger

LOOK = (
    "**Focus Answer:** a dog\n**Observations:**\n- 2.0s: a dog enters\n- 3s to 4s: it sits\n- 90s: nothing\n"
    "**Coverage:** rich\n**Uncertainty:** none"
)
FINAL = 'PLAN: answer\nREASONING: the dog was seen\n{"answer": "B", "reasoning": "dog at 2 s", "evidence": [[2, 4]]}'
PROVIDERS = {
    "openai": (OpenAIServer, "openai-api/local/some-vlm"),
    "anthropic": (AnthropicServer, "anthropic/claude-sonnet-4-5"),
    "gemini": (GeminiServer, "google/gemini-2.5-flash"),
}


def write_clip(path: Path, seconds: int = 8, fps: int = 10, size: tuple[int, int] = (64, 48)) -> Path:
    """A clip whose grey level rises with time."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for i in range(seconds * fps):
            picture = np.full((size[1], size[0], 3), i * 255 // (seconds * fps), np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path


def look(text: str = "PLAN: look\nREASONING: nothing yet", **arguments: Any) -> ToolCalls:
    """The planner asks for a look."""
    return ToolCalls((Call("analyze_video", arguments),), text=text)


@dataclass
class Ran:
    """One finished run and everything it left behind."""

    trajectory: Trajectory
    ledger: Ledger
    budget: Budget
    server: ScriptedServer
    states: list[Trajectory] = field(default_factory=list)

    @property
    def results(self) -> list[Any]:
        return [o for s in self.trajectory.steps for o in s.observations]

    def bodies(self) -> str:
        return "\n".join(r.raw.decode("utf-8", "replace") for r in self.server.requests)


def run(
    agent: str,
    question: Question,
    script: list[Reply] | Any,
    provider: str = "openai",
    *,
    budget: Budget | None = None,
    model: dict[str, Any] | None = None,
    name: str | None = None,
    on_wait: Any = None,
    **options: Any,
) -> Ran:
    """Runs an agent against a scripted server of a provider."""
    kind, default = PROVIDERS[provider]
    options = {"retry_waits": (0.01,) * 4, "config": {"max_tokens": 1024}, "thinking_budget": None} | options
    ledger, states, budget = Ledger(), [], budget or Budget()
    with kind(script) as server:
        settings = {"max_retries": 0} | (model or {})
        main = resolve_model(name or default, base_url=server.url, ledger=ledger, **settings)
        ctx = AgentContext(
            model=main, budget=budget, ledger=ledger, options=options, on_step=states.append, on_wait=on_wait
        )
        trajectory = asyncio.run(run_agent(agent, question, ctx))
    return Ran(trajectory, ledger, budget, server, states)


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("agents") / "rising.mp4")


@pytest.fixture
def question(clip: Path) -> Question:
    return Question.ask("Which animal enters?", str(clip), ("a cat", "a dog", "a cow"), id="q1", duration=8.0)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "test-key-not-real")


def texts_sent(server: ScriptedServer, request: int) -> str:
    """All text of a request as JSON text."""
    return json.dumps(server.requests[request].json, ensure_ascii=False)


__all__ = [
    "FINAL",
    "LOOK",
    "PROVIDERS",
    "Ran",
    "Text",
    "clip",
    "look",
    "question",
    "run",
    "texts_sent",
    "write_clip",
]
