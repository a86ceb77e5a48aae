"""Tool calls for models that have none: a prompt, a pure parser, and a JSON schema for servers that can force one.

The parser follows AgentVidBench's prompt-only adapter (protocol section 4.2, vectors ``avb_json_action``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofreel.models.schema import ToolSchema, provider_schema

if TYPE_CHECKING:
    from inspect_ai.model import ResponseSchema

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
_LEAKS = ("<tool_call>", "<|tool_call>", "<function=", "<parameter=")


@dataclass(frozen=True)
class Action:
    """What a reply asks for.

    Attributes:
        name: the tool, None when the reply is no tool call. Not checked against the tools offered in the
            ``name`` + ``arguments`` form: the loop answers an unknown tool with an error result.
        arguments: as sent; anything but an object becomes an empty one.
        answer: one letter A-Z when the reply is a final answer object instead.
    """

    name: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    answer: str | None = None


def parse_action(text: str, tool_names: Sequence[str], thinking: str = "") -> Action:
    """The action in a reply.

    Looks at the text after the last ``</think>``, or at ``thinking`` when there is no text. The JSON is the
    whole text, else the last fenced block that parses, else the last balanced object, else an object mended
    by closing braces at its end. An object with an ``answer`` key is never a tool call.
    """
    said = text.rsplit("</think>", 1)[-1].strip()
    found = next(_candidates(said or thinking.strip()), None)
    if not isinstance(found, dict):
        return Action()
    if "answer" in found:
        letter = found["answer"]
        valid = isinstance(letter, str) and re.fullmatch("[A-Za-z]", letter.strip())
        return Action(answer=letter.strip().upper() if valid else None)
    if isinstance(found.get("name"), str) and "arguments" in found:
        arguments = found["arguments"]
        return Action(found["name"], arguments if isinstance(arguments, dict) else {})
    first = next((k for k in found if k != "thought"), None)
    if first in tool_names and isinstance(found[first], dict):
        return Action(first, found[first])
    return Action()


def leaked_markup(text: str) -> bool:
    """Whether a reply shows raw tool-call markup, so that it should be asked for again."""
    return any(mark in text for mark in _LEAKS)


def _candidates(text: str) -> Iterator[Any]:
    """JSON values in order of preference; the first one counts, whatever its type."""
    if (whole := _loads(text)) is not _NOTHING:
        yield whole
    for block in reversed(_FENCE.findall(text)):
        if (value := _loads(block.strip())) is not _NOTHING:
            yield value
    closed, opened = _objects(text)
    for piece in reversed(closed):
        if (value := _loads(piece)) is not _NOTHING:
            yield value
    if opened:
        start, depth = opened
        if (value := _loads(text[start:].rstrip("` \n") + "}" * depth)) is not _NOTHING:
            yield value


_NOTHING = object()


def _loads(text: str) -> Any:
    if not text:
        return _NOTHING
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _objects(text: str) -> tuple[list[str], tuple[int, int] | None]:
    """Outermost balanced ``{...}`` pieces, and (start, missing braces) of one that never closes."""
    closed: list[str] = []
    start, depth, quoted, escaped = 0, 0, False, False
    for i, char in enumerate(text):
        if depth and quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            start, depth = (i, 1) if depth == 0 else (start, depth + 1)
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                closed.append(text[start : i + 1])
    return closed, (start, depth) if depth else None


def action_prompt(tools: Sequence[ToolSchema]) -> str:
    """The text that tells a model without tool calls how to use the tools."""
    lines = [
        json.dumps(
            {"name": t.name, "description": t.description, "parameters": provider_schema(t)},
            ensure_ascii=False,
        )
        for t in tools
    ]
    return "\n".join(
        [
            "You can use these tools, one JSON description a line:",
            "<tools>",
            *lines,
            "</tools>",
            "To use a tool, end your reply with one fenced JSON block and nothing after it:",
            "```json",
            '{"name": "<tool name>", "arguments": {"<parameter>": <value>}}',
            "```",
            "One tool per reply. Its result comes in the next message. Leave out parameters you do not need.",
        ]
    )


def tool_result_text(name: str, result: str) -> str:
    """A tool result as the user message that follows in this mode."""
    return f"Result of {name}:\n{result}"


def action_schema(tools: Sequence[ToolSchema], answer: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A JSON schema for one action: ``{"tool": one of the names, "arguments": object}``.

    Args:
        tools: the tools on offer.
        answer: schema of the final answer object, offered as an alternative when given.
    """
    call = {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": [t.name for t in tools]},
            "arguments": {"type": "object"},
        },
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }
    return {"anyOf": [call, dict(answer)]} if answer else call


def action_response_schema(
    tools: Sequence[ToolSchema], answer: Mapping[str, Any] | None = None
) -> ResponseSchema:
    """The same in the engine's form: pass it as ``response_schema`` where the server can force a schema."""
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    schema = JSONSchema.model_validate(action_schema(tools, answer))
    return ResponseSchema(name="action", json_schema=schema)


def parse_constrained(text: str) -> Action:
    """The action in a reply that was forced into ``action_schema``."""
    found = next(_candidates(text.rsplit("</think>", 1)[-1].strip()), None)
    if not isinstance(found, dict):
        return Action()
    if "answer" in found:
        return parse_action(json.dumps(found), ())
    if isinstance(found.get("tool"), str):
        arguments = found.get("arguments")
        return Action(found["tool"], arguments if isinstance(arguments, dict) else {})
    return Action()


_COVERAGE = re.compile(r"\*\*coverage:\*\*\s*(rich|partial|none)\b", re.IGNORECASE)
_CONFIDENCE = re.compile(r"\bconfidence\W{1,6}(high|medium|low)\b", re.IGNORECASE)
_FOCUS = re.compile(r"\*\*focus answer:\*\*\s*(\S[^\n]*)", re.IGNORECASE)


def observation_fields(text: str) -> dict[str, str]:
    """Coverage, focus answer and confidence from a video tool's reply, in the keys of a trajectory record.

    Coverage and focus answer count only under their bold labels (AgentVidBench protocol, section 4.2).
    """
    found: dict[str, str] = {}
    if match := _COVERAGE.search(text):
        found["coverage"] = match[1].lower()
    if match := _FOCUS.search(text):
        found["suggested_answer"] = match[1].strip()
    if match := _CONFIDENCE.search(text):
        found["confidence"] = match[1].lower()
    return found
