"""Scripted provider servers for tests: true wire formats, on 127.0.0.1 only.

>>> from proofreel.testing import OpenAIServer, Text
>>> with OpenAIServer([Text("B")]) as server:
...     url = server.url  # hand it to a client; afterwards look at server.requests
"""

from proofreel.testing.anthropic import AnthropicServer
from proofreel.testing.gemini import GeminiServer
from proofreel.testing.openai import OpenAIServer
from proofreel.testing.replies import (
    Call,
    DropMidBody,
    Empty,
    Filtered,
    Hang,
    LengthStop,
    MalformedJson,
    Overflow,
    RateLimited,
    Refused,
    Reply,
    ServerError,
    Text,
    ToolCalls,
    Usage,
)
from proofreel.testing.server import Request, ScriptedServer

__all__ = [
    "AnthropicServer",
    "Call",
    "DropMidBody",
    "Empty",
    "Filtered",
    "GeminiServer",
    "Hang",
    "LengthStop",
    "MalformedJson",
    "OpenAIServer",
    "Overflow",
    "RateLimited",
    "Refused",
    "Reply",
    "Request",
    "ScriptedServer",
    "ServerError",
    "Text",
    "ToolCalls",
    "Usage",
]
