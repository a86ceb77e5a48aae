"""The published vectors of answers, tool arguments, reports and the Video-ReAct loop, in both modes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from proofreel.agents._react_loop import LoopLimits, react_loop
from proofreel.agents.vectors import VECTORS, Script

FILES = Path(__file__).parents[1] / "parity"
NAMES = ("avb_final_answer", "avb_react_answer", "avb_react_loop", "avb_tool_args", "avb_json_action")


def vectors() -> list[Any]:
    lines = [x for name in NAMES for x in (FILES / f"{name}.jsonl").read_text("utf-8").splitlines()]
    ours = [case for x in lines if (case := json.loads(x))["fn"] in VECTORS]
    return [pytest.param(c, mode, id=f"{c['id']}-{mode}") for c in ours for mode in ("official", "careful")]


def test_every_function_has_vectors() -> None:
    assert {p.values[0]["fn"] for p in vectors()} == set(VECTORS)


@pytest.mark.parametrize(("case", "mode"), vectors())
def test_vector(case: dict[str, Any], mode: str) -> None:
    got = VECTORS[case["fn"]](case["input"], mode)
    want = case["expected"]
    if mode == "careful" and case.get("quirk"):
        want = case["recommended"]
        if isinstance(want, dict):
            got = {key: got.get(key) for key in want}
    elif case["fn"] == "react_loop":
        del got["deliver_pending_tool_results"]
    assert got == want


CALL = {"name": "analyze_video", "result": {"success": True}}
TURNS = [
    {"text": "", "tool_calls": [CALL] * 3},
    {"text": "", "tool_calls": [CALL]},
    {"text": '{"answer":"C"}'},
]


def test_careful_delivers_results_with_the_budget_notice_and_refuses_more_calls() -> None:
    script = Script(TURNS)
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(20, 2), mode="careful"))
    assert (out.letter, out.tool_calls) == ("C", 2)
    notice = script.sent[1]
    assert notice.kind == "budget_exhausted"
    assert [r.failure_kind for r in notice.results] == [None, None, "budget"]
    assert [r.failure_kind for r in script.sent[2].results] == ["budget"]


def test_official_drops_results_behind_the_notice_and_runs_every_call() -> None:
    script = Script(TURNS)
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(20, 2), mode="official"))
    assert out.tool_calls == 4
    assert script.sent[1].results == ()
    assert len(script.sent[1].dropped) == 3


def test_another_budget_closes_the_loop_after_one_last_question() -> None:
    script = Script([{"text": "", "tool_calls": [CALL]}, {"text": "thinking..."}, {"text": '{"answer":"C"}'}])
    spent = iter([None, "tokens", "tokens"])
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(), spent=lambda: next(spent)))
    assert (out.letter, out.iterations) == (None, 2)
    assert out.why.startswith("budget of tokens used up")


def test_the_last_iteration_asks_for_the_answer() -> None:
    script = Script([{"text": "", "tool_calls": [CALL]}] * 2 + [{"text": '{"answer":"C"}'}])
    out = asyncio.run(react_loop(script, script.execute, LoopLimits(iterations=3)))
    assert [m.final for m in script.sent] == [False, False, True]
    assert (out.letter, out.stop.value) == ("C", "forced")
