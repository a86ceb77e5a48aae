"""Our functions under the names of the published conformance vectors: ``(input, mode) -> output``.

Read by the parity command and by the tests; nothing else needs it.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from proofreel.agents._react_loop import LoopLimits, Message, PlannerDied, Turn, react_loop
from proofreel.agents.answers import final_answer_letter, react_final_letter, react_reasoning
from proofreel.core import Observation, ToolCall
from proofreel.tools._observation import observation_fields
from proofreel.tools._video_args import BadArgs, clean_video_args

Given = Mapping[str, Any]


class Script:
    """Plays the planner turns of a vector; a null or missing turn is a planner that failed."""

    def __init__(self, turns: list[dict[str, Any] | None]) -> None:
        self.turns = list(turns)
        self.results: dict[str, dict[str, Any]] = {}
        self.sent: list[Message] = []

    async def send(self, message: Message) -> Turn | PlannerDied:
        """The next turn."""
        self.sent.append(message)
        turn = self.turns.pop(0) if self.turns else None
        if turn is None:
            return PlannerDied()
        calls = []
        for spec in turn.get("tool_calls") or ():
            call = ToolCall(id=f"call_{len(self.results)}", name=spec["name"])
            self.results[call.id] = spec["result"]
            calls.append(call)
        return Turn(turn.get("text") or "", tuple(calls))

    async def execute(self, call: ToolCall) -> Observation:
        """The result the vector gives to a call."""
        result = self.results[call.id]
        kind = result.get("failure_kind")
        return Observation(
            call_id=call.id, tool=call.name, ok=bool(result["success"]), text="", failure_kind=kind
        )


def run_react_loop(given: Given, mode: str) -> dict[str, Any]:
    """The scripted loop: answer, reason, iterations, tool calls, kinds of messages sent."""
    script = Script(given["turns"])
    limits = LoopLimits(given["max_iterations"], given["max_tool_calls"], given["max_tool_failures"])
    out = asyncio.run(react_loop(script, script.execute, limits, mode=mode))
    return {
        "answer": out.letter,
        "reason": out.reason,
        "iterations": out.iterations,
        "tool_calls": out.tool_calls,
        "inputs": list(out.inputs),
        "deliver_pending_tool_results": out.delivered_pending,
    }


def run_video_args(given: Given, mode: str) -> dict[str, Any]:
    """Cleaned arguments of ``analyze_video``, or why they are refused."""
    clean = clean_video_args(given["args"], given["duration"], given["tool_model"], mode)
    if isinstance(clean, BadArgs):
        return {"ok": False, "failure_kind": "validation", "reason": clean.reason}
    return {"ok": True, **vars(clean)}


VECTORS: dict[str, Callable[[Given, str], Any]] = {
    "final_answer_letter": lambda given, mode: final_answer_letter(given["text"], mode),
    "react_final_letter": lambda given, mode: react_final_letter(given["text"], mode),
    "react_reasoning": lambda given, mode: react_reasoning(given["text"]),
    "react_loop": run_react_loop,
    "analyze_video_args": run_video_args,
    "observation_fields": lambda given, mode: observation_fields(given["text"]),
}
