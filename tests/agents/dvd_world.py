"""For the DVD tests: a fresh video each, one server that plays every model by what it is asked, one call to run."""

import asyncio
import json
import re
import shutil
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.wire import write_clip
from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, Trajectory
from proofreel.models import resolve_model
from proofreel.testing import Call, OpenAIServer, Reply, Request, Text, ToolCalls
from proofreel.video import Ledger

SECONDS = 25
"""Three clips: seconds 0-9, 10-19 and 20-24, with 20, 20 and 10 frames."""
BEGINS = {
    "captioner": "You are shown the frames of one clip",
    "merger": "Different stretches of one video",
    "reader": "Below are descriptions of the clips",
    "inspector": "These are frames of a video",
}
WORDS = {0: "a red lamp is switched on", 10: "a brown dog enters the kitchen", 20: "rain falls on the window"}
OVERVIEW = {"subject_registry": {}, "query_related_event": "At 00:00:12 a brown dog enters."}


def fresh(clip: Path, to: Path) -> Path:
    """A copy that no cache knows: the same pictures, and bytes of its own in an atom that players skip."""
    video = to / f"{uuid.uuid4().hex}.mp4"
    shutil.copy(clip, video)
    with video.open("ab") as file:
        file.write(b"\0\0\0\x18free" + uuid.uuid4().bytes)
    return video


def long_clip(folder: Path, seconds: int = SECONDS) -> Path:
    return write_clip(folder / "long.mp4", seconds=seconds)


def text_of(request: Request) -> str:
    """Text of the last message."""
    content = request.json["messages"][-1]["content"]
    return content if isinstance(content, str) else "\n".join(c.get("text", "") for c in content)


def part_of(request: Request) -> str:
    """Which model is asked."""
    said = text_of(request)
    return next((role for role, begin in BEGINS.items() if begin in said), "main")


def clip_start(request: Request) -> int:
    found = re.search(r"The clip runs from (\d\d):(\d\d):(\d\d)", text_of(request))
    assert found
    hours, minutes, seconds = map(int, found.groups())
    return hours * 3600 + minutes * 60 + seconds


def caption(start: int, description: str | None = None) -> Text:
    registry = {"s": {"name": "dog", "appearance": ["brown"], "identity": [], "first_seen": "00:00:12"}}
    body = {
        "clip_start_time": "?",
        "clip_end_time": "?",
        "subject_registry": registry if start == 10 else {"s": {"name": f"thing of {start}"}},
        "clip_description": description or WORDS.get(start, f"scene of second {start}"),
    }
    return Text(f"```json\n{json.dumps(body)}\n```")


def merged() -> Text:
    one = {"name": "dog", "appearance": ["brown"], "identity": ["pet"], "first_seen": "00:00:12"}
    return Text(json.dumps({"subject_registry": {"subject_1": one}}))


def tool(name: str, text: str = "", **arguments: Any) -> ToolCalls:
    return ToolCalls((Call(name, arguments),), text=text)


def finish(answer: str = "B", **arguments: Any) -> ToolCalls:
    return tool("finish", answer=answer, **arguments)


def inspect(*ranges: list[Any], question: str = "Is it a dog?") -> ToolCalls:
    return tool("frame_inspect_tool", question=question, time_ranges_hhmmss=list(ranges))


class Play:
    """Answers each request by who is asked; the main model's turns come from a list or a function."""

    def __init__(
        self,
        main: Iterable[Reply] | Callable[[Request], Reply],
        **others: Callable[[Request], Reply],
    ) -> None:
        self._main = main if callable(main) else iter(list(main))
        self._others: dict[str, Callable[[Request], Reply]] = {
            "captioner": lambda r: caption(clip_start(r)),
            "merger": lambda r: merged(),
            "reader": lambda r: Text(json.dumps(OVERVIEW)),
            "inspector": lambda r: Text("At 12.0s a brown dog walks in."),
        } | others

    def __call__(self, request: Request) -> Reply:
        part = part_of(request)
        if part != "main":
            return self._others[part](request)
        return self._main(request) if callable(self._main) else next(self._main)


@dataclass
class Seen:
    """One finished run and everything it left behind."""

    trajectory: Trajectory
    ledger: Ledger
    budget: Budget
    server: OpenAIServer
    states: list[Trajectory] = field(default_factory=list)
    told: list[tuple[str, float, float, str]] = field(default_factory=list)

    @property
    def results(self) -> list[Any]:
        return [o for s in self.trajectory.steps for o in s.observations]

    def asked(self, part: str) -> list[Request]:
        return [r for r in self.server.requests if part_of(r) == part]

    @property
    def base(self) -> dict[str, Any]:
        return self.trajectory.settings["clip_base"]


def play(
    question: Question,
    main: Iterable[Reply] | Callable[[Request], Reply],
    *,
    budget: Budget | None = None,
    name: str = "openai-api/local/some-vlm",
    roles: dict[str, str] | None = None,
    server_type: type[OpenAIServer] = OpenAIServer,
    others: dict[str, Callable[[Request], Reply]] | None = None,
    **options: Any,
) -> Seen:
    """Runs DVD against one server that plays all its models."""
    told: list[tuple[str, float, float, str]] = []
    options = {
        "retry_waits": (0.01, 0.01),
        "config": {"max_tokens": 1024},
        "thinking_budget": None,
        "on_progress": lambda *line: told.append(line),
    } | options
    ledger, states, budget = Ledger(), [], budget or Budget()
    with server_type(Play(main, **(others or {}))) as server:
        settings: dict[str, Any] = {
            "base_url": server.url,
            "ledger": ledger,
            "max_retries": 0,
            "video": False,
        }
        ctx = AgentContext(
            model=resolve_model(name, **settings),
            roles={r: resolve_model(n, **settings) for r, n in (roles or {}).items()},
            budget=budget,
            ledger=ledger,
            options=options,
            on_step=states.append,
        )
        trajectory = asyncio.run(run_agent("dvd", question, ctx))
    return Seen(trajectory, ledger, budget, server, states, told)
