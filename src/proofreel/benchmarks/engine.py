"""Every benchmark as an engine task: ``inspect eval proofreel/agentvidbench -T data=DIR -T agent=video_react``.

Runs started this way are the engine's: its logs, its resume. ``proofreel run`` keeps more (see ``runs``).
"""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, model_roles
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from proofreel.agents.engine import (
    STORE_KEY,
    answer_text,
    engine_context,
    keep,
    question_of,
    video_agent,
)
from proofreel.benchmarks.benchmark import Benchmark, get_benchmark, list_benchmarks
from proofreel.benchmarks.hooks import JudgeContext
from proofreel.core import Gold, Item, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges import judge_answer, window_score
from proofreel.judges.engine import score_of
from proofreel.models import use_ledger

FLAGS: dict[str, Any] = {"fail_on_error": False}


def sample_of(item: Item) -> Sample:
    """A question as an engine sample.

    The gold record lies in the metadata for the scorer; ``video_agent`` reads ``video``, ``duration`` and
    ``transcript`` from there and nothing else.
    """
    question = item.question
    asked = {"video": question.video, "duration": question.duration, "transcript": question.transcript}
    return Sample(
        id=question.id,
        input=question.text,
        choices=[o.text for o in question.options] or None,
        target=item.gold.answer or "",
        metadata={
            **{k: v for k, v in asked.items() if v is not None},
            "gold": item.gold.model_dump(mode="json"),
            "slices": item.metadata,
        },
    )


def item_of(state: TaskState) -> Item:
    """The question of a sample with its gold, for what may see it: exams and judges."""
    choices = [c.value for c in state.choices]
    return Item(
        question=question_of(str(state.sample_id), state.input_text, choices, state.metadata),
        gold=Gold.model_validate(state.metadata.get("gold") or {"answer": None}),
        metadata=state.metadata.get("slices") or {},
    )


@solver(name="benchmark_exam")
def benchmark_exam(benchmark: str, agent: str, options: dict[str, Any]) -> Solver:
    """Puts a sample to an agent in the benchmark's own way.

    Args:
        benchmark: its name; it has an exam.
        agent: name of an agent.
        options: its options.
    """
    exam = get_benchmark(benchmark).exam
    if exam is None:
        raise UserError(f"{benchmark} has no way of its own to put questions")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ctx = engine_context(agent, options, {})
        with use_ledger(ctx.ledger):
            trajectory = keep(await exam(item_of(state), ctx, agent))
        state.output = ModelOutput.from_content(trajectory.model or "none", answer_text(trajectory))
        state.messages.append(state.output.message)
        state.completed = True
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()], name="benchmark_verdict")
def benchmark_verdict(benchmark: str, mode: str = "careful", options: dict[str, Any] | None = None) -> Scorer:
    """Judges as ``proofreel run`` does; the roles ``judge`` and ``fallback_judge`` are asked where there are any.

    Args:
        benchmark: its name.
        mode: careful or official.
        options: those of the agent.
    """
    own = get_benchmark(benchmark).judge

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(STORE_KEY)
        if kept is None:
            return Score.unscored(reason="harness_failed", explanation="the agent left no trajectory")
        trajectory, item = Trajectory.model_validate(kept), item_of(state)
        tiou = window_score(trajectory, item.gold)
        if own is None:
            return score_of(judge_answer(trajectory, item), tiou)
        roles = model_roles()
        ctx = JudgeContext(
            mode="official" if mode == "official" else "careful",
            judge=roles.get("judge"),
            fallback=roles.get("fallback_judge"),
            options=options or {},
        )
        judged = await own(trajectory, item, ctx)
        found = score_of(judged.verdict, tiou)
        found.metadata = {**(found.metadata or {}), "details": judged.details}
        return found

    return score


def _task(bench: Benchmark) -> None:
    name = bench.name

    @task(name=name)
    def benchmark_task(
        data: str | None = None,
        agent: str = "video_react",
        mode: str = "careful",
        options: dict[str, Any] | None = None,
    ) -> Task:
        loaded = bench.load(Path(data) if data else None)
        chosen = {**(options or {}), "mode": mode}
        return Task(
            dataset=MemoryDataset([sample_of(i) for i in loaded.items], name=name),
            solver=video_agent(agent, chosen) if bench.exam is None else benchmark_exam(name, agent, chosen),
            scorer=benchmark_verdict(name, mode, chosen),
            **FLAGS,
        )


for _benchmark in list_benchmarks():
    _task(_benchmark)
