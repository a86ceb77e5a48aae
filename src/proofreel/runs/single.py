"""One question about one video: from the file to the trajectory."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError
from proofreel.video import Ledger, probe

Progress = Callable[[str, float, float, str], None]


@dataclass
class Setup:
    """Who answers, and with what.

    Attributes:
        agent: agent name.
        model: main model as ``provider/model``; None for agents that need none.
        perceiver: model that looks at frames; the main model when None.
        roles: further models by role, such as ``captioner``.
        base_url: address of an OpenAI-compatible or other server for both models.
        mode: ``careful`` or ``official``.
        limits: budget of one question (turns, tool_calls, tokens, frames, seconds, usd).
        options: settings of the agent.
        ledger: file that records what models were shown; None keeps it in memory.
    """

    agent: str = "retrieval"
    model: str | None = None
    perceiver: str | None = None
    roles: dict[str, str] = field(default_factory=dict)
    base_url: str | None = None
    mode: str = "careful"
    limits: dict[str, float | int | None] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    ledger: Path | None = None


def make_question(
    video: Path, text: str, options: tuple[str, ...] = (), transcript: Path | None = None
) -> Question:
    """A question about a file that can be read.

    Raises:
        VideoError: the file is missing, broken or no media.
        UserError: the question or its options cannot be used.
    """
    info = probe(video)
    if not any(c.isalnum() for c in text):
        raise UserError("the question is empty; write it in quotes after the video")
    if len(options) == 1:
        raise UserError("one option leaves nothing to choose; give two or more, or none for an open answer")
    if len(options) > 26:
        raise UserError(f"{len(options)} options; letters end at Z, so 26 at most")
    if transcript is not None:
        from proofreel.video import load_transcript

        load_transcript(transcript)
    return Question.ask(
        text.strip(),
        str(video),
        options,
        duration=info.duration,
        transcript=str(transcript) if transcript else None,
    )


def context(setup: Setup, *, index: Any = None, on_wait: Callable[..., None] | None = None) -> AgentContext:
    """A fresh context: models resolved, budget unspent.

    Raises:
        UserError: a model cannot be used (unknown, no key, ...).
    """
    ledger = Ledger(setup.ledger)
    model = perceiver = None
    roles: dict[str, Any] = {}
    if setup.model or setup.perceiver or setup.roles:
        from proofreel.models import resolve_model

        args: dict[str, Any] = {"base_url": setup.base_url, "ledger": ledger}
        model = resolve_model(setup.model, role="main", **args) if setup.model else None
        perceiver = resolve_model(setup.perceiver, role="perceiver", **args) if setup.perceiver else None
        roles = {r: resolve_model(m, role=r, **args) for r, m in setup.roles.items()}
    options = {**setup.options, "mode": setup.mode}
    if index is not None:
        options["index"] = index
    return AgentContext(
        model=model,
        perceiver=perceiver,
        roles=roles,
        budget=Budget.of(**setup.limits),
        ledger=ledger,
        options=options,
        on_wait=on_wait,
    )


def ask(question: Question, setup: Setup, ctx: AgentContext) -> Trajectory:
    """Runs the agent to its end; what goes wrong on the way is said by the trajectory."""
    return asyncio.run(run_agent(setup.agent, question, ctx))


def frames_seen(ctx: AgentContext, question: Question) -> list[float]:
    """Times of all frames models were shown, in order."""
    from proofreel.core import Window

    end = question.duration if question.duration is not None else 1e9
    return sorted(set(ctx.ledger.seen(Window(start=0.0, end=end))))
