"""AgentVidBench's agent: answers, tool arguments, JSON actions, the loop and the transcript tool."""

import asyncio
from typing import Any

from proofreel.agents._react_loop import LoopLimits, Message, PlannerDied, Turn, react_loop
from proofreel.agents.answers import final_answer_letter, react_final_letter, react_reasoning
from proofreel.core import Observation, ToolCall
from proofreel.models.json_action import observation_fields, parse_action
from proofreel.parity.runner import adapter
from proofreel.tools._video_args import BadArgs, clean_video_args
from proofreel.video._srt import parse_srt
from proofreel.video.transcript import Cue, window_cues

Row = dict[str, Any]


@adapter("final_answer_letter")
def _final(row: Row, mode: str) -> Any:
    return final_answer_letter(row["text"], mode)


@adapter("react_final_letter")
def _react(row: Row, mode: str) -> Any:
    return react_final_letter(row["text"], mode)


@adapter("react_reasoning")
def _reasoning(row: Row, mode: str) -> Any:
    return react_reasoning(row["text"])


@adapter("analyze_video_args")
def _arguments(row: Row, mode: str) -> Any:
    got = clean_video_args(row["args"], row["duration"], row["tool_model"], mode)
    if isinstance(got, BadArgs):
        return {"ok": False, "failure_kind": "validation", "reason": got.reason}
    return {"ok": True, **vars(got)}


@adapter("json_action")
def _action(row: Row, mode: str) -> Any:
    action = parse_action(row["text"], row["tool_names"], row["thinking"])
    if action.name is not None:
        return {"kind": "tool", "name": action.name, "arguments": action.arguments}
    return {"kind": "none"} | ({"answer_passthrough": action.answer} if action.answer else {})


@adapter("observation_fields")
def _observation(row: Row, mode: str) -> Any:
    return observation_fields(row["text"])


@adapter("parse_srt")
def _srt(row: Row, mode: str) -> Any:
    return parse_srt(row["text"], mode)  # type: ignore[arg-type]


@adapter("transcript_window")
def _window(row: Row, mode: str) -> Any:
    cues = window_cues([Cue(**s) for s in row["segments"]], row["start_time"], row["end_time"])
    return [{"start": c.start, "end": c.end, "text": c.text} for c in cues]


class _Script:
    """Plays the planner turns and tool results of a vector."""

    def __init__(self, turns: list[Row | None]) -> None:
        self.turns = list(turns)
        self.results: dict[str, Row] = {}

    async def send(self, message: Message) -> Turn | PlannerDied:
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


@adapter("react_loop")
def _loop(row: Row, mode: str) -> Any:
    script = _Script(row["turns"])
    limits = LoopLimits(row["max_iterations"], row["max_tool_calls"], row["max_tool_failures"])
    out = asyncio.run(react_loop(script, script.execute, limits, mode=mode))
    got: Row = {"answer": out.letter, "reason": out.reason, "iterations": out.iterations}
    got |= {"tool_calls": out.tool_calls, "inputs": out.inputs}
    # The published loop has no such thing; the vectors name it only where it is recommended.
    return got | {"deliver_pending_tool_results": True} if out.delivered_pending else got
