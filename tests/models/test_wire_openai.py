"""What really goes over the wire to OpenAI and to servers that speak its language."""

from __future__ import annotations

import json

import pytest
from tests.models.wire import ask, decoded, sha256

from proofreel.models import ToolSchema, media_message, resolve_model, tool_info
from proofreel.testing import Call, OpenAIServer, Text, ToolCalls, Usage
from proofreel.video import At, Uniform

QUESTION = "Which colour is the bar?"
WATCH = ToolSchema(
    "watch",
    "Look at a window.",
    {
        "type": "object",
        "properties": {
            "start": {"type": "number", "description": "seconds"},
            "detail": {"type": "string", "enum": ["low", "high"], "default": "low"},
        },
        "required": ["start"],
    },
)


def chat(server: OpenAIServer, ledger):
    return resolve_model("openai-api/local/some-model", base_url=server.url, ledger=ledger)


def test_images_alternate_with_their_true_times_and_precede_the_question(frames, ledger):
    ref = frames(At((0.0, 1.24, 12.5, 39.9)), height=64)
    with OpenAIServer(
        [Text("red", usage=Usage(prompt=900, completion=7, reasoning=3, cached=100))]
    ) as server:
        record = ask(chat(server, ledger), [media_message(QUESTION, [ref], detail="low")])
        (request,) = server.requests
    body = request.json
    assert body["model"] == "some-model"
    (message,) = body["messages"]
    kinds = [p["type"] for p in message["content"]]
    assert kinds == ["text", "image_url"] * 4 + ["text"]
    # the clip has 10 frames a second: the frame on screen at 1.24 s began at 1.20 s, the one at 39.9 s is the last
    assert [p["text"] for p in message["content"][::2]] == [
        "[t=0.00 s]",
        "[t=1.20 s]",
        "[t=12.50 s]",
        "[t=39.90 s]",
        QUESTION,
    ]
    images = [p["image_url"] for p in message["content"] if p["type"] == "image_url"]
    assert [i["detail"] for i in images] == ["low"] * 4
    assert all(i["url"].startswith("data:image/jpeg;base64,/9j/") for i in images)
    (entry,) = ledger.entries
    assert [f.sha256 for f in entry.frames] == [sha256(decoded(i["url"])) for i in images]
    assert entry.call_id == record.call_id
    assert entry.ref_id == ref.id == record.media[0]
    assert record.text == "red"
    assert (record.tokens.prompt, record.tokens.completion) == (900, 7)
    assert (record.tokens.reasoning, record.tokens.cached) == (3, 100)
    assert record.tokens.cost_usd is None  # no card, no price


def test_media_after_the_text_when_asked(frames, ledger):
    with OpenAIServer([Text("ok")]) as server:
        ask(chat(server, ledger), [media_message(QUESTION, [frames(Uniform(2))], media_first=False)])
        content = server.requests[0].json["messages"][0]["content"]
    assert content[0] == {"type": "text", "text": QUESTION}
    assert [p["type"] for p in content] == ["text", "text", "image_url", "text", "image_url"]


def test_tools_are_not_strict_and_optional_arguments_stay_optional(ledger):
    with OpenAIServer([ToolCalls((Call("watch", {"start": 3}),))]) as server:
        record = ask(chat(server, ledger), "go", tools=[tool_info(WATCH)])
        body = server.requests[0].json
    (tool,) = body["tools"]
    function = tool["function"]
    assert function["strict"] is False
    assert function["name"] == "watch"
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "start": {"type": "number", "description": "seconds"},
            "detail": {"type": "string", "enum": ["low", "high"], "default": "low"},
        },
        "required": ["start"],
        "additionalProperties": False,
    }
    assert body["tool_choice"] == "auto"
    (call,) = record.output.message.tool_calls
    assert (call.function, call.arguments) == ("watch", {"start": 3})
    assert record.stop is None


def test_media_after_tool_results_goes_in_a_user_message(frames, ledger):
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser
    from inspect_ai.tool import ToolCall

    ref = frames(At((2.0,)))
    history = [
        ChatMessageUser(content="start"),
        ChatMessageAssistant(
            content="", tool_calls=[ToolCall(id="c1", function="watch", arguments={"start": 2})]
        ),
        ChatMessageTool(content="one frame follows", tool_call_id="c1", function="watch"),
        media_message("from watch", [ref]),
    ]
    with OpenAIServer([Text("seen")]) as server:
        ask(chat(server, ledger), history, tools=[tool_info(WATCH)])
        messages = server.requests[0].json["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "user"]
    assert messages[2] == {"role": "tool", "tool_call_id": "c1", "content": "one frame follows"}
    assert [p["type"] for p in messages[3]["content"]] == ["text", "image_url", "text"]
    assert messages[3]["content"][0]["text"] == "[t=2.00 s]"
    # the conversation itself still holds the reference only
    assert "base64" not in json.dumps([m.model_dump(mode="json") for m in history])


def test_every_call_records_the_references_it_repeats(frames, ledger):
    first, second = media_message("a", [frames(At((1.0,)))]), media_message("b", [frames(At((2.0,)))])
    with OpenAIServer([Text("x"), Text("y")]) as server:
        model = chat(server, ledger)
        one = ask(model, [first])
        two = ask(model, [first, second])
    assert [e.call_id for e in ledger.entries] == [one.call_id, two.call_id, two.call_id]
    assert [e.frames[0].time for e in ledger.entries] == [1.0, 1.0, 2.0]


def test_gpt5_uses_the_responses_form_with_times_detail_and_loose_tools(frames, ledger):
    ref = frames(Uniform(3), height=64)
    with OpenAIServer([Text("B", usage=Usage(prompt=1000, completion=100))]) as server:
        model = resolve_model("openai/gpt-5", base_url=server.url, ledger=ledger)
        record = ask(model, [media_message(QUESTION, [ref], detail="low")], tools=[tool_info(WATCH)])
        (request,) = server.requests  # one request: no hidden probe
    assert request.path == "/v1/responses"
    content = request.json["input"][0]["content"]
    assert [p["type"] for p in content] == ["input_text", "input_image"] * 3 + ["input_text"]
    assert {p["detail"] for p in content if p["type"] == "input_image"} == {"low"}
    (tool,) = request.json["tools"]
    assert tool["strict"] is False
    assert tool["parameters"]["required"] == ["start"]
    sent = [sha256(decoded(p["image_url"])) for p in content if p["type"] == "input_image"]
    assert sent == [f.sha256 for f in ledger.entries[0].frames]
    # 1000 tokens in at 1.25 and 100 out at 10 dollars a million
    assert record.tokens.cost_usd == pytest.approx(0.00125 + 0.001)


def test_a_reference_in_a_tool_result_is_refused_before_anything_is_sent(frames):
    from inspect_ai.model import ChatMessageTool

    from proofreel.models import FailureKind, ModelFailure, media_part

    with OpenAIServer([Text("never")]) as server:
        bad = ChatMessageTool(content=[media_part(frames(Uniform(1)))], tool_call_id="c", function="f")
        with pytest.raises(ModelFailure, match="append a user message") as caught:
            ask(chat(server, None), [bad])
        assert server.count == 0
    assert caught.value.kind is FailureKind.PAYLOAD
