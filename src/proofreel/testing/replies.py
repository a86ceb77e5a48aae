"""What a scripted server can do next: plain values, one per kind of success or trouble."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Token counts a reply reports; ``prompt`` includes ``cached``, ``modalities`` are Gemini prompt details."""

    prompt: int = 10
    completion: int = 5
    reasoning: int = 0
    cached: int = 0
    modalities: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Text:
    """A normal answer; ``delay`` is seconds before it is sent."""

    text: str
    usage: Usage = Usage()
    delay: float = 0.0


@dataclass(frozen=True)
class Call:
    """One tool call of a reply. ``arguments`` may be a string to send broken argument JSON."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)


@dataclass(frozen=True)
class ToolCalls:
    """The model asks for tools, with optional text before."""

    calls: tuple[Call, ...]
    text: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True)
class RateLimited:
    """429, with a ``Retry-After`` header in seconds when given."""

    retry_after: float | None = None


@dataclass(frozen=True)
class ServerError:
    """A 5xx answer in the provider's error form."""

    status: int = 500


@dataclass(frozen=True)
class Refused:
    """A 4xx answer: a bad request by default, 401 for a wrong key."""

    message: str = "this request cannot be served"
    status: int = 400


@dataclass(frozen=True)
class Overflow:
    """The context-overflow error in the words of the provider."""


@dataclass(frozen=True)
class Hang:
    """The request is accepted and never answered (until the server closes)."""


@dataclass(frozen=True)
class DropMidBody:
    """Headers and half a body, then the connection is cut."""


@dataclass(frozen=True)
class MalformedJson:
    """Status 200 with a body that is not JSON."""


@dataclass(frozen=True)
class Empty:
    """A completion without any text."""

    usage: Usage = Usage(completion=0)


@dataclass(frozen=True)
class Filtered:
    """The provider's content filter stopped the answer."""

    usage: Usage = Usage(completion=0)


@dataclass(frozen=True)
class LengthStop:
    """The answer was cut by the output-token limit."""

    text: str = "The answer is"
    usage: Usage = Usage()


Reply = (
    Text
    | ToolCalls
    | RateLimited
    | ServerError
    | Refused
    | Overflow
    | Hang
    | DropMidBody
    | MalformedJson
    | Empty
    | Filtered
    | LengthStop
)
