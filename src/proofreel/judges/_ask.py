"""One question to a judging model whose reply is checked: an unusable reply is sent back with the reason."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from proofreel.core import TokenUse
from proofreel.judges.rubric_scores import InvalidVerdict

T = TypeVar("T")
ATTEMPTS = 3
MAX_TOKENS = 8000


class Untidy(InvalidVerdict):
    """The reply can be used but breaks the form: worth one more request; ``value`` is what it amounts to."""

    def __init__(self, reason: str, value: Any) -> None:
        super().__init__(reason)
        self.value = value


@dataclass(frozen=True)
class Asked(Generic[T]):
    """What came of it.

    Attributes:
        value: the checked reply, None when there is none.
        judge: name of the model that was asked last; its reply counts.
        served: that model's name as its server gave it, often a dated snapshot; None without a reply.
        fell_back: the second model was asked, because the first one failed.
        failure: why there is no value, one line; None when there is one.
        raw: every reply, letter for letter, in order.
        notes: what is not as it should be although a value came out.
        tokens: of all calls.
        calls: ids of the calls; ledger entries carry them.
        seconds: wall time.
    """

    value: T | None
    judge: str
    served: str | None
    fell_back: bool
    failure: str | None
    raw: tuple[str, ...]
    notes: tuple[str, ...]
    tokens: TokenUse
    calls: tuple[str, ...]
    seconds: float


async def ask_checked(
    model: Any,
    messages: Sequence[Any],
    read: Callable[[str], T],
    *,
    fallback: Any = None,
    attempts: int = ATTEMPTS,
    schema: tuple[str, dict[str, Any]] | None = None,
    structured: bool | None = None,
    config: dict[str, Any] | None = None,
    ledger: Any = None,
    deadline: float | None = None,
) -> Asked[T]:
    """Asks until a reply passes the check, at most ``attempts`` times, then the fallback in the same way.

    Args:
        model: engine model.
        messages: engine chat messages.
        read: from the reply's text to a value; raises ``InvalidVerdict`` with the reason for asking again, or
            ``Untidy`` when once more is worth trying but the value will do.
        fallback: second engine model, asked only when the first fails; the result says so. None: there is none.
        attempts: requests to each model, the first one included.
        schema: name and JSON schema of the reply.
        structured: send the schema; None: to models whose card says that they can be held to one.
        config: generation settings over temperature 0 and 8000 tokens.
        ledger: records media shown.
        deadline: seconds a call may take.
    """
    from proofreel.models import model_card

    began = time.monotonic()
    total = _Total()
    for who in [m for m in (model, fallback) if m is not None]:
        held = model_card(judge_name(who)).json_schema if structured is None else structured
        wanted = schema if held else None
        value, failure = await _one(who, messages, read, total, attempts, wanted, config, ledger, deadline)
        if failure is None:
            break
        if fallback is not None and who is not fallback:
            total.notes.append(f"{judge_name(who)} failed: {failure}")
    return Asked(
        value=value,
        judge=judge_name(who),
        served=total.served,
        fell_back=who is fallback,
        failure=failure,
        raw=tuple(total.raw),
        notes=tuple(total.notes),
        tokens=total.tokens,
        calls=tuple(total.calls),
        seconds=time.monotonic() - began,
    )


def judge_name(model: Any) -> str:
    """The name a model is called by, without the wrapper's prefix."""
    return str(model).removeprefix("proofreel/")


class _Total:
    def __init__(self) -> None:
        self.raw: list[str] = []
        self.notes: list[str] = []
        self.calls: list[str] = []
        self.served: str | None = None
        self.tokens = TokenUse()


async def _one(
    model: Any,
    messages: Sequence[Any],
    read: Callable[[str], T],
    total: _Total,
    attempts: int,
    schema: tuple[str, dict[str, Any]] | None,
    config: dict[str, Any] | None,
    ledger: Any,
    deadline: float | None,
) -> tuple[T | None, str | None]:
    """A value, or why there is none. Transport troubles are retried by the engine and not again here."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    from proofreel.models import ModelFailure, call_model
    from proofreel.models.failure import FailureKind

    talk = list(messages)
    usable: tuple[T, str] | None = None
    reason = "was not asked"
    settings = dict(config or {})
    left = max(attempts, 1)
    while left:
        left -= 1
        sent = _config(model, schema, settings)
        try:
            record = await call_model(
                model, talk, config=sent, ledger=ledger, role="judge", deadline=deadline, cache=False
            )
        except ModelFailure as failure:
            # A request refused with a status is not billed; one that was lost may have been.
            free = failure.status is not None
            total.tokens = total.tokens + TokenUse(calls=1, cost_usd=0.0 if free else None)
            if failure.status in (400, 422) and sent.response_schema is not None:
                total.notes.append(f"{judge_name(model)} refused the reply schema; asked without it")
                schema, left = None, left + 1
                continue
            return _kept(usable, total, str(failure))
        total.tokens = total.tokens + record.tokens
        total.calls.append(record.call_id)
        total.raw.append(record.text)
        total.served = record.output.model or None
        if record.failure is not None:
            reason = str(record.failure)
            if record.failure.kind not in (FailureKind.EMPTY, FailureKind.TRUNCATED):
                return _kept(usable, total, reason)
            if record.failure.kind is FailureKind.TRUNCATED and sent.max_tokens and left:
                settings["max_tokens"] = 2 * sent.max_tokens
                total.notes.append(f"cut at {sent.max_tokens} tokens; asked again with twice as many")
        else:
            try:
                return read(record.text), None
            except Untidy as untidy:
                if usable is not None or attempts == 1:
                    total.notes.append(f"accepted although: {untidy}")
                    return untidy.value, None
                usable, reason = (untidy.value, str(untidy)), str(untidy)
            except InvalidVerdict as invalid:
                reason = str(invalid)
        talk = [
            *messages,
            *([ChatMessageAssistant(content=record.text)] if record.text.strip() else []),
            ChatMessageUser(
                content=f"Your reply cannot be used: {reason}. Send the whole reply again, mended."
            ),
        ]
    return _kept(usable, total, f"no usable reply in {attempts} attempts; the last one: {reason}")


def _kept(usable: tuple[T, str] | None, total: _Total, failure: str) -> tuple[T | None, str | None]:
    if usable is None:
        return None, failure
    total.notes.append(f"accepted although: {usable[1]}")
    return usable[0], None


def _config(model: Any, schema: tuple[str, dict[str, Any]] | None, given: dict[str, Any] | None) -> Any:
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    from proofreel.models import model_card

    settings: dict[str, Any] = {"temperature": 0.0, "max_tokens": MAX_TOKENS} | (given or {})
    if model_card(judge_name(model)).temperature is False:
        settings.pop("temperature", None)
    if schema is not None:
        name, body = schema
        settings["response_schema"] = ResponseSchema(name=name, json_schema=JSONSchema.model_validate(body))
    return GenerateConfig(**settings)
