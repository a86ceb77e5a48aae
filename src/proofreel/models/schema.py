"""Tool parameters as JSON schema that every provider takes.

OpenAI's strict mode refuses optional arguments, Gemini refuses some keywords, Anthropic takes anything. The
safe common form is: plain JSON schema, not strict, optional arguments simply not in ``required``. The strict
form (all required, optional ones nullable) is there for servers that insist on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from inspect_ai.tool import ToolInfo

Style = Literal["plain", "strict"]

_KEPT = (
    "type",
    "description",
    "enum",
    "properties",
    "required",
    "items",
    "anyOf",
    "default",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
)
_STRICT_DROPS = ("default", "minimum", "maximum", "minItems", "maxItems")


@dataclass(frozen=True)
class ToolSchema:
    """A tool as a model sees it.

    Attributes:
        name: letters, digits and underscores.
        description: what it does and when to use it.
        parameters: JSON schema of an object, with ``properties`` and ``required``.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


def provider_schema(tool: ToolSchema, style: Style = "plain") -> dict[str, Any]:
    """The parameters of a tool, with only keywords that all providers accept.

    Args:
        tool: the tool.
        style: ``plain`` leaves optional arguments out of ``required``; ``strict`` lists every argument there
            and lets the optional ones be null (remove nulls with ``drop_nulls`` before running the tool).

    Raises:
        ValueError: the parameters are not an object schema, or ``required`` names an unknown argument.
    """
    parameters = dict(tool.parameters)
    if parameters.get("type", "object") != "object":
        raise ValueError(f"tool {tool.name}: parameters must be an object schema")
    properties = parameters.get("properties") or {}
    if unknown := [r for r in parameters.get("required", ()) if r not in properties]:
        raise ValueError(f"tool {tool.name}: required argument {unknown[0]!r} is not among the properties")
    clean = _clean({"type": "object"} | parameters | {"properties": properties}, style)
    clean.setdefault("required", [])
    return clean


def drop_nulls(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without nulls: in strict style a null means that the argument was left out."""
    return {k: v for k, v in arguments.items() if v is not None}


def tool_info(tool: ToolSchema, style: Style = "plain") -> ToolInfo:
    """The engine's form of a tool, to pass to ``generate(tools=...)``."""
    from inspect_ai.tool import ToolInfo, ToolParams

    parameters = ToolParams.model_validate(provider_schema(tool, style))
    return ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


def _clean(schema: Mapping[str, Any], style: Style) -> dict[str, Any]:
    kept = {k: v for k, v in schema.items() if k in _KEPT and not (style == "strict" and k in _STRICT_DROPS)}
    if "properties" in kept:
        kept["properties"] = {k: _clean(v, style) for k, v in kept["properties"].items()}
        kept["additionalProperties"] = False
        if style == "strict":
            optional = [k for k in kept["properties"] if k not in schema.get("required", ())]
            for name in optional:
                kept["properties"][name] = _nullable(kept["properties"][name])
            kept["required"] = list(kept["properties"])
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = _clean(kept["items"], style)
    if "anyOf" in kept:
        kept["anyOf"] = [_clean(s, style) for s in kept["anyOf"]]
    return kept


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    described = {k: schema[k] for k in ("description",) if k in schema}
    rest = {k: v for k, v in schema.items() if k not in described}
    return described | {"anyOf": [rest, {"type": "null"}]}
