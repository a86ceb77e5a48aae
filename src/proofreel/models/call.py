"""One model call: deadline, visible waits, a typed failure or a record of what happened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio

from proofreel.core import StopReason, TokenUse
from proofreel.models._scrub import whole
from proofreel.models._state import CallState, OnWait, Wait, ambient_defaults, calling
from proofreel.models.cards import model_card
from proofreel.models.classify import classify_output, model_failure, output_failure
from proofreel.models.failure import ModelFailure, ModelTimeout
from proofreel.models.media import media_parts
from proofreel.models.pricing import CallUsage, price
from proofreel.video import Ledger

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
    from inspect_ai.tool import ToolChoice

DEADLINE = 1800.0
"""Seconds a call may take in all, retries and waits included, when nothing else is asked for."""


@dataclass(frozen=True)
class CallRecord:
    """What one model call did.

    Attributes:
        call_id: the id its ledger entries carry.
        model: name of the model.
        output: the engine's output.
        stop: why the output is no answer (overflow, truncated, filtered, empty), None when it is one.
        tokens: tokens, retries and cost; ``cost_usd`` is None while a price is unknown.
        usage: the same tokens as billed, by kind where the server says so; None when it reported none.
        seconds: wall time, waits included.
        waits: every pause, with its reason.
        media: ids of the references shown, in order.
        notes: what was changed to fit the model, and limits that could not be checked.
        cached: the answer came from the engine's cache, nothing was sent.
    """

    call_id: str
    model: str
    output: ModelOutput
    stop: StopReason | None
    tokens: TokenUse
    usage: CallUsage | None
    seconds: float
    waits: tuple[Wait, ...] = ()
    media: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cached: bool = False
    failure: ModelFailure | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The answer text; empty when there is only a tool call. Check ``stop`` first."""
        return self.output.completion

    def answered(self) -> CallRecord:
        """This record, if its output is an answer.

        Raises:
            ModelFailure: it is not.
        """
        if self.failure is not None:
            raise self.failure
        return self


async def call_model(
    model: Model,
    messages: str | Sequence[ChatMessage],
    *,
    tools: Sequence[Any] = (),
    tool_choice: ToolChoice | None = None,
    config: GenerateConfig | None = None,
    deadline: float | None = None,
    on_wait: OnWait | None = None,
    ledger: Ledger | None = None,
    role: str | None = None,
    **extra: Any,
) -> CallRecord:
    """Asks a model once and says how it went.

    Args:
        model: from ``resolve_model``, or any engine model.
        messages: the conversation, media as references.
        tools: as the engine's ``generate`` takes them (``tool_info`` makes them).
        tool_choice: likewise.
        config: settings over the model's own.
        deadline: seconds for the whole call, retries and waits included; None takes the model's own
            (``resolve_model(deadline=...)``, 1800 s by default). It also ends a call whose server never answers.
        on_wait: called with (attempt, reason, seconds) whenever the call waits before another attempt.
        ledger: where to record what was shown, over the model's own.
        role: name in the ledger, over the model's own.
        extra: passed to the engine's ``generate`` (for example ``cache``).

    Returns:
        The record. Overflow, truncation, filtering and emptiness are in ``stop``, not exceptions.

    Raises:
        ModelFailure: nothing came back: too large, no connection, no key, rate limit, timeout, bad response.
    """
    from inspect_ai.model import ChatMessageUser, GenerateConfig

    name = str(model).removeprefix("proofreel/")
    sent: list[ChatMessage] = (
        [ChatMessageUser(content=messages)] if isinstance(messages, str) else list(messages)
    )
    sent = [whole(m) for m in sent]
    limit = deadline if deadline is not None else getattr(model.api, "deadline", None) or DEADLINE
    ambient = ambient_defaults()
    bound = ambient.seconds() if ambient.seconds is not None else None
    limit = limit if bound is None else min(limit, bound)
    began = time.monotonic()
    state = CallState(
        deadline=began + limit, on_wait=on_wait or ambient.on_wait, ledger=ledger, role=role or model.role
    )
    with calling(state):
        try:
            with anyio.fail_after(limit) as scope:
                output = await model.generate(
                    sent,
                    tools=list(tools),
                    tool_choice=tool_choice,
                    config=config or GenerateConfig(),
                    **extra,
                )
        except Exception as error:
            if isinstance(error, TimeoutError) and scope.cancelled_caught:
                raise _too_late(name, limit, state) from error
            failure = model_failure(error, name, state.attempts)
            if failure is None or failure is error:
                raise
            raise failure from error
        await _record_cached(model, state, sent, ledger)
    return _record(name, output, state, sent, time.monotonic() - began)


def _too_late(name: str, limit: float, state: CallState) -> ModelTimeout:
    last = f", waiting because of {state.waits[-1].reason}" if state.waits else ""
    said = f"{name}: no answer within {limit:g} s ({state.attempts} attempts{last})"
    return ModelTimeout(said, attempts=state.attempts)


async def _record_cached(
    model: Model, state: CallState, sent: Sequence[ChatMessage], ledger: Ledger | None
) -> None:
    """A cached answer rests on the same frames: they are written down as for the first call."""
    replay = getattr(model.api, "record_unsent", None)
    if state.attempts == 0 and replay is not None:
        await replay(state, sent)


def _record(
    name: str, output: ModelOutput, state: CallState, sent: Sequence[ChatMessage], seconds: float
) -> CallRecord:
    ours = (output.metadata or {}).get("proofreel") or {}
    usage = CallUsage.of(output.usage, ours.get("modalities")) if output.usage else None
    cost = price(model_card(name), usage) if usage else None
    retries = max(state.attempts - 1, 0)
    tokens = TokenUse(
        prompt=usage.prompt if usage else 0,
        completion=usage.completion if usage else 0,
        reasoning=usage.reasoning if usage else 0,
        cached=usage.cached if usage else 0,
        calls=1,
        retries=retries,
        cost_usd=cost,
    )
    return CallRecord(
        call_id=state.call_id,
        model=name,
        output=output,
        stop=classify_output(output),
        tokens=tokens,
        usage=usage,
        seconds=seconds,
        waits=tuple(state.waits),
        media=tuple(p.ref.id for p in media_parts(sent)),
        notes=state.notes,
        cached=state.attempts == 0,
        failure=output_failure(output, name),
    )
