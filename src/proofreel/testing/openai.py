"""OpenAI chat completions and responses, and servers that speak them (vLLM and kin)."""

import json
import time
import uuid
from typing import Any

from proofreel.testing.replies import Empty, Filtered, LengthStop, Reply, Text, ToolCalls, Usage
from proofreel.testing.server import Request, Response, ScriptedServer, as_json


class OpenAIServer(ScriptedServer):
    """Speaks ``/v1/chat/completions``, ``/v1/responses`` and ``/v1/models``."""

    context = 4096

    @property
    def url(self) -> str:
        """Base URL ending in ``/v1``."""
        return f"{self.root}/v1"

    def side_route(self, request: Request) -> Response | None:
        """The model list."""
        if request.method != "GET":
            return None
        entry = {"id": "scripted", "object": "model", "max_model_len": self.context}
        return as_json(200, {"object": "list", "data": [entry]})

    def error(self, status: int, message: str, code: str | None = None) -> Response:
        """An OpenAI error object."""
        return as_json(status, {"error": {"message": message, "type": code, "param": None, "code": code}})

    def overflow(self) -> Response:
        """The 400 of a prompt that does not fit."""
        said = (
            f"This model's maximum context length is {self.context} tokens. However, your messages resulted "
            "in 999999 tokens. Please reduce the length of the messages."
        )
        return self.error(400, said, "context_length_exceeded")

    def render(self, reply: Reply, request: Request) -> Response:
        """A chat completion, or a response object on the responses route."""
        model = str(request.json.get("model", ""))
        if request.path.split("?")[0].endswith("/responses"):
            return as_json(200, _response(reply, model))
        return as_json(200, _completion(reply, model))


def _parts(reply: Reply) -> tuple[str, list[dict[str, Any]], str, Usage]:
    match reply:
        case Text(text=text, usage=usage):
            return text, [], "stop", usage
        case ToolCalls(calls=calls, text=text, usage=usage):
            wire = [
                {
                    "name": c.name,
                    "arguments": c.arguments if isinstance(c.arguments, str) else json.dumps(c.arguments),
                }
                for c in calls
            ]
            return text, wire, "tool_calls", usage
        case LengthStop(text=text, usage=usage):
            return text, [], "length", usage
        case Filtered(usage=usage):
            return "", [], "content_filter", usage
        case Empty(usage=usage):
            return "", [], "stop", usage
    raise ValueError(f"no completion form for {reply!r}")


def _completion(reply: Reply, model: str) -> dict[str, Any]:
    text, calls, finish, usage = _parts(reply)
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": c} for c in calls
        ]
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:12]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        },
    }


def _response(reply: Reply, model: str) -> dict[str, Any]:
    text, calls, finish, usage = _parts(reply)
    output: list[dict[str, Any]] = []
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        output.append(
            {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
        )
    for call in calls:
        ident = uuid.uuid4().hex[:12]
        output.append(
            {"id": f"fc_{ident}", "type": "function_call", "call_id": f"call_{ident}", "status": "completed"}
            | call
        )
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(finish)
    return {
        "id": f"resp_{uuid.uuid4().hex[:12]}",
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
            "input_tokens": usage.prompt,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.completion,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.prompt + usage.completion,
        },
    }
