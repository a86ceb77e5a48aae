"""One call to an engine model, with its end classified and its tokens counted. It never raises for a model failure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proofreel.core import StopReason, TokenUse, ToolCall
from proofreel.models.failure import FailureKind, ModelFailure


@dataclass(frozen=True)
class Reply:
    """What came back.

    Attributes:
        text: visible text.
        thinking: reasoning the provider shows, empty when it shows none.
        calls: tool calls with, for each, why its arguments could not be read (None when they could).
        message: the engine's assistant message, to go back into the conversation; None without a reply.
        tokens: of this call.
        frames: true times in seconds of the frames this call was shown, from the ledger.
        notes: what was changed to fit the model's limits.
        failure: set when the reply is no usable statement (cut, empty, filtered) or there is none.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[ToolCall, str | None], ...] = ()
    message: Any = None
    tokens: TokenUse = field(default_factory=TokenUse)
    frames: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    failure: ModelFailure | None = None

    @property
    def stop(self) -> StopReason | None:
        """How a trajectory that ends here says it; None for a usable reply."""
        return None if self.failure is None else self.failure.stop


def model_name(model: Any) -> str:
    """The name a model is called by, without the wrapper's prefix; empty for no model."""
    return "" if model is None else str(model).removeprefix("proofreel/")


def takes_video(model: Any) -> bool:
    """Whether a model is sent true video: what its provider was told, else its card."""
    from proofreel.models import model_card

    told = getattr(getattr(model, "api", None), "takes_video", None)
    return bool(model_card(model_name(model)).video if told is None else told)


async def ask_model(
    model: Any,
    messages: Sequence[Any],
    *,
    tools: Sequence[Any] = (),
    tool_choice: Any = None,
    config: dict[str, Any] | None = None,
    fresh: bool = False,
    ledger: Any = None,
    role: str | None = None,
    on_wait: Callable[[int, str, float], None] | None = None,
    deadline: float | None = None,
) -> Reply:
    """Sends a conversation to a model.

    Args:
        model: engine model.
        messages: engine chat messages, media as references.
        tools: engine tool descriptions.
        tool_choice: ``auto``, ``any``, ``none`` or None.
        config: generation settings for this call; a temperature is left out where the card says it is refused.
        fresh: do not take the reply from the response cache (sampling again).
        ledger: where the frames shown are recorded.
        role: name in the ledger.
        on_wait: called with (attempt, reason, seconds) before every wait.
        deadline: seconds for the call, retries included; None for the model's own.
    """
    from inspect_ai.model import GenerateConfig

    from proofreel.models import call_model, model_card
    from proofreel.tools.tool import is_engine_limit

    settings = dict(config or {})
    if model_card(model_name(model)).temperature is False:
        settings.pop("temperature", None)
    extra: dict[str, Any] = {"cache": False} if fresh else {}
    try:
        record = await call_model(
            model,
            list(messages),
            tools=tools,
            tool_choice=tool_choice,
            config=GenerateConfig(**settings),
            ledger=ledger,
            role=role,
            on_wait=on_wait,
            deadline=deadline,
            **extra,
        )
    except ModelFailure as failure:
        return Reply(failure=failure, tokens=_unanswered(failure))
    except Exception as error:
        if is_engine_limit(error):
            raise
        said = f"{model_name(model)}: {type(error).__name__}: {error}".splitlines()[0][:500]
        return Reply(failure=ModelFailure(FailureKind.REFUSED, said), tokens=TokenUse(calls=1))
    shown = [] if ledger is None else [e for e in ledger.entries if e.call_id == record.call_id]
    common: dict[str, Any] = {
        "tokens": record.tokens,
        "frames": tuple(f.time for e in shown for f in e.frames),
        "notes": record.notes,
        "failure": record.failure,
    }
    if not record.output.choices:
        return Reply(**common)
    message = record.output.message
    blocks = [] if isinstance(message.content, str) else message.content
    return Reply(
        text=message.text,
        thinking="\n".join(b.reasoning for b in blocks if b.type == "reasoning" and b.reasoning),
        calls=tuple(
            (ToolCall(id=c.id, name=c.function, arguments=_object(c.arguments)), _unreadable(c))
            for c in message.tool_calls or ()
        ),
        message=message,
        **common,
    )


def _unanswered(failure: ModelFailure) -> TokenUse:
    """Tokens of a call without a reply: a request refused with a status is not billed, a lost one may have been."""
    free = failure.status is not None or failure.kind in _NEVER_SENT
    return TokenUse(calls=1, retries=max(0, failure.attempts - 1), cost_usd=0.0 if free else None)


_NEVER_SENT = (FailureKind.PAYLOAD, FailureKind.MEDIA, FailureKind.AUTH)


def _object(arguments: Any) -> dict[str, Any]:
    return dict(arguments) if isinstance(arguments, dict) else {}


def _unreadable(call: Any) -> str | None:
    if call.parse_error:
        return str(call.parse_error).splitlines()[0][:300]
    return None if isinstance(call.arguments, dict) else f"got {type(call.arguments).__name__}"
