"""AgentVidBench's agent: answers, tool arguments, reports, the loop, JSON actions and the transcript."""

from typing import Any

from proofreel.agents.vectors import VECTORS
from proofreel.models.json_action import parse_action
from proofreel.parity.runner import Adapter, adapter
from proofreel.video._srt import parse_srt
from proofreel.video.transcript import Cue, window_cues

Row = dict[str, Any]


@adapter("react_loop")
def _loop(row: Row, mode: str) -> Any:
    got = VECTORS["react_loop"](row, mode)
    # The published loop knows no such thing; the vectors name it only where it is recommended.
    if not got["deliver_pending_tool_results"]:
        del got["deliver_pending_tool_results"]
    return got


def _register(name: str) -> None:
    run: Adapter = VECTORS[name]
    adapter(name)(run)


for _name in VECTORS.keys() - {"react_loop"}:
    _register(_name)


@adapter("json_action")
def _action(row: Row, mode: str) -> Any:
    action = parse_action(row["text"], row["tool_names"], row["thinking"])
    if action.name is not None:
        return {"kind": "tool", "name": action.name, "arguments": action.arguments}
    return {"kind": "none"} | ({"answer_passthrough": action.answer} if action.answer else {})


@adapter("parse_srt")
def _srt(row: Row, mode: str) -> Any:
    return parse_srt(row["text"], mode)  # type: ignore[arg-type]


@adapter("transcript_window")
def _window(row: Row, mode: str) -> Any:
    cues = window_cues([Cue(**s) for s in row["segments"]], row["start_time"], row["end_time"])
    return [{"start": c.start, "end": c.end, "text": c.text} for c in cues]
