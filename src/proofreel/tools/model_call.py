"""One call to an engine model, with its end classified and its tokens counted. It never raises for a model failure."""

from collections.abc import Sequence
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
        failure: set when the reply is no usable statement (cut, empty, filtered) or there is none.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[ToolCall, str | None], ...] = ()
    message: Any = None
    tokens: TokenUse = field(default_factory=TokenUse)
    failure: ModelFailure | None = None

    @property
    def stop(self) -> StopReason | None:
        """How a trajectory that ends here says it; None for a usable reply."""
        return None if self.failure is None else self.failure.stop


def model_name(model: Any) -> str:
    """The name a model is called by, without the wrapper's prefix; empty for no model."""
    return "" if model is None else str(model).removeprefix("proofreel/")


async def ask_model(
    model: Any,
    messages: Sequence[Any],
    *,
    tools: Sequence[Any] = (),
    tool_choice: Any = None,
    config: dict[str, Any] | None = None,
    fresh: bool = False,
) -> Reply:
    """Sends a conversation to a model.

    Args:
        model: engine model.
        messages: engine chat messages.
        tools: engine tool descriptions.
        tool_choice: ``auto``, ``any``, ``none`` or None.
        config: generation settings for this call.
        fresh: do not take the reply from the response cache (sampling again).
    """
    from inspect_ai.model import GenerateConfig
    from inspect_ai.util import LimitExceededError

    extra: dict[str, Any] = {"cache": False} if fresh else {}
    try:
        output = await model.generate(
            list(messages),
            tools=list(tools),
            tool_choice=tool_choice,
            config=GenerateConfig(**(config or {})),
            **extra,
        )
    except LimitExceededError:
        raise
    except ModelFailure as failure:
        return Reply(failure=failure, tokens=TokenUse(calls=1, retries=max(0, failure.attempts - 1)))
    except Exception as error:  # noqa: BLE001  engine and vendor errors have no common base
        said = f"{type(error).__name__}: {error}".splitlines()[0][:500]
        return Reply(failure=ModelFailure(FailureKind.BAD_RESPONSE, said), tokens=TokenUse(calls=1))
    return _reply(model, output)


def _reply(model: Any, output: Any) -> Reply:
    tokens = _tokens(model, output)
    if not output.choices:
        return Reply(tokens=tokens, failure=ModelFailure(FailureKind.EMPTY, "the reply has no choices"))
    message = output.message
    calls = tuple(
        (ToolCall(id=c.id, name=c.function, arguments=_object(c.arguments)), _unreadable(c))
        for c in message.tool_calls or ()
    )
    blocks = [] if isinstance(message.content, str) else message.content
    thinking = "\n".join(b.reasoning for b in blocks if b.type == "reasoning" and b.reasoning)
    return Reply(
        text=message.text,
        thinking=thinking,
        calls=calls,
        message=message,
        tokens=tokens,
        failure=_ending(output, message.text, bool(calls)),
    )


def _ending(output: Any, text: str, called: bool) -> ModelFailure | None:
    kinds = {
        "model_length": (FailureKind.OVERFLOW, "the prompt does not fit the model's context"),
        "max_tokens": (FailureKind.TRUNCATED, "the reply was cut by the output-token limit"),
        "content_filter": (FailureKind.FILTERED, "the provider's content filter stopped the reply"),
    }
    if output.stop_reason in kinds:
        kind, said = kinds[output.stop_reason]
        return ModelFailure(kind, said)
    if not text.strip() and not called:
        return ModelFailure(FailureKind.EMPTY, "the reply has neither text nor a tool call")
    return None


def _object(arguments: Any) -> dict[str, Any]:
    return dict(arguments) if isinstance(arguments, dict) else {}


def _unreadable(call: Any) -> str | None:
    if call.parse_error:
        return str(call.parse_error).splitlines()[0][:300]
    return None if isinstance(call.arguments, dict) else f"got {type(call.arguments).__name__}"


def _tokens(model: Any, output: Any) -> TokenUse:
    if output.usage is None:
        return TokenUse(calls=1)
    from proofreel.models.cards import model_card
    from proofreel.models.price import CallUsage, price

    use = CallUsage.of(output.usage)
    return TokenUse(
        prompt=use.prompt,
        completion=use.completion,
        reasoning=use.reasoning,
        cached=use.cached,
        calls=1,
        cost_usd=price(model_card(model_name(model)), use),
    )
