"""The agent protocol: ``async (question, context) -> Trajectory``, named by a decorator in its own file."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proofreel.agents.budget import Budget
from proofreel.core import Answer, Question, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools import Registry, is_engine_limit
from proofreel.video.errors import VideoError


@dataclass
class AgentContext:
    """Everything an agent is given besides the question; none of it is gold.

    Attributes:
        model: main model (engine ``Model``), None for agents that need none.
        roles: other models by role, such as ``perceiver``.
        budget: limits of one question.
        ledger: record of the frames shown to models.
        options: settings of the agent, such as ``mode="official"`` or ``fps=1``.
        on_step: called with the trajectory so far after every step, so that nothing is lost.
        perceiver: model that looks at pictures; ``roles["perceiver"]`` or the main model when not given.
        on_wait: called with (attempt, reason, seconds) whenever a model call waits before another attempt.
    """

    model: Any = None
    roles: dict[str, Any] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    ledger: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    on_step: Callable[[Trajectory], None] | None = None
    perceiver: Any = None
    on_wait: Callable[[int, str, float], None] | None = None

    def __post_init__(self) -> None:
        self.perceiver = self.perceiver or self.roles.get("perceiver") or self.model

    @property
    def mode(self) -> str:
        """``careful`` (default) or ``official``."""
        return str(self.options.get("mode", "careful"))


AgentFn = Callable[[Question, AgentContext], Awaitable[Trajectory]]


@dataclass(frozen=True)
class AgentSpec:
    """A registered agent."""

    name: str
    summary: str
    needs_model: bool
    run: AgentFn
    needs_index: bool = False
    check: Callable[[Mapping[str, Any]], object] | None = None


AGENTS: Registry[AgentSpec] = Registry("agent", "proofreel.agents", "proofreel.agents")


def agent(
    name: str,
    *,
    needs_model: bool,
    summary: str,
    needs_index: bool = False,
    check: Callable[[Mapping[str, Any]], object] | None = None,
) -> Callable[[AgentFn], AgentFn]:
    """Registers an agent under a name; the function stays a plain function.

    With ``needs_index`` the caller prepares the video and passes the ``VideoIndex`` as ``options["index"]``. With
    ``check`` a run asks once, before anything else, whether the agent can work with its options: it raises a
    ``UserError`` when not.
    """

    def register(run: AgentFn) -> AgentFn:
        AGENTS.add(name, AgentSpec(name, summary, needs_model, run, needs_index, check))
        return run

    return register


def list_agents() -> dict[str, AgentSpec]:
    """Every agent by name."""
    return AGENTS.all()


async def run_agent(name: str, question: Question, ctx: AgentContext) -> Trajectory:
    """Runs one agent on one question.

    Failures of models, of the video file and of the agent's own code end in a trajectory that says so; what the
    caller got wrong (unknown agent, missing model, a budget that cannot be kept) is raised before the first call.

    Raises:
        UnknownNameError: no such agent.
        UserError: the agent needs a model and there is none, or an option is not valid.
        UnknownPriceError: money is limited and a model has no price.
    """
    spec = AGENTS.get(name)
    if spec.needs_model and ctx.model is None:
        raise UserError(f"agent {name!r} needs a model; give one with --model")
    if ctx.mode not in ("official", "careful"):
        raise UserError(f"mode is official or careful, got {ctx.mode!r}")
    if ctx.budget.limits.usd is not None:
        ctx.budget.check_priced(unpriced(ctx))
    last: list[Trajectory] = []

    def keep(state: Trajectory) -> None:
        last[:] = [state]
        if ctx.on_step is not None:
            ctx.on_step(state)

    from proofreel.models import call_defaults

    began = time.monotonic()
    try:
        with call_defaults(on_wait=ctx.on_wait, seconds=ctx.budget.call_seconds):
            return await spec.run(question, replace(ctx, on_step=keep))
    except VideoError as error:
        # One broken file must not end a run over many; the trajectory names the file.
        return _ended(name, question, ctx, last, error, began)
    except UserError:
        raise
    except Exception as error:
        if is_engine_limit(error):
            raise
        return _ended(name, question, ctx, last, error, began)


def unpriced(ctx: AgentContext) -> list[str]:
    """Names of the context's models without a price, each once."""
    models = [m for m in (ctx.model, ctx.perceiver, *ctx.roles.values()) if m is not None]
    if not models:
        return []
    from proofreel.models.cards import model_card

    names = dict.fromkeys(str(m).removeprefix("proofreel/") for m in models)
    return [n for n in names if not model_card(n).prices]


def _ended(
    name: str,
    question: Question,
    ctx: AgentContext,
    last: list[Trajectory],
    error: Exception,
    began: float,
) -> Trajectory:
    """The steps so far, closed with what went wrong."""
    model = None if ctx.model is None else str(ctx.model)
    state = last[0] if last else Trajectory(question_id=question.id, agent=name, model=model)
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:500]
    return state.model_copy(
        update={
            "answer": Answer(stop=StopReason.HARNESS_ERROR, reason=reason),
            "seconds": time.monotonic() - began,
        }
    )
