"""What a turn asks for: one tool call, the answer, or neither (a parse failure). Pure."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["tool", "answer", "parse_failure"]
_TAG = re.compile(r"</?(?:tool_call|answer|tool_response)\b[^<>]*>", re.I)
_OURS = re.compile(r"<(/?)(?=(?:tool_response|tool_call|answer|think)\b)", re.I)
_THINK = re.compile(r"</?think[^<>]*>", re.I)
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.S)


@dataclass(frozen=True)
class Move:
    """A turn, read.

    Attributes:
        kind: what it is.
        think: the reasoning before the action.
        name: tool, as the model names it.
        arguments: as sent.
        call_id: of a native call.
        broken: why the arguments are no object, None when they are one.
        answer: the final answer, not empty.
        error: why it is a parse failure, in a short clause for the model.
    """

    kind: Kind
    think: str = ""
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    call_id: str | None = None
    broken: str | None = None
    answer: str = ""
    error: str = ""


def failure(error: str, think: str = "") -> Move:
    """A turn without a usable action."""
    return Move("parse_failure", think, error=error)


def read_text(text: str) -> Move:
    """The action of a turn in the text protocol.

    Reasoning ends at the last ``</think>``; what follows must hold exactly one ``<tool_call>`` or ``<answer>``. Tags
    inside the reasoning are none. A think tag that is missing is no failure, for many models reason in a channel of
    their own.
    """
    thought, closed, said = text.rpartition("</think>")
    if not closed:
        said = _THINK.sub("", text)
    think = _THINK.sub("", thought).strip()
    tags = [(m[0].lower(), m) for m in _TAG.finditer(said)]
    if not tags:
        what = (
            "the reply is empty" if not said.strip() else "the reply holds neither a tool call nor an answer"
        )
        return failure(f"{what}; write <tool_call>...</tool_call> or <answer>...</answer>", think)
    if any("tool_response" in tag for tag, _ in tags):
        return failure("you wrote <tool_response> yourself; results come from the tools", think)
    opened = [m for tag, m in tags if not tag.startswith("</")]
    if len(opened) > 1:
        return failure(f"there are {len(opened)} actions; give one and wait for its result", think)
    if len(tags) != 2 or tags[1][0] != tags[0][0].replace("<", "</", 1):
        return failure(f"the tag {tags[0][0]} has no partner", think)
    inner = said[tags[0][1].end() : tags[1][1].start()].strip()
    think = think or said[: tags[0][1].start()].strip()
    return _answer(inner, think) if "answer" in tags[0][0] else _tool(inner, think)


def read_native(text: str, calls: list[tuple[str, str, dict[str, Any], str | None]]) -> Move:
    """The action of a turn with native calls.

    Args:
        text: what stands beside the calls.
        calls: (id, name, arguments, why they cannot be read or None).
    """
    if not calls:
        move = read_text(text)
        if move.kind == "tool":
            return failure("call tools through the tool interface, not in text", move.think)
        return move
    if len(calls) > 1:
        return failure(f"there are {len(calls)} tool calls; make one and wait for its result", text.strip())
    id_, name, arguments, broken = calls[0]
    return Move("tool", text.strip(), name, arguments, id_, broken)


def harmless(text: str) -> str:
    """Text of a tool without the tags of the protocol: nothing a page says may look like a turn."""
    return _OURS.sub(r"‹\1", text)


def _answer(inner: str, think: str) -> Move:
    if not inner:
        return failure("the answer is empty", think)
    return Move("answer", think, answer=" ".join(inner.split()))


def _tool(inner: str, think: str) -> Move:
    fenced = _FENCE.fullmatch(inner)
    try:
        call = json.loads(fenced[1] if fenced else inner, strict=False)
    except (ValueError, RecursionError) as error:
        return failure(f"the tool call is not valid JSON ({str(error)[:120]})", think)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not call["name"].strip():
        return failure('the tool call must be {"name": ..., "arguments": {...}}', think)
    arguments, broken = call.get("arguments", {}), None
    if isinstance(arguments, str):  # some models send the object as text
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            broken = "got text that is no JSON"
    if not isinstance(arguments, dict):
        broken, arguments = broken or f"got {type(arguments).__name__}", {}
    return Move("tool", think, call["name"].strip(), arguments, broken=broken)
