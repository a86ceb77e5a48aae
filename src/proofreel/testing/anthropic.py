"""Anthropic messages on a loopback port."""

import uuid
from typing import Any

from proofreel.testing.replies import Empty, Filtered, LengthStop, Reply, Text, ToolCalls, Usage
from proofreel.testing.server import Request, Response, ScriptedServer, as_json


class AnthropicServer(ScriptedServer):
    """Speaks ``/v1/messages``, whole answers (no event stream)."""

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
        return as_json(
            200,
            {
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
            },
        )
