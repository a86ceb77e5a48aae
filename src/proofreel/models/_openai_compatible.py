"""OpenAI-compatible servers (vLLM and kin) with ``video_url`` parts."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from proofreel.models._expand import VideoPart
from proofreel.models._late import LateBody, with_frames
from proofreel.models.compat import (
    VideoOptions,
    VideoRoute,
    all_placed,
    openai_compatible_base,
    pending_videos,
    vllm_base,
)


def video_url(part: VideoPart) -> str:
    """``data:video/mp4`` for a clip, ``data:video/jpeg`` with comma-joined pictures for frames."""
    if part.frames is not None:
        joined = ",".join(base64.b64encode(j).decode("ascii") for j in part.frames.jpegs)
        return f"data:video/jpeg;base64,{joined}"
    return "data:video/mp4;base64," + base64.b64encode(part.data).decode("ascii")


def request_extras(parts: list[VideoPart], options: VideoOptions) -> dict[str, Any]:
    """vLLM's request fields that make the server look at exactly the frames we cut.

    A clip was already cut at its rate: the server reads all of its frames (``num_frames`` -1) at that rate. Both
    settings hold for the whole request, so clips of different rates get none.
    """
    rates = {p.fps for p in parts}
    processor: dict[str, Any] = {}
    if len(rates) == 1 and (rate := next(iter(rates))) is not None:
        processor = {"fps": rate, "do_sample_frames": all(p.frames is None for p in parts)}
    reading: dict[str, Any] = {"video": {"num_frames": -1}} if any(p.frames is None for p in parts) else {}
    extras = {
        "mm_processor_kwargs": processor | options.mm_processor_kwargs,
        "media_io_kwargs": reading | options.media_io_kwargs,
    }
    return {k: v for k, v in extras.items() if v}


def with_videos(request: dict[str, Any], options: VideoOptions) -> dict[str, Any]:
    """The request with videos in the places of their markers; unchanged when there are none.

    Raises:
        ModelFailure: a video did not find its place.
    """
    pending = pending_videos()
    if not pending:
        return request
    placed: list[str] = []
    messages = []
    for message in request["messages"]:
        content = message.get("content")
        if isinstance(content, list):
            content = [_swapped(part, pending, placed) for part in content]
        messages.append({**message, "content": content})
    all_placed(pending, placed)
    extras = request_extras([pending[m] for m in placed], options)
    body = {**extras, **(request.get("extra_body") or {})}
    return {**request, "messages": messages} | ({"extra_body": body} if body else {})


def _swapped(part: Any, pending: dict[str, VideoPart], placed: list[str]) -> Any:
    if not isinstance(part, dict) or part.get("type") != "text" or part.get("text") not in pending:
        return part
    placed.append(part["text"])
    return {"type": "video_url", "video_url": {"url": video_url(pending[part["text"]])}}


class _Send(VideoRoute):
    """The last step before the wire, shared by both bases."""

    client: Any
    late_frames = True

    def initialize(self) -> None:
        super().initialize()  # type: ignore[misc]
        self.client.max_retries = 0  # one layer retries and counts: the engine

    def tools_to_openai(self, tools: Any) -> Any:
        offered = super().tools_to_openai(tools)  # type: ignore[misc]
        for tool in offered:
            tool["function"]["strict"] = False  # strict mode refuses optional arguments
        return offered

    async def _generate_completion(self, request: dict[str, Any], config: Any) -> Any:
        ready = with_videos(request, self.video_options)
        if self.resolve_stream(config):  # type: ignore[attr-defined]
            return await super()._generate_completion(with_frames(ready), config)  # type: ignore[misc]
        return await _post(self.client, ready)


async def _post(client: Any, request: dict[str, Any]) -> Any:
    """The same request without the SDK's walk over every part, its frames put in as it goes out."""
    from openai import NotGiven, Omit
    from openai.types.chat import ChatCompletion

    body = {
        k: v
        for k, v in request.items()
        if k not in ("extra_headers", "extra_body", "extra_query", "timeout")
        and not isinstance(v, NotGiven | Omit)
    }
    content = LateBody(body | (request.get("extra_body") or {}))
    headers = {"Content-Type": "application/json", "Content-Length": str(len(content))}
    options: dict[str, Any] = {"headers": headers | (request.get("extra_headers") or {})}
    if request.get("timeout") is not None:
        options["timeout"] = request["timeout"]
    try:
        return await client.post(
            "/chat/completions", cast_to=ChatCompletion, content=content, options=options
        )
    finally:
        content.drop()


@cache
def openai_compatible_class() -> Any:
    """The engine's OpenAI-compatible provider with video."""
    return type("ProofreelOpenAICompatibleAPI", (_Send, openai_compatible_base()), {})


@cache
def vllm_class() -> Any:
    """The engine's vLLM provider with video."""
    return type("ProofreelVLLMAPI", (_Send, vllm_base()), {})
