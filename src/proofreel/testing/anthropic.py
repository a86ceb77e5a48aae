"""Anthropic messages on a loopback port."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

from proofreel.testing.replies import Empty, Filtered, LengthStop, Reply, Text, ToolCalls, Usage
from proofreel.testing.server import Request, Response, ScriptedServer, as_json


class AnthropicServer(ScriptedServer):
    """Speaks ``/v1/messages``, as a whole answer or, where the request asks for it, as an event stream."""

    def key_of(self, request: Request) -> str | None:
        """The ``x-api-key`` header."""
        return request.headers.get("x-api-key")

    def error(self, status: int, message: str, code: str | None = None) -> Response:
        """An Anthropic error object."""
        kinds = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
        return as_json(
            status,
            {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}},
        )

    def overflow(self) -> Response:
        """The 400 of a prompt that does not fit."""
        return self.error(400, "prompt is too long: 999999 tokens > 200000 maximum")

    def render(self, reply: Reply, request: Request) -> Response:
        """A message object."""
        content: list[dict[str, Any]] = []
        stop, usage = "end_turn", Usage()
        match reply:
            case Text(text=text, usage=usage):
                content = [{"type": "text", "text": text}]
            case ToolCalls(calls=calls, text=text, usage=usage):
                content = [{"type": "text", "text": text}] if text else []
                content += [
                    {
                        "type": "tool_use",
                        "id": f"toolu_{uuid.uuid4().hex[:12]}",
                        "name": c.name,
                        "input": c.arguments,
                    }
                    for c in calls
                ]
                stop = "tool_use"
            case LengthStop(text=text, usage=usage):
                content, stop = [{"type": "text", "text": text}], "max_tokens"
            case Filtered(usage=usage):
                stop = "refusal"
            case Empty(usage=usage):
                pass
        message: dict[str, Any] = {
            "id": f"msg_{uuid.uuid4().hex[:12]}",
            "type": "message",
            "role": "assistant",
            "model": str(request.json.get("model", "")),
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.prompt - usage.cached,
                "cache_read_input_tokens": usage.cached,
                "cache_creation_input_tokens": 0,
                "output_tokens": usage.completion,
            },
        }
        if not request.json.get("stream"):
            return as_json(200, message)
        events = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in _events(message))
        return Response(200, events.encode(), {"content-type": "text/event-stream"})


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The stream form of a message: start, one start/delta/stop for each block, final usage, stop."""
    usage = message["usage"]
    empty = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 0}}
    yield {"type": "message_start", "message": empty}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            opened, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opened = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": opened}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}
