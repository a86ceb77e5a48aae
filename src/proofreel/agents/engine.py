"""An agent of ours as an engine agent or solver, so that ``inspect eval`` and ``inspect view`` work with it.

The question comes from the sample: its text, its choices, and ``metadata``: ``video`` (path), and where known
``duration`` and ``transcript``. Nothing else of the metadata is read, so gold that a task keeps there stays unseen.
The trajectory goes into the store under ``proofreel_trajectory`` and the answer letter (or text) is the output.
"""

from typing import Any

from inspect_ai.agent import Agent, AgentState
from inspect_ai.agent import agent as engine_agent
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from proofreel.agents.agent import AgentContext, list_agents, run_agent
from proofreel.agents.budget import Budget
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError

STORE_KEY = "proofreel_trajectory"


def question_of(sample_id: str, text: str, choices: list[str], metadata: dict[str, Any]) -> Question:
    """The question of a sample, from the fields an agent may see and no others.

    Raises:
        UserError: the sample names no video.
    """
    video = metadata.get("video")
    if not video:
        raise UserError(f"sample {sample_id}: its metadata names no video; add metadata['video'] = path")
    return Question.ask(
        text,
        str(video),
        tuple(choices),
        id=sample_id,
        duration=metadata.get("duration"),
        transcript=metadata.get("transcript"),
    )


async def run_in_engine(
    name: str, question: Question, options: dict[str, Any], limits: dict[str, float | int | None]
) -> Trajectory:
    """Runs an agent with the engine's active model and its role ``perceiver``; the trajectory goes to the store."""
    return keep(await run_agent(name, question, engine_context(name, options, limits)))


def keep(trajectory: Trajectory) -> Trajectory:
    """Puts a trajectory where the scorer looks for it."""
    store().set(STORE_KEY, trajectory.model_dump(mode="json"))
    return trajectory


def engine_context(name: str, options: dict[str, Any], limits: dict[str, float | int | None]) -> AgentContext:
    """What an agent gets inside the engine: its active model and role ``perceiver``, a ledger in memory."""
    from proofreel.video import Ledger

    needs = list_agents()[name].needs_model if name in list_agents() else True
    model = get_model() if needs or options.get("with_model") else None
    return AgentContext(
        model=model,
        roles={} if model is None else {"perceiver": get_model(role="perceiver", default=model)},
        budget=Budget.of(**limits),
        ledger=Ledger(),
        options=dict(options),
        on_step=lambda state: store().set(STORE_KEY, state.model_dump(mode="json")),
    )


def answer_text(trajectory: Trajectory) -> str:
    """What the engine shows as the output: letter, else text, else empty (no answer)."""
    return trajectory.answer.letter or trajectory.answer.value or ""


@solver(name="video_agent")
def video_agent(
    agent: str = "video_react",
    options: dict[str, Any] | None = None,
    turns: int | None = None,
    tool_calls: int | None = None,
    tokens: int | None = None,
    frames: int | None = None,
    seconds: float | None = None,
    usd: float | None = None,
) -> Solver:
    """Runs one of our agents on a sample: ``inspect eval task.py --solver proofreel/video_agent -S agent=video_react``.

    Args:
        agent: its name.
        options: its options.
        turns: its budget; this and the following as in ``Limits``.
        tool_calls: see ``turns``.
        tokens: see ``turns``.
        frames: see ``turns``.
        seconds: see ``turns``.
        usd: see ``turns``.
    """
    limits: dict[str, float | int | None] = {
        "turns": turns,
        "tool_calls": tool_calls,
        "tokens": tokens,
        "frames": frames,
        "seconds": seconds,
        "usd": usd,
    }

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        choices = [c.value for c in state.choices]
        question = question_of(str(state.sample_id), state.input_text, choices, state.metadata)
        trajectory = await run_in_engine(agent, question, options or {}, limits)
        state.output = ModelOutput.from_content(trajectory.model or "none", answer_text(trajectory))
        state.messages.append(state.output.message)
        state.completed = True
        return state

    return solve


@engine_agent(name="video_question", description="Answers one question about a video, with evidence")
def video_question(
    question: dict[str, Any], agent: str = "video_react", options: dict[str, Any] | None = None
) -> Agent:
    """An engine agent bound to one question, for ``run`` and ``handoff`` inside engine programs.

    Args:
        question: a ``Question`` as a dict (so that the engine can log it).
        agent: name of our agent.
        options: its options.
    """
    asked = Question.model_validate(question)

    async def execute(state: AgentState) -> AgentState:
        trajectory = await run_in_engine(agent, asked, options or {}, {})
        state.output = ModelOutput.from_content(trajectory.model or "none", answer_text(trajectory))
        state.messages.append(state.output.message)
        return state

    return execute
