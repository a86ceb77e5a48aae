"""One item of a run inside the engine: the agent, the verdict, the line on disk."""

import gc
import os
from functools import cache
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.agents.agent import AGENTS
from proofreel.benchmarks import JudgeContext, Judged, get_benchmark
from proofreel.core import Answer, Item, Outcome, Question, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges import Verdict, window_score
from proofreel.judges.engine import score_of
from proofreel.models import use_ledger
from proofreel.runs.judging import judged_of
from proofreel.runs.live import Attempt, LiveRun, SampleLedger, current_attempt
from proofreel.runs.option_names import reads
from proofreel.runs.result import RunResult
from proofreel.runs.run_folder import utc_now
from proofreel.runs.settings import RunSettings

live_runs: dict[str, LiveRun] = {}
"""Runs of this process by id: the engine logs the arguments of a solver, so they must be plain values."""

NOT_STARTED = "not started"
INDEX_OPTIONS = ("fps", "ocr", "speech", "asr_model", "embed_model")
"""Options of an agent that are meant for ``perception.prepare``."""


@solver(name="run_item")
def run_item(run: str) -> Solver:
    """Runs the agent of a run on one sample and keeps the result at once.

    Args:
        run: id of the run.
    """
    live = live_runs[run]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _settle()
        key = (str(state.sample_id), state.epoch)
        done = live.finished.get(key)
        if done is None:
            attempt = await live.enter(key)
            if attempt is not None:
                done = await _attempted(attempt, live.items[key[0]])
        _show(state, done)
        return state

    return solve


async def _attempted(attempt: Attempt, item: Item) -> RunResult | None:
    """The finished result, None when the attempt was cut off."""
    token = current_attempt.set(attempt)
    result: RunResult | None = None
    try:
        with attempt.scope:
            result = await _result(attempt, item)
    finally:
        current_attempt.reset(token)
        with anyio.CancelScope(shield=True):
            await attempt.run.leave(attempt, result)
    return attempt.run.finished.get(attempt.key)


@cache
def _settle() -> None:
    """Once, when the first item runs and all is imported: our hooks, and a collector that leaves the imports alone.

    A full collection walks everything alive, most of which are imported modules: it stops the event loop for 0.2 s,
    and comes so rarely that the bytes of sent requests pile up in reference cycles. Frozen, it takes 0.02 s.
    """
    import proofreel.runs._hooks  # noqa: F401  registers with the engine

    gc.collect()
    gc.freeze()


async def _result(attempt: Attempt, item: Item) -> RunResult:
    settings = attempt.run.folder.settings
    try:
        ctx = await _context(attempt, item.question)
        with use_ledger(ctx.ledger):
            trajectory = await _examined(item, ctx, settings)
    except UserError as error:
        trajectory = _refused(attempt, item.question, str(error))
    except Exception as error:  # noqa: BLE001  one item's trouble, of any kind, is that item's outcome
        trajectory = _refused(attempt, item.question, f"{type(error).__name__}: {error}")
    judged = await _judged(trajectory, item, settings)
    return RunResult(
        item_id=item.question.id,
        epoch=attempt.key[1],
        attempt=attempt.number,
        agent=settings.agent,
        trajectory=trajectory,
        verdict=judged.verdict,
        details=judged.details,
        tiou=window_score(trajectory, item.gold),
        tokens=attempt.paid,
        replayed=attempt.replayed,
        seconds=attempt.elapsed,
        started=attempt.started,
        ended=utc_now(),
        calls=tuple(attempt.calls),
    )


async def _examined(item: Item, ctx: AgentContext, settings: RunSettings) -> Trajectory:
    """The agent on the question, in the benchmark's own way where it has one."""
    exam = get_benchmark(settings.benchmark).exam
    if exam is not None:
        return await exam(item, ctx, settings.agent)
    return await run_agent(settings.agent, item.question, ctx)


async def _judged(trajectory: Trajectory, item: Item, settings: RunSettings) -> Judged:
    try:
        ctx = JudgeContext(
            mode=settings.mode,
            judge=get_model(role="judge", required=True) if settings.judge else None,
            fallback=get_model(role="fallback_judge", required=True) if settings.fallback_judge else None,
            options=settings.options,
        )
        return await judged_of(trajectory, item, settings.benchmark, ctx)
    except Exception as error:  # noqa: BLE001  as above
        said = _line(f"{type(error).__name__}: {error}")
        return Judged(verdict=Verdict(outcome=Outcome.JUDGE_FAILED, reason=said))


def _line(said: str) -> str:
    return " ".join(said.split())[:500]


async def _context(attempt: Attempt, question: Question) -> AgentContext:
    settings = attempt.run.folder.settings
    model = get_model() if settings.model else None
    options: dict[str, Any] = {**settings.options, "mode": settings.mode}
    if reads("web_record", AGENTS.get(settings.agent).run.__module__):
        options.setdefault("web_record", str(attempt.run.folder.path.resolve() / "web"))
    if AGENTS.get(settings.agent).needs_index and "index" not in options:
        options["index"] = await index_of(attempt.run, question)
    return AgentContext(
        model=model,
        roles={name: get_model(role=name, required=True) for name in _roles(settings)},
        budget=Budget.of(**settings.limits),
        ledger=SampleLedger(attempt.run),
        options=options,
        on_wait=lambda tried, why, pause: attempt.run.watcher.waiting(attempt.key, tried, why, pause),
    )


def _roles(settings: RunSettings) -> list[str]:
    return [*(["perceiver"] if settings.perceiver else []), *settings.roles]


async def index_of(live: LiveRun, question: Question) -> Any:
    """The index of a video, prepared in a thread, once per video and run, at most one per core at a time."""
    from proofreel.perception import prepare

    video = question.video
    chosen = live.folder.settings.options
    settings = {k: chosen[k] for k in INDEX_OPTIONS if chosen.get(k) is not None}
    async with live.indexes.setdefault(f"lock {video}", anyio.Lock()):
        if video not in live.indexes:
            cores = live.indexes.setdefault("cores", anyio.CapacityLimiter(os.cpu_count() or 1))
            live.indexes[video] = await anyio.to_thread.run_sync(
                lambda: prepare(video, transcript=question.transcript, **settings),
                abandon_on_cancel=True,
                limiter=cores,
            )
    return live.indexes[video]


def _refused(attempt: Attempt, question: Question, why: str) -> Trajectory:
    settings = attempt.run.folder.settings
    return Trajectory(
        question_id=question.id,
        agent=settings.agent,
        model=settings.model,
        answer=Answer(stop=StopReason.HARNESS_ERROR, reason=_line(why)),
        tokens=attempt.paid + attempt.replayed,
        seconds=attempt.elapsed,
    )


def _show(state: TaskState, done: RunResult | None) -> None:
    """What the engine's log and viewer show of an item."""
    answer = "" if done is None else done.trajectory.answer.letter or done.trajectory.answer.value or ""
    name = "none" if done is None else done.trajectory.model or "none"
    state.output = ModelOutput.from_content(name, answer)
    state.messages.append(state.output.message)
    state.completed = True


@scorer(metrics=[accuracy(), stderr()], name="run_verdict")
def run_verdict(run: str) -> Scorer:
    """The verdict that is in the run's folder already, in the engine's form.

    Args:
        run: id of the run.
    """
    live = live_runs[run]

    async def score(state: TaskState, target: Target) -> Score:
        done = live.finished.get((str(state.sample_id), state.epoch))
        if done is None:
            return Score.unscored(reason=NOT_STARTED, explanation=live.stopped or "cut off; resume the run")
        return score_of(done.verdict, done.tiou)

    return score
