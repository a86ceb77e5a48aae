"""Tool schemas that every provider takes."""

from __future__ import annotations

import pytest

from proofreel.models import ToolSchema, drop_nulls, provider_schema

TOOL = ToolSchema(
    "watch",
    "Look.",
    {
        "type": "object",
        "title": "Watch",
        "$schema": "somewhere",
        "properties": {
            "start": {"type": "number", "minimum": 0},
            "boxes": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
            "detail": {
                "type": "string",
                "enum": ["low", "high"],
                "default": "low",
                "description": "how close",
            },
        },
        "required": ["start"],
    },
)


def test_plain_keeps_optional_arguments_out_of_required():
    schema = provider_schema(TOOL)
    assert schema["required"] == ["start"]
    assert schema["additionalProperties"] is False
    assert "title" not in schema
    assert "$schema" not in schema
    assert schema["properties"]["detail"]["default"] == "low"


def test_strict_requires_everything_and_lets_optional_ones_be_null():
    schema = provider_schema(TOOL, "strict")
    assert schema["required"] == ["start", "boxes", "detail"]
    assert schema["properties"]["start"] == {"type": "number"}
    detail = schema["properties"]["detail"]
    assert detail == {
        "description": "how close",
        "anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}],
    }
    inner = schema["properties"]["boxes"]["anyOf"][0]["items"]
    assert inner["required"] == ["x"]
    assert inner["additionalProperties"] is False
    assert drop_nulls({"start": 1, "detail": None}) == {"start": 1}


def test_wrong_schemas_are_named():
    with pytest.raises(ValueError, match="tool t: parameters must be an object"):
        provider_schema(ToolSchema("t", "", {"type": "array"}))
    with pytest.raises(ValueError, match="tool t: required argument 'x'"):
        provider_schema(ToolSchema("t", "", {"type": "object", "properties": {}, "required": ["x"]}))
