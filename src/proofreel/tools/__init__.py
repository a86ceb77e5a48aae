"""Tools an agent may call: one file each, found by their decorator."""

from proofreel.tools.registry import Registry, UnknownNameError
from proofreel.tools.tool import (
    ToolContext,
    ToolResult,
    ToolSpec,
    get_tool,
    is_engine_limit,
    list_tools,
    observe,
    run_tool,
    tool,
)

__all__ = [
    "Registry",
    "ToolContext",
    "ToolResult",
    "ToolSpec",
    "UnknownNameError",
    "get_tool",
    "is_engine_limit",
    "list_tools",
    "observe",
    "run_tool",
    "tool",
]
