"""A question to a fixed model, three tries: for descriptions, united subjects, and what DVD's tools ask."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import anyio

from proofreel.core import TokenUse
from proofreel.models.failure import ModelFailure
from proofreel.tools.analyze_video import transient
from proofreel.tools.model_call import Reply, ask_model

TRIES = 3
HOPELESS = ("auth", "refused", "payload", "media", "overflow")
"""Failures that another try cannot mend."""
OWN_FAULT = ("payload", "media", "overflow")
"""Of these, the ones that lie in what was asked: they would come again with the next question."""
T = TypeVar("T")


class Unusable(Exception):  # noqa: N818  the name says what happened
    """A reply that cannot be read; the message says why, in one line."""


@dataclass
class Asked(Generic[T]):
    """What came of at most three tries.

    Attributes:
        value: the reply as read; None when there is none.
        why: why there is none.
        failure: the last failure of the model, None when its last reply was merely unusable.
        reply: the last reply.
        tokens: of all tries.
        tries: how many there were.
        replied: how many of them brought a message back.
        cut: a further try was not made since the budget did not allow it.
    """

    value: T | None = None
    why: str = ""
    failure: ModelFailure | None = None
    reply: Reply = field(default_factory=Reply)
    tokens: TokenUse = field(default_factory=TokenUse)
    tries: int = 0
    replied: int = 0
    cut: bool = False

    @property
    def answered(self) -> bool:
        """Whether asking the same again would be no use: replies came, or the request itself is at fault."""
        if self.cut:
            return False
        return self.replied > 0 or (self.failure is not None and self.failure.kind.value in OWN_FAULT)


@dataclass(frozen=True)
class Asker:
    """How the tools' models are asked.

    Attributes:
        ledger: where frames are recorded.
        config: generation settings; the temperature is 0 unless it says otherwise.
        waits: seconds between the tries where a server is busy or down.
        on_wait: called with (attempt, reason, seconds) before every wait.
        seconds_left: seconds left for the question, None for no limit.
        over: whether the budget allows no further try.
    """

    ledger: Any = None
    config: Mapping[str, Any] = field(default_factory=dict)
    waits: Sequence[float] = (3.0, 6.0)
    on_wait: Callable[[int, str, float], None] | None = None
    seconds_left: Callable[[], float | None] = lambda: None
    over: Callable[[], object] = lambda: None

    async def ask(
        self,
        model: Any,
        message: Any,
        role: str,
        read: Callable[[str], T],
        again: Callable[[], bool] = lambda: True,
        **config: Any,
    ) -> Asked[T]:
        """Asks until a reply can be read.

        Args:
            model: engine model.
            message: the request.
            role: name in the ledger.
            read: takes a reply; raises ``Unusable`` for one it cannot take.
            again: whether the frames of another try may be shown.
            config: generation settings under the asker's own.
        """
        out: Asked[T] = Asked()
        # The waits between tries are ours, so the engine makes one attempt each.
        settings = {"temperature": 0.0, "max_retries": 0, **config, **self.config}
        for out.tries in range(1, TRIES + 1):
            left = self.seconds_left()
            out.reply = await ask_model(
                model,
                [message],
                config=settings,
                fresh=out.tries > 1,
                ledger=self.ledger,
                role=role,
                on_wait=self.on_wait,
                deadline=None if left is None else max(left, 1.0),
            )
            out.tokens = out.tokens + out.reply.tokens
            out.replied += out.reply.message is not None
            out.failure = out.reply.failure
            if _readable(out.reply):
                try:
                    out.value = read(out.reply.text)
                    return out
                except Unusable as error:
                    out.why = str(error)
            else:
                out.why = str(out.failure)
            hopeless = out.failure is not None and out.failure.kind.value in HOPELESS
            if hopeless or out.tries == TRIES:
                return out
            if self.over() or not again():
                out.cut = True
                return out
            await self._pause(out)
        return out

    async def _pause(self, out: Asked[T]) -> None:
        if not transient(out.reply) or not self.waits:
            return
        pause = self.waits[min(out.tries - 1, len(self.waits) - 1)]
        if self.on_wait is not None:
            self.on_wait(out.tries, out.failure.kind.value if out.failure else "busy", pause)
        await anyio.sleep(pause)


def _readable(reply: Reply) -> bool:
    """Whether there is something to read; a reply cut by the token limit may hold what is needed all the same."""
    return reply.failure is None or (reply.failure.kind == "truncated" and bool(reply.text.strip()))
