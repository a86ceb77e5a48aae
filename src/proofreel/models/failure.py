"""Why a model call gave no usable answer: one exception with a kind, never a bare engine or SDK error."""

from __future__ import annotations

from enum import StrEnum

from proofreel.core import StopReason
from proofreel.core.errors import UserError


class FailureKind(StrEnum):
    """The ways a model call fails."""

    OVERFLOW = "overflow"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    AUTH = "auth"
    REFUSED = "refused"
    """The server says no for another reason: 4xx, unknown model, unsupported parameter."""
    BAD_RESPONSE = "bad_response"
    """The server answered, but not in its own format, or with a 5xx until retries ran out."""
    PAYLOAD = "payload"
    """Refused here, before any request: the media do not fit the model card."""
    MEDIA = "media"
    """The video could not be read or cut."""

    @property
    def stop(self) -> StopReason:
        """How a trajectory that ends here says it."""
        return _STOPS.get(self, StopReason.MODEL_ERROR)


_STOPS = {
    FailureKind.OVERFLOW: StopReason.OVERFLOW,
    FailureKind.TRUNCATED: StopReason.TRUNCATED,
    FailureKind.FILTERED: StopReason.FILTERED,
    FailureKind.EMPTY: StopReason.EMPTY,
}


class ModelFailure(UserError):  # noqa: N818  # the word the trajectories use
    """A model call failed.

    Attributes:
        kind: which way.
        message: one line: what happened and what to do.
        status: HTTP status when the server gave one.
        attempts: requests made, retries included; 0 when nothing was sent.
    """

    exit_code = 3

    def __init__(
        self, kind: FailureKind | str, message: str, *, status: int | None = None, attempts: int = 0
    ) -> None:
        self.kind = FailureKind(kind)
        self.message = " ".join(str(message).split())
        self.status = status
        self.attempts = attempts
        super().__init__(f"{self.kind.value}: {self.message}")

    @property
    def stop(self) -> StopReason:
        """How a trajectory that ends here says it."""
        return self.kind.stop


class ModelTimeout(ModelFailure):
    """No answer within the deadline."""

    def __init__(self, message: str, *, status: int | None = None, attempts: int = 0) -> None:
        super().__init__(FailureKind.TIMEOUT, message, status=status, attempts=attempts)


class ServerUnreachable(ModelFailure):
    """No connection to the server, or it was cut before an answer."""

    def __init__(self, message: str, *, status: int | None = None, attempts: int = 0) -> None:
        super().__init__(FailureKind.UNREACHABLE, message, status=status, attempts=attempts)


class MissingKey(ModelFailure):
    """The environment variable with the API key is not set; ``variable`` names it."""

    exit_code = 2

    def __init__(self, model: str, variable: str) -> None:
        self.variable = variable
        super().__init__(
            FailureKind.AUTH, f"{model} needs an API key: set the environment variable {variable}"
        )


class UnknownModel(ModelFailure):
    """No provider or card of this name; ``suggestions`` are close ones."""

    exit_code = 2

    def __init__(self, name: str, suggestions: tuple[str, ...] = (), why: str = "is not known") -> None:
        self.name = name
        self.suggestions = suggestions
        hint = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(FailureKind.REFUSED, f"model {name!r} {why}{hint}")
