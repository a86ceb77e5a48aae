"""The tool protocol: a name, JSON parameters, and ``async run(args, context) -> ToolResult``."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofreel.core import Evidence, Observation, Question, TokenUse, ToolCall
from proofreel.tools.registry import Registry, UnknownNameError

if TYPE_CHECKING:
    from proofreel.models.schema import ToolSchema


@dataclass(frozen=True)
class ToolContext:
    """What a tool may use; it holds no gold.

    Attributes:
        question: the question being answered.
        perceiver: engine model that looks at pictures, None when the run has none.
        ledger: record of the frames shown, None when nobody keeps one.
        duration: seconds of the video, None when unknown.
        mode: ``official`` or ``careful``.
        step: trajectory step the call belongs to.
        frames_left: frames that may still be shown, None for no limit.
        seconds_left: seconds left for the question, None for no limit.
        options: settings of the run (frame height, retry waits, ...).
        on_wait: called with (attempt, reason, seconds) before every wait.
    """

    question: Question
    perceiver: Any = None
    ledger: Any = None
    duration: float | None = None
    mode: str = "careful"
    step: int | None = None
    frames_left: int | None = None
    seconds_left: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    on_wait: Callable[[int, str, float], None] | None = None


@dataclass(frozen=True)
class ToolResult:
    """What a tool gives back; ``failure_kind`` is set exactly when ``ok`` is False."""

    ok: bool
    text: str
    failure_kind: str | None = None
    evidence: tuple[Evidence, ...] = ()
    media: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    tokens: TokenUse = field(default_factory=TokenUse)
    frames: int = 0

    @classmethod
    def failure(cls, kind: str, message: str, **extra: Any) -> "ToolResult":
        """A failed result the agent can read and act on."""
        return cls(ok=False, text=f"[ERROR] {message}", failure_kind=kind, **extra)


Run = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True)
class ToolSpec:
    """A tool as models and people see it; ``parameters`` is the JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]
    run: Run

    @property
    def schema(self) -> "ToolSchema":
        """The form models are shown."""
        from proofreel.models.schema import ToolSchema

        return ToolSchema(self.name, self.description, self.parameters)


TOOLS: Registry[ToolSpec] = Registry("tool", "proofreel.tools", "proofreel.tools")


def tool(
    name: str, *, description: str, properties: dict[str, Any], required: tuple[str, ...] = ()
) -> Callable[[Run], ToolSpec]:
    """Registers an async function as a tool.

    Args:
        name: what models call it.
        description: told to the model.
        properties: JSON schema of each argument.
        required: arguments that must be there.
    """

    def register(run: Run) -> ToolSpec:
        schema = {"type": "object", "properties": properties, "required": list(required)}
        spec = ToolSpec(name, description, schema, run)
        TOOLS.add(name, spec)
        return spec

    return register


def get_tool(name: str) -> ToolSpec:
    """The tool of this name; ``UnknownNameError`` with close names otherwise."""
    return TOOLS.get(name)


def list_tools() -> dict[str, ToolSpec]:
    """Every tool by name."""
    return TOOLS.all()


def is_engine_limit(error: BaseException) -> bool:
    """Whether the engine is ending the sample: its limits are not ours to swallow."""
    return any(c.__name__ == "LimitExceededError" for c in type(error).__mro__)


async def run_tool(
    call: ToolCall, context: ToolContext, allowed: tuple[str, ...], broken: str | None = None
) -> tuple[Observation, ToolResult]:
    """Runs one call and never raises: every failure is an observation the agent reads.

    Args:
        call: what the model asked for.
        context: what the tool may use.
        allowed: names the agent offered; anything else is an ``unknown_tool``.
        broken: why the arguments could not be read as JSON, None when they could.
    """
    if call.name not in allowed:
        result = ToolResult.failure(
            "unknown_tool", f"there is no tool {call.name!r}; use one of: {', '.join(allowed)}"
        )
    elif broken:
        result = ToolResult.failure("validation", f"arguments are not a JSON object: {broken}")
    else:
        try:
            result = await get_tool(call.name).run(dict(call.arguments), context)
        except UnknownNameError as error:
            result = ToolResult.failure("unknown_tool", str(error))
        except Exception as error:
            if is_engine_limit(error):
                raise
            result = ToolResult.failure("error", f"{call.name} failed: {type(error).__name__}: {error}")
    return observe(call, result), result


def observe(call: ToolCall, result: ToolResult) -> Observation:
    """The stored form of a result."""
    return Observation(
        call_id=call.id,
        tool=call.name,
        ok=result.ok,
        text=result.text,
        failure_kind=result.failure_kind,
        evidence=result.evidence,
        media=result.media,
        data=json.loads(json.dumps(result.data, default=str)),
    )
