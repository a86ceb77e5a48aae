"""Summaries: the evaluated model condenses what a tool returned, in a call of its own; only that joins the talk."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents import _videogaia_prompts as prompts
from proofreel.agents._role_calls import RoleCalls
from proofreel.agents._sampling import main_config
from proofreel.agents._videogaia.reply import harmless
from proofreel.agents.agent import AgentContext
from proofreel.agents.answers import after_thinking
from proofreel.core import TokenUse
from proofreel.models.failure import ModelFailure

TOKENS = 400
THINKING = 8192
"""Room beside the summary for models that reason before they write."""


@dataclass(frozen=True)
class Digest:
    """A summary.

    Attributes:
        text: what joins the talk; empty when there is none.
        failure: why there is none.
        notes: cut, or media changed to fit.
        frames: true times of the frames shown.
    """

    text: str = ""
    failure: ModelFailure | None = None
    tokens: TokenUse = TokenUse()  # noqa: RUF009  frozen
    notes: tuple[str, ...] = ()
    frames: tuple[float, ...] = ()

    @property
    def dead(self) -> bool:
        """The model cannot be had any more."""
        return self.failure is not None and self.failure.kind.value not in ("empty", "truncated", "filtered")


def summary_config(ctx: AgentContext, cap: int) -> dict[str, Any]:
    """Settings of a summary call: those of the agent with room for the summary alone, and for reasoning before it."""
    room = ctx.options.get("thinking_budget", THINKING)
    return main_config(ctx) | {"max_tokens": cap + int(room or 0)}


async def condense(
    calls: RoleCalls, prompt: str, cap: int, refs: Sequence[Any] = (), frames: int = 0
) -> Digest:
    """The summary of a context.

    Args:
        calls: books the call under the role ``summary``; it is no step.
        prompt: question, call and context.
        cap: tokens a summary may have, by a rough count; what is longer is cut.
        refs: frames that are the context.
        frames: how many.
    """
    reply = await calls.ask(
        prompt,
        role="summary",
        system=prompts.SUMMARY_SYSTEM.format(tokens=cap),
        refs=refs,
        frames=frames,
    )
    text = harmless(after_thinking(reply.text).strip())
    usable = bool(text) and (reply.failure is None or reply.failure.kind.value == "truncated")
    notes = list(reply.notes)
    if usable:
        text, cut = shortened(text, cap)
        notes += ["summary cut at its length limit"] if cut or reply.failure is not None else []
    return Digest(
        text if usable else "",
        None if usable else reply.failure,
        reply.tokens,
        tuple(notes),
        reply.frames,
    )


def shortened(text: str, cap: int) -> tuple[str, bool]:
    """At most ``cap`` tokens of a text by a rough count, and whether anything is missing."""
    from proofreel.models.estimate import text_tokens

    count = text_tokens(text)
    if count <= cap:
        return text, False
    kept = text[: max(1, len(text) * cap // count)]
    return kept.rsplit(" ", 1)[0] + " [cut]", True


def trace(raw: str) -> dict[str, Any]:
    """What is kept of a raw context: its hash and size."""
    return {"raw_sha256": hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest(), "raw_chars": len(raw)}
