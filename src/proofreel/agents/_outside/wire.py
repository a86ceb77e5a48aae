"""OpenAI chat completions, from the wire to an engine call and back. Pure but for the engine's own converter."""

import base64
import hashlib
import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

from proofreel.tools.model_call import Reply

PASSED_ON = {
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
}
REFUSED = ("response_format", "logprobs", "functions", "audio")


class BadCall(Exception):  # noqa: N818  the name says what happened
    """A request the endpoint cannot serve; the message is told to the agent."""

    def __init__(self, message: str, code: str = "invalid_request_error") -> None:
        self.code = code
        super().__init__(message)


def settings_of(body: dict[str, Any]) -> dict[str, Any]:
    """Generation settings that are passed on.

    Raises:
        BadCall: a setting that would silently change what the agent gets if it were dropped.
    """
    for name in REFUSED:
        if body.get(name) and body[name] != {"type": "text"}:
            raise BadCall(f"{name} is not served here")
    if (body.get("n") or 1) != 1:
        raise BadCall("n other than 1 is not served here")
    config = {ours: body[theirs] for theirs, ours in PASSED_ON.items() if body.get(theirs) is not None}
    if body.get("stop"):
        config["stop_seqs"] = [body["stop"]] if isinstance(body["stop"], str) else list(body["stop"])
    return config


def tools_of(body: dict[str, Any]) -> list[Any]:
    """The tools a request offers, in the engine's form."""
    from proofreel.models.schema import ToolSchema, tool_info

    infos = []
    for tool in body.get("tools") or ():
        function = tool.get("function") or {}
        if tool.get("type") != "function" or not function.get("name"):
            raise BadCall("every tool must be a function with a name")
        parameters = function.get("parameters") or {"type": "object", "properties": {}}
        infos.append(tool_info(ToolSchema(function["name"], function.get("description") or "", parameters)))
    return infos


def choice_of(body: dict[str, Any]) -> Any:
    """``tool_choice`` in the engine's words."""
    wanted = body.get("tool_choice")
    if isinstance(wanted, dict):
        from inspect_ai.tool import ToolFunction

        return ToolFunction(name=str((wanted.get("function") or {}).get("name")))
    return {"required": "any", "auto": "auto", "none": "none"}.get(str(wanted)) if wanted else None


async def messages_of(body: dict[str, Any]) -> list[Any]:
    """The conversation in the engine's form.

    Raises:
        BadCall: no messages, or not in the form of chat completions.
    """
    from inspect_ai.model import messages_from_openai

    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadCall("messages must be a list with at least one message")
    list(images_of(body))
    try:
        return list(await messages_from_openai(messages))
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise BadCall(f"messages are not chat messages ({said})") from error


def images_of(body: dict[str, Any]) -> Iterator[str]:
    """SHA-256 of each picture in a request, in order.

    Raises:
        BadCall: a picture that is an address: nothing is fetched for an agent.
    """
    for message in body.get("messages") or ():
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict) or part.get("type") != "image_url":
                continue
            place = part.get("image_url")
            yield hash_of(str(place.get("url") if isinstance(place, dict) else place))


def hash_of(url: str) -> str:
    """SHA-256 of the picture in a data address.

    Raises:
        BadCall: it is another kind of address, or broken.
    """
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:image/") or ";base64" not in head:
        raise BadCall("a picture must be a data:image/...;base64 address; nothing is fetched here")
    try:
        return hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest()
    except ValueError:
        raise BadCall("a picture is not valid base64") from None


def completion(reply: Reply, model: str) -> dict[str, Any]:
    """A reply as a chat completion object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(c.arguments)},
            }
            for c, _ in reply.calls
        ]
    cut = {"truncated": "length", "filtered": "content_filter"}
    kind = "" if reply.failure is None else reply.failure.kind.value
    use = reply.tokens
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:16]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": cut.get(kind, "tool_calls" if reply.calls else "stop"),
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": use.prompt,
            "completion_tokens": use.completion,
            "total_tokens": use.total,
            "prompt_tokens_details": {"cached_tokens": use.cached},
            "completion_tokens_details": {"reasoning_tokens": use.reasoning},
        },
    }


def as_stream(whole: dict[str, Any]) -> Iterator[str]:
    """The same completion for clients that want a stream: all of it in one piece."""
    (choice,) = whole["choices"]
    message = choice["message"]
    calls = [{"index": i, **c} for i, c in enumerate(message.get("tool_calls") or ())]
    delta = {
        "role": "assistant",
        "content": message["content"] or "",
        **({"tool_calls": calls} if calls else {}),
    }
    head = {k: whole[k] for k in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    for piece in (
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [last], "usage": whole["usage"]},
    ):
        yield f"data: {json.dumps(head | piece)}\n\n"
    yield "data: [DONE]\n\n"
