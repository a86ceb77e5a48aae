"""What an agent looked for and what came back, as short lines."""

import json
from dataclasses import dataclass
from typing import Any

from proofreel.core import Observation, ToolCall, Trajectory
from proofreel.report._words import count, shorten


@dataclass(frozen=True)
class Searched:
    """One tool call: its name, what it was asked, what came of it."""

    tool: str
    query: str
    result: str
    failed: bool


def value_text(value: Any) -> str:
    """An argument as people read it: words bare, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call on one line, as ``key=value``."""
    return shorten(", ".join(f"{k}={value_text(v)}" for k, v in call.arguments.items()), 140)


def _result(call: ToolCall, answers: dict[str, Observation]) -> tuple[str, bool]:
    answer = answers.get(call.id)
    if answer is None:
        return "no result", True
    if not answer.ok:
        return f"failed: {(answer.failure_kind or 'error').replace('_', ' ')}", True
    return (count(len(answer.evidence), "finding") if answer.evidence else "no finding"), False


def searched(trajectory: Trajectory) -> list[Searched]:
    """Every tool call in order; equal calls with equal results stand once."""
    answers = {o.call_id: o for s in trajectory.steps for o in s.observations}
    lines = [
        Searched(c.name, arguments_text(c), *_result(c, answers)) for s in trajectory.steps for c in s.calls
    ]
    return list(dict.fromkeys(lines))
