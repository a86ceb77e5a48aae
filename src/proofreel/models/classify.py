"""Engine outputs and exceptions in our own words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from proofreel.core import StopReason
from proofreel.models.failure import FailureKind, ModelFailure, ModelTimeout, ServerUnreachable
from proofreel.video import VideoError

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

_TIMEOUTS = ("AttemptTimeoutError", "StreamIdleTimeoutError", "APITimeoutError", "TimeoutException")
_UNREACHABLE = (
    "APIConnectionError",
    "TransportError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ClientOSError",
    "ConnectionError",
)
_MALFORMED = (
    "APIResponseValidationError",
    "UnknownApiResponseError",
    "OpenAIResponseError",
    "ValidationError",
)
_OVERFLOWS = (
    "context length",
    "context_length",
    "context window",
    "prompt is too long",
    "maximum number of tokens",
    "input is too long",
    "too many tokens",
)


def classify_output(output: ModelOutput) -> StopReason | None:
    """Why an output is no answer, None when it is one (text or tool calls that ended normally).

    The engine turns context overflow into text with stop reason ``model_length``, and an empty completion into
    a success: neither is an answer.
    """
    if not output.choices:
        return StopReason.EMPTY
    stop = output.stop_reason
    if stop == "model_length":
        return StopReason.OVERFLOW
    if stop == "max_tokens":
        return StopReason.TRUNCATED
    if stop == "content_filter":
        return StopReason.FILTERED
    if not output.completion.strip() and not output.message.tool_calls:
        return StopReason.EMPTY
    return None


def output_failure(output: ModelOutput, model: str) -> ModelFailure | None:
    """The same as a ``ModelFailure`` that can be raised."""
    stop = classify_output(output)
    if stop is None:
        return None
    said = {
        StopReason.OVERFLOW: "the prompt does not fit the context: send fewer or smaller frames",
        StopReason.TRUNCATED: "the answer was cut at the output-token limit: raise max_tokens",
        StopReason.FILTERED: "the provider's content filter stopped the answer",
        StopReason.EMPTY: "the completion is empty",
    }[stop]
    kind = {
        StopReason.OVERFLOW: FailureKind.OVERFLOW,
        StopReason.TRUNCATED: FailureKind.TRUNCATED,
        StopReason.FILTERED: FailureKind.FILTERED,
        StopReason.EMPTY: FailureKind.EMPTY,
    }[stop]
    return ModelFailure(kind, f"{model}: {said}")


def root_cause(error: BaseException) -> BaseException:
    """The exception under an exhausted retry (whose own text says nothing)."""
    attempt = getattr(error, "last_attempt", None)
    if attempt is not None and callable(getattr(attempt, "exception", None)):
        inner = attempt.exception()
        if isinstance(inner, BaseException):
            return root_cause(inner)
    return error


def model_failure(error: BaseException, model: str, attempts: int = 0) -> ModelFailure | None:
    """An engine, SDK or network exception as a ``ModelFailure``; None for one that is not about the model call."""
    cause = root_cause(error)
    if isinstance(cause, ModelFailure):
        cause.attempts = cause.attempts or attempts
        return cause
    if isinstance(cause, VideoError):
        return ModelFailure(FailureKind.MEDIA, str(cause))
    names = {c.__name__ for c in type(cause).__mro__}
    tried = f" after {attempts} attempts" if attempts > 1 else ""
    if names & set(_TIMEOUTS) or isinstance(cause, TimeoutError):
        return ModelTimeout(f"{model}: no answer in time{tried}", attempts=attempts)
    if "ModelRefusalError" in names:
        return ModelFailure(FailureKind.FILTERED, f"{model}: {cause}", attempts=attempts)
    said = _said(cause)
    if (status := _status(cause)) is not None:
        kind = _kind(status, said)
        shown = f"{model}: {_reason(kind)} (HTTP {status}){tried}: {said}"
        if kind is FailureKind.TIMEOUT:
            return ModelTimeout(shown, status=status, attempts=attempts)
        return ModelFailure(kind, shown, status=status, attempts=attempts)
    if names & set(_UNREACHABLE) or isinstance(cause, OSError):
        inner = cause.__cause__ or cause.__context__
        if isinstance(inner, json.JSONDecodeError):
            return _malformed(model, tried, attempts)
        return ServerUnreachable(f"{model}: no connection to the server{tried}: {said}", attempts=attempts)
    if isinstance(cause, json.JSONDecodeError) or names & set(_MALFORMED):
        return _malformed(model, tried, attempts)
    if isinstance(cause, AttributeError | TypeError | KeyError | IndexError) and _raised_while_reading(cause):
        return _malformed(model, tried, attempts)
    return None


def _raised_while_reading(error: BaseException) -> bool:
    """Whether a plain Python error comes out of provider code that reads an answer of a shape it does not know."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = last.tb_frame.f_globals.get("__name__", "") if last is not None else ""
    return place.startswith(
        ("inspect_ai.model._providers", "inspect_ai.model._openai", "openai.", "anthropic.")
    )


def _malformed(model: str, tried: str, attempts: int) -> ModelFailure:
    said = f"{model}: the server's answer is not in its own format{tried}"
    return ModelFailure(FailureKind.BAD_RESPONSE, said, attempts=attempts)


def wait_reason(error: BaseException | None) -> str:
    """Two or three words for a progress line: why a call waits."""
    if error is None:
        return "retry"
    status = _status(error)
    if status is not None:
        return f"HTTP {status} {_reason(_kind(status, ''))}"
    failure = model_failure(error, "model")
    return failure.kind.value if failure else type(error).__name__


def _kind(status: int, said: str) -> FailureKind:
    lowered = said.lower()
    if status in (400, 413, 422) and any(sign in lowered for sign in _OVERFLOWS):
        return FailureKind.OVERFLOW
    if status in (401, 403):
        return FailureKind.AUTH
    if status == 429:
        return FailureKind.RATE_LIMITED
    if status in (408, 504):
        return FailureKind.TIMEOUT
    return FailureKind.BAD_RESPONSE if status >= 500 else FailureKind.REFUSED


def _reason(kind: FailureKind) -> str:
    return {
        FailureKind.OVERFLOW: "the prompt does not fit the context",
        FailureKind.AUTH: "the key was not accepted",
        FailureKind.RATE_LIMITED: "rate limited",
        FailureKind.TIMEOUT: "the server timed out",
        FailureKind.BAD_RESPONSE: "server error",
    }.get(kind, "the server refused the request")


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
    return None


def _said(error: BaseException) -> str:
    body: Any = getattr(error, "provider_message", None) or getattr(error, "message", None) or str(error)
    text = " ".join(str(body).split())
    return text if len(text) <= 300 else text[:297] + "..."
