"""What one logical call carries across the engine's attempts: deadline, waits, the expanded payload."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofreel.video import Ledger

if TYPE_CHECKING:
    from proofreel.models._expand import Expanded

OnWait = Callable[[int, str, float], None]
"""Called with (attempt that failed, reason, seconds until the next) whenever a call waits."""


@dataclass(frozen=True)
class Wait:
    """One pause before another attempt: ``attempt`` failed for ``reason``, the next came ``seconds`` later."""

    attempt: int
    reason: str
    seconds: float


@dataclass
class CallState:
    """State of one call; one object for all of its attempts.

    Attributes:
        call_id: unique; ledger entries carry it.
        deadline: clock reading (``time.monotonic``) after which no attempt starts, None for none.
        key: identities of the engine's input list and its messages, by which attempts of one call are known.
        expanded: the payload, kept for retries.
        attempts: requests started.
        recorded: whether the ledger has this call.
        done: whether an answer came.
        modalities: prompt tokens of the answer by kind, where the server says so.
        served: name of the model as the server gave it, often a dated snapshot.
    """

    call_id: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    deadline: float | None = None
    on_wait: OnWait | None = None
    ledger: Ledger | None = None
    role: str | None = None
    key: tuple[int, ...] = ()
    messages: Any = None
    done: bool = False
    expanded: Expanded | None = None
    attempts: int = 0
    recorded: bool = False
    waits: list[Wait] = field(default_factory=list)
    max_retries: int | None = None
    notes: tuple[str, ...] = ()
    modalities: dict[str, int] = field(default_factory=dict)
    served: str | None = None

    def release(self) -> None:
        """Lets go of the payload: copies of the context it was sent in live on in the client's own tasks."""
        if self.expanded is not None:
            for frames in self.expanded.late.values():
                frames.close()
        self.expanded = None

    def remaining(self) -> float | None:
        """Seconds to the deadline."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def waiting(self, attempt: int, reason: str, seconds: float) -> None:
        """Notes a pause and tells the caller."""
        self.waits.append(Wait(attempt, reason, seconds))
        if self.on_wait is not None:
            self.on_wait(attempt, reason, seconds)


_call: ContextVar[CallState | None] = ContextVar("proofreel_call", default=None)
_ledger: ContextVar[Ledger | None] = ContextVar("proofreel_ledger", default=None)


def state_for(messages: Any) -> CallState:
    """The state of the call these input messages belong to: the running one, or a new one."""
    state = _call.get()
    key = (id(messages), *(id(m) for m in messages))
    if state is None or state.done or (state.key and state.key != key):
        state = CallState()
        _call.set(state)
    state.key = key
    state.messages = messages  # held, so that the identities stay taken while the call runs
    return state


def current_state() -> CallState | None:
    """The state of the running call."""
    return _call.get()


@contextmanager
def calling(state: CallState) -> Iterator[CallState]:
    """Makes ``state`` the running call."""
    token = _call.set(state)
    try:
        yield state
    finally:
        _call.reset(token)
        state.release()


@dataclass(frozen=True)
class CallDefaults:
    """What every call inside ``call_defaults`` gets unless it says otherwise."""

    on_wait: OnWait | None = None
    seconds: Callable[[], float | None] | None = None


_NO_DEFAULTS = CallDefaults()
_defaults: ContextVar[CallDefaults] = ContextVar("proofreel_call_defaults", default=_NO_DEFAULTS)


@contextmanager
def call_defaults(
    *, on_wait: OnWait | None = None, seconds: Callable[[], float | None] | None = None
) -> Iterator[None]:
    """All model calls inside tell ``on_wait`` when they wait, and end within ``seconds()``, asked at their start.

    Args:
        on_wait: called with (attempt, reason, seconds until the next).
        seconds: what a call that starts now may take; None for no bound of this kind.
    """
    token = _defaults.set(CallDefaults(on_wait, seconds))
    try:
        yield
    finally:
        _defaults.reset(token)


def ambient_defaults() -> CallDefaults:
    """Those of the innermost ``call_defaults``."""
    return _defaults.get()


@contextmanager
def use_ledger(ledger: Ledger) -> Iterator[Ledger]:
    """All model calls inside record what they show in this ledger, whatever model object they use."""
    token = _ledger.set(ledger)
    try:
        yield ledger
    finally:
        _ledger.reset(token)


def ambient_ledger() -> Ledger | None:
    """The ledger of the innermost ``use_ledger``."""
    return _ledger.get()
