"""One call that shows frames to the main model: settings of the protocol, waits for a busy server, the books."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from proofreel.agents._footage import Footage
from proofreel.agents._sampling import main_temperature
from proofreel.agents.agent import AgentContext
from proofreel.agents.single_turn import REASONERS
from proofreel.core.errors import UserError
from proofreel.tools.analyze_video import transient
from proofreel.tools.model_call import Reply, ask_model, model_name

WAITS = (5.0, 10.0)
"""Seconds between the attempts at a busy server."""
LIMITS = ("tokens", "usd", "seconds")
"""Limits that are only known to be reached after a call."""


def number(options: Mapping[str, Any], name: str, default: float, *, least: float, whole: bool = True) -> Any:
    """An option that is a number.

    Raises:
        UserError: it is none, or below ``least``.
    """
    value = options.get(name, default)
    fits = isinstance(value, int | float) and not isinstance(value, bool) and least <= value < float("inf")
    if not fits or (whole and int(value) != value):
        kind = "a whole number" if whole else "a number"
        raise UserError(f"{name} must be {kind} of at least {least:g}, got {value!r}")
    return int(value) if whole else float(value)


def choice(options: Mapping[str, Any], name: str, allowed: Sequence[str]) -> str:
    """An option that is one of several words, the first by default.

    Raises:
        UserError: it is another.
    """
    value = options.get(name, allowed[0])
    if value not in allowed:
        raise UserError(f"{name} is one of {', '.join(allowed)}; got {value!r}")
    return str(value)


def generation(ctx: AgentContext, max_tokens: int) -> dict[str, Any]:
    """Settings of every call: greedy unless the run says otherwise, the protocol's output cap.

    Models that reason before they write get four times the cap, for their reasoning counts against it; ``official``
    keeps the published number.
    """
    own = getattr(ctx.model, "config", None)
    short = model_name(ctx.model).rsplit("/", 1)[-1]
    room = 4 * max_tokens if ctx.mode != "official" and short.startswith(REASONERS) else max_tokens
    base = {
        "temperature": main_temperature(ctx),
        "max_tokens": getattr(own, "max_tokens", None) or room,
        "max_retries": 0,  # the waits are ours, one attempt of the engine each
    }
    return base | dict(ctx.options.get("config", {}))


@dataclass(frozen=True)
class Viewer:
    """Shows frames of one video to the main model.

    Attributes:
        ctx: model, budget and ledger.
        footage: the video.
        side: pixels of a visual token's side; pictures are multiples of it.
        config: generation settings.
        frames_as: ``images``, or ``video`` for servers that take frames as one video part.
        quality: of the JPEG.
    """

    ctx: AgentContext
    footage: Footage
    side: int
    config: dict[str, Any]
    frames_as: str = "images"
    quality: int = 85

    async def reference(self, indices: Sequence[int], rows: int | None) -> Any:
        """The reference to frames by number; ``rows`` None keeps the size."""
        import anyio.to_thread

        from proofreel.video import FramesRef, Numbered

        def make() -> FramesRef:
            multiple = 1 if rows is None else self.side
            plan = Numbered(indices)
            path = self.footage.path
            return FramesRef.of(path, plan, height=rows, width_multiple=multiple, quality=self.quality)

        return await anyio.to_thread.run_sync(make)

    def message(self, text: str, refs: Sequence[Any]) -> Any:
        """A user message with frames before its words."""
        from proofreel.models import media_message

        detail: Any = self.ctx.options.get("detail", "auto")
        as_ = cast(Literal["images", "video"], self.frames_as)
        return media_message(text, refs, detail=detail, frames_as=as_)

    async def ask(self, messages: Sequence[Any], new_frames: int) -> Reply:
        """The reply after at most two waits for a busy server; turns, tokens and new frames are booked."""
        import anyio

        ctx = self.ctx
        waits = tuple(ctx.options.get("retry_waits", WAITS))[: len(WAITS)]
        system = ctx.options.get("system")
        sent = [*_system(system), *messages]
        for attempt in range(len(waits) + 1):
            reply = await ask_model(
                ctx.model,
                sent,
                config=self.config,
                fresh=attempt > 0,
                ledger=ctx.ledger,
                role="main",
                on_wait=ctx.on_wait,
            )
            use = reply.tokens.model_copy(update={"retries": reply.tokens.retries + (attempt > 0)})
            ctx.budget.spend(use=use)
            if not transient(reply) or attempt == len(waits) or ctx.budget.exhausted(*LIMITS):
                break
            if ctx.on_wait is not None and reply.failure is not None:
                ctx.on_wait(attempt + 1, reply.failure.kind.value, waits[attempt])
            await anyio.sleep(waits[attempt])
        ctx.budget.spend(turns=1, frames=0 if reply.message is None else new_frames)
        return reply


def _system(text: Any) -> list[Any]:
    from inspect_ai.model import ChatMessageSystem

    return [ChatMessageSystem(content=str(text))] if text else []


def fatal(reply: Reply) -> bool:
    """Whether a reply ends the question: no statement came, and asking on would not help."""
    return reply.failure is not None and reply.failure.kind.value not in ("empty", "truncated", "filtered")


def raw_text(reply: Reply) -> str:
    """The reply as the model wrote it: providers of the engine take ``<think>`` blocks out of the text.

    Reasoning that is signed is the provider's own channel, not text of the model, and stays out.
    """
    content = getattr(reply.message, "content", "")
    blocks = [] if isinstance(content, str) else content
    thought = [b.reasoning for b in blocks if b.type == "reasoning" and b.reasoning and not b.signature]
    if not thought or "<think>" in reply.text:
        return reply.text
    return "".join(f"<think>{t}</think>" for t in thought) + reply.text
