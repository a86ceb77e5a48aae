"""OpenAI responses, from the wire to an engine call and back: the other form that clients speak (see ``wire``)."""

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

from proofreel.agents._outside.wire import BadCall, hash_of
from proofreel.tools.model_call import Reply

PASSED_ON = {"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_tokens"}
REFUSED = ("stream", "previous_response_id", "conversation", "background", "prompt", "top_logprobs")


def settings_of(body: dict[str, Any]) -> dict[str, Any]:
    """Generation settings that are passed on.

    Raises:
        BadCall: a setting that would silently change what the agent gets if it were dropped.
    """
    for name in REFUSED:
        if body.get(name):
            raise BadCall(f"{name} is not served here")
    if ((body.get("text") or {}).get("format") or {"type": "text"}) != {"type": "text"}:
        raise BadCall("text.format is not served here")
    return {ours: body[theirs] for theirs, ours in PASSED_ON.items() if body.get(theirs) is not None}


def tools_of(body: dict[str, Any]) -> list[Any]:
    """The tools a request offers, in the engine's form.

    Raises:
        BadCall: a tool that the provider would run itself.
    """
    from proofreel.models.schema import ToolSchema, tool_info

    infos = []
    for tool in body.get("tools") or ():
        if tool.get("type") != "function" or not tool.get("name"):
            raise BadCall("every tool must be a function with a name")
        parameters = tool.get("parameters") or {"type": "object", "properties": {}}
        infos.append(tool_info(ToolSchema(tool["name"], tool.get("description") or "", parameters)))
    return infos


def choice_of(body: dict[str, Any]) -> Any:
    """``tool_choice`` in the engine's words."""
    wanted = body.get("tool_choice")
    if isinstance(wanted, dict):
        from inspect_ai.tool import ToolFunction

        return ToolFunction(name=str(wanted.get("name")))
    return {"required": "any", "auto": "auto", "none": "none"}.get(str(wanted)) if wanted else None


async def messages_of(body: dict[str, Any]) -> list[Any]:
    """The conversation in the engine's form.

    Raises:
        BadCall: no input, or not in the form of responses.
    """
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, messages_from_openai_responses

    given = body.get("input")
    if not given or not isinstance(given, str | list):
        raise BadCall("input must be a text or a list with at least one item")
    list(images_of(body))
    try:
        messages: list[Any] = (
            [ChatMessageUser(content=given)]
            if isinstance(given, str)
            else list(await messages_from_openai_responses(given))
        )
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise BadCall(f"input is not a list of response items ({said})") from error
    if body.get("instructions"):
        messages.insert(0, ChatMessageSystem(content=str(body["instructions"])))
    return messages


def images_of(body: dict[str, Any]) -> Iterator[str]:
    """SHA-256 of each picture in a request, in order.

    Raises:
        BadCall: a picture that is an address: nothing is fetched for an agent.
    """
    given = body.get("input")
    for item in given if isinstance(given, list) else ():
        content = item.get("content", item.get("output")) if isinstance(item, dict) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "input_image":
                yield hash_of(str(part.get("image_url")))


def completion(reply: Reply, model: str) -> dict[str, Any]:
    """A reply as a response object."""
    output: list[dict[str, Any]] = []
    if reply.text:
        text = {"type": "output_text", "text": reply.text, "annotations": []}
        named = {"id": f"msg_{uuid.uuid4().hex[:16]}", "type": "message", "role": "assistant"}
        output.append({**named, "status": "completed", "content": [text]})
    for call, _ in reply.calls:
        asked = {"name": call.name, "arguments": json.dumps(call.arguments), "status": "completed"}
        output.append(
            {"id": f"fc_{uuid.uuid4().hex[:16]}", "type": "function_call", "call_id": call.id, **asked}
        )
    kind = "" if reply.failure is None else reply.failure.kind.value
    why = {"truncated": "max_output_tokens", "filtered": "content_filter"}.get(kind)
    use = reply.tokens
    return {
        "id": f"resp_{uuid.uuid4().hex[:16]}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
        "error": None,
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": use.prompt,
            "input_tokens_details": {"cached_tokens": use.cached},
            "output_tokens": use.completion,
            "output_tokens_details": {"reasoning_tokens": use.reasoning},
            "total_tokens": use.total,
        },
    }
