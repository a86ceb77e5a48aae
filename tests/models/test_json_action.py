"""Tool calls for models without tool calls: what is around the vectors (those run in tests/parity)."""

from __future__ import annotations

import json

import pytest
from tests.models.wire import ask

from proofreel.models import (
    Action,
    ToolSchema,
    action_prompt,
    action_response_schema,
    action_schema,
    leaked_markup,
    parse_action,
    parse_constrained,
    resolve_model,
)
from proofreel.testing import OpenAIServer, Text

TOOLS = [
    ToolSchema("look", "Look at a window.", {"type": "object", "properties": {"start": {"type": "number"}}}),
    ToolSchema("listen", "Read what is said."),
]
NAMES = ("look", "listen")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"name": "look", "arguments": {"start": 1}', Action("look", {"start": 1})),
        ('so: {"look": {"start": {"a": 1}', Action("look", {"start": {"a": 1}})),
        (
            '```json\n{"name": "look", "arguments": {"note": "a } brace"}}\n```',
            Action("look", {"note": "a } brace"}),
        ),
        ('```\n{"name": "a", "arguments": {}}\n```\n```\n{"name": "b", "arguments": {}}\n```', Action("b")),
        ('{"answer": "B", "name": "look", "arguments": {}}', Action(answer="B")),
        ('{"name": "absent", "arguments": {}}', Action("absent")),
        ("{" * 5000, Action()),
        ("", Action()),
    ],
)
def test_more_phrasings(text, action):
    assert parse_action(text, NAMES) == action


def test_leaked_markup():
    assert leaked_markup("ok <tool_call>{}</tool_call>")
    assert not leaked_markup('{"name": "look", "arguments": {}}')


def test_prompt_and_forced_schema_reach_the_server():
    forced = action_response_schema(TOOLS)
    with OpenAIServer([Text('{"tool": "look", "arguments": {"start": 4}}')]) as server:
        model = resolve_model("openai-api/local/small", base_url=server.url, response_schema=forced)
        record = ask(model, action_prompt(TOOLS))
        body = server.requests[0].json
    assert body["response_format"]["type"] == "json_schema"
    wire = body["response_format"]["json_schema"]["schema"]
    assert wire["properties"]["tool"]["enum"] == ["look", "listen"]
    assert wire["required"] == ["tool", "arguments"]
    described = [
        json.loads(line)
        for line in body["messages"][0]["content"].splitlines()
        if line.startswith('{"name": "l')
    ]
    assert [d["name"] for d in described] == ["look", "listen"]
    assert parse_constrained(record.text) == Action("look", {"start": 4})


def test_forced_schema_with_an_answer():
    final = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    assert action_schema(TOOLS, final)["anyOf"][1] == final
    dumped = action_response_schema(TOOLS, final).json_schema.model_dump(exclude_none=True)
    assert [set(s["properties"]) for s in dumped["anyOf"]] == [{"tool", "arguments"}, {"answer"}]
    assert parse_constrained('{"answer": "c"}') == Action(answer="C")
    assert parse_constrained("not json") == Action()
