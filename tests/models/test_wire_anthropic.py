"""What really goes over the wire to Anthropic."""

from __future__ import annotations

import pytest
from tests.models.test_wire_openai import WATCH
from tests.models.wire import ask, decoded, sha256

from proofreel.models import media_message, resolve_model, tool_info
from proofreel.testing import AnthropicServer, Call, Text, ToolCalls, Usage
from proofreel.video import Uniform


@pytest.mark.parametrize("limit", [1000, 16000])  # above 8192 the engine asks for an event stream
def test_times_images_and_tools(frames, ledger, limit):
    ref = frames(Uniform(3), height=64)
    usage = Usage(prompt=1200, completion=40, cached=200)
    with AnthropicServer([Text("B", usage=usage)]) as server:
        model = resolve_model(
            "anthropic/claude-opus-4-7", base_url=server.url, ledger=ledger, max_tokens=limit
        )
        record = ask(model, [media_message("Which?", [ref])], tools=[tool_info(WATCH)])
        (request,) = server.requests
    body = request.json
    assert request.path.startswith("/v1/messages")
    assert bool(body.get("stream")) is (limit > 8192)
    assert body["max_tokens"] == limit
    content = body["messages"][0]["content"]
    assert [p["type"] for p in content] == ["text", "image"] * 3 + ["text"]
    # 400 frames at 10 fps, first, middle (index 199 of linspace 0..399 truncated) and last
    assert [p["text"] for p in content if p["type"] == "text"] == [
        "[t=0.00 s]",
        "[t=19.90 s]",
        "[t=39.90 s]",
        "Which?",
    ]
    images = [p["source"] for p in content if p["type"] == "image"]
    assert {(i["type"], i["media_type"]) for i in images} == {("base64", "image/jpeg")}
    assert [sha256(decoded(i["data"])) for i in images] == [f.sha256 for f in ledger.entries[0].frames]
    (tool,) = body["tools"]
    assert tool["name"] == "watch"
    assert tool["input_schema"]["required"] == ["start"]
    assert set(tool["input_schema"]["properties"]) == {"start", "detail"}
    assert record.text == "B"
    assert (record.tokens.prompt, record.tokens.cached) == (1200, 200)
    # 1000 fresh at 5, 200 cached at 0.5, 40 out at 25 dollars a million
    assert record.tokens.cost_usd == pytest.approx(0.005 + 0.0001 + 0.001)


def test_tool_calls_come_back(ledger):
    with AnthropicServer([ToolCalls((Call("watch", {"start": 1}), Call("watch", {"start": 9})))]) as server:
        model = resolve_model("anthropic/claude-opus-4-7", base_url=server.url, max_tokens=500)
        record = ask(model, "go", tools=[tool_info(WATCH)])
    assert [c.arguments for c in record.output.message.tool_calls] == [{"start": 1}, {"start": 9}]
    assert record.stop is None


def test_a_clip_becomes_frames_and_the_record_says_so(piece, ledger):
    with AnthropicServer([Text("ok")]) as server:
        model = resolve_model("anthropic/claude-opus-4-7", base_url=server.url, ledger=ledger, max_tokens=500)
        record = ask(model, [media_message("Which?", [piece(4.0, 7.0, fps=1.0)])])
        content = server.requests[0].json["messages"][0]["content"]
    assert [p["text"] for p in content if p["type"] == "text"][:3] == [
        "[t=4.00 s]",
        "[t=5.00 s]",
        "[t=6.00 s]",
    ]
    assert ledger.entries[0].ref.kind == "frames"
    assert any("takes no video" in n for n in record.notes)
