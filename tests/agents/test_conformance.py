"""The published vectors of answers and the Video-ReAct loop, in both modes."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proofreel.agents._react_loop import LoopLimits, Message, PlannerDied, Turn, react_loop
from proofreel.agents.answers import final_answer_letter, react_final_letter, react_reasoning
from proofreel.core import Observation, ToolCall

VECTORS = Path(__file__).parents[1] / "parity"


class Script:
    """Plays the planner turns of a vector."""

    def __init__(self, turns: list[dict[str, Any] | None]) -> None:
        self.turns = list(turns)
        self.results: dict[str, dict[str, Any]] = {}
        self.sent: list[Message] = []

    async def send(self, message: Message) -> Turn | PlannerDied:
        self.sent.append(message)
        turn = self.turns.pop(0) if self.turns else None
        if turn is None:
            return PlannerDied()
        calls = []
        for spec in turn.get("tool_calls", []):
            call = ToolCall(id=f"c{len(self.results)}", name=spec["name"])
            self.results[call.id] = spec["result"]
            calls.append(call)
        return Turn(turn["text"], tuple(calls))

    async def execute(self, call: ToolCall) -> Observation:
        result = self.results[call.id]
        return Observation(
            call_id=call.id,
            tool=call.name,
            ok=result["success"],
            text="seen",
            failure_kind=result.get("failure_kind"),
        )


def loop(given: dict[str, Any], mode: str) -> dict[str, Any]:
    script = Script(given["turns"])
    limits = LoopLimits(given["max_iterations"], given["max_tool_calls"], given["max_tool_failures"])
    out = asyncio.run(react_loop(script, script.execute, limits, mode=mode))
    return {
        "answer": out.letter,
        "reason": out.reason,
        "iterations": out.iterations,
        "tool_calls": out.tool_calls,
        "inputs": out.inputs,
        "deliver_pending_tool_results": out.delivered_pending,
    }


RUN: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "final_answer_letter": lambda i, m: final_answer_letter(i["text"], m),
    "react_final_letter": lambda i, m: react_final_letter(i["text"], m),
    "react_reasoning": lambda i, m: react_reasoning(i["text"]),
    "react_loop": loop,
}


def vectors() -> list[Any]:
    found = []
    for name in ("avb_final_answer", "avb_react_answer", "avb_react_loop"):
        for line in (VECTORS / f"{name}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            found += [pytest.param(case, mode, id=f"{case['id']}-{mode}") for mode in ("official", "careful")]
    return found


@pytest.mark.parametrize(("case", "mode"), vectors())
def test_vector(case: dict[str, Any], mode: str) -> None:
    got = RUN[case["fn"]](case["input"], mode)
    want = case["recommended"] if mode == "careful" and case.get("quirk") else case["expected"]
    if isinstance(want, dict) and isinstance(got, dict):
        got = {key: got.get(key) for key in want}
    assert got == want


def test_careful_delivers_results_with_the_budget_notice_and_refuses_more_calls() -> None:
    call = {"name": "analyze_video", "result": {"success": True}}
    turns = [
        {"text": "", "tool_calls": [call] * 3},
        {"text": "", "tool_calls": [call]},
        {"text": '{"answer":"C"}'},
    ]
    script = Script(turns)
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(20, 2), mode="careful"))
    assert (out.letter, out.tool_calls) == ("C", 2)
    notice = script.sent[1]
    assert notice.kind == "budget_exhausted"
    assert [r.failure_kind for r in notice.results] == [None, None, "budget"]
    assert [r.failure_kind for r in script.sent[2].results] == ["budget"]

    script = Script(turns)
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(20, 2), mode="official"))
    assert out.tool_calls == 4
    assert script.sent[1].results == ()
    assert len(script.sent[1].dropped) == 3
