"""The levels put to agents that look for themselves: on every level the agent runs as a whole, with the level's words.

``--agent videochat_r15 --set levels=1,2,3,4`` asks so; without ``levels`` such an agent is asked once, like any other.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proofreel.agents import AgentContext, Recorder, run_agent
from proofreel.benchmarks.videozerobench import prompts
from proofreel.benchmarks.videozerobench.evidence import read_evidence
from proofreel.benchmarks.videozerobench.gold import prompt_key_times
from proofreel.benchmarks.videozerobench.levels import LEVELS, Case, Shown, skip_reason, store_reply
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.core import Answer, Evidence, Item, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools.model_call import model_name

AGENTS = ("videochat_r15", "video_o3", "localize_then_answer")
EXAM = ("levels", "box_mode")
"""Options that are the exam's and not the agent's."""


def by_levels(agent: str, options: Mapping[str, Any]) -> bool:
    """Whether an agent is to be asked level by level."""
    return agent in AGENTS and options.get("levels") is not None


def words(case: Case, level: int, settings: ExamSettings) -> dict[str, Any]:
    """The agent's options for a level: what it asks, of which kind, and the key times it must see.

    Raises:
        UserError: boxes in pixels of frames whose size the agent chooses.
    """
    spec, mode = LEVELS[level], settings.mode
    out: dict[str, Any] = {
        "task": spec.task,
        "system": prompts.SYSTEM,
        "localize": prompts.moments_prompt(case.question),
    }
    if spec.task == "temporal_grounding":
        return out | {"asked": prompts.moments_prompt(case.question)}
    if spec.task == "spatial_grounding":
        if settings.box_mode is CoordinateMode.ABSOLUTE:
            raise UserError(
                "box_mode=absolute: the agent chooses the size of its frames; use box_mode=0-1000"
            )
        asked = prompts.boxes_prompt(case.question, case.evidence_boxes, settings.box_mode, None, mode)
        times = [float(t) for t in prompt_key_times(case.evidence_boxes, mode)]
        return out | {"asked": asked, "key_times": times}
    hints = []
    if spec.temporal_hint:
        hints.append(prompts.temporal_hint(case.evidence_windows, mode))
    if spec.spatial_hint:
        unit = CoordinateMode.UNIT if settings.box_mode is CoordinateMode.ABSOLUTE else settings.box_mode
        hints.append(prompts.spatial_hint(case.evidence_boxes, unit, None, mode))
    return out | {"asked": "\n".join([f"Question: {case.question}", *(h for h in hints if h)])}


async def ask_by_levels(item: Item, ctx: AgentContext, agent: str) -> Trajectory:
    """Runs the agent on every level asked for; the answer is that of level 3.

    Raises:
        UserError: a setting is not valid.
        VideoError: the video cannot be read.
    """
    chosen = {k: v for k, v in ctx.options.items() if k in (*EXAM, "mode")}
    settings = ExamSettings.of(chosen, model_name(ctx.model))
    case = Case.of_item(item)
    recorder = Recorder(agent, item.question, ctx, mode=settings.mode, levels=list(settings.levels))
    answer = Answer(stop=StopReason.UNPARSED, reason="level 3 was not asked")
    evidence: list[Evidence] = []
    for level in settings.levels:
        reason = skip_reason(case, level, settings.mode)
        if reason is None and (limit := ctx.budget.exhausted()):
            reason = f"budget: {limit} used up"
            answer = Answer(stop=StopReason.BUDGET, reason=reason) if level == 3 else answer
        if reason is not None:
            recorder.step(
                "thinking", level=LEVELS[level].key, prediction=store_reply(level, None, None, reason)
            )
            continue
        before = _entries(ctx)
        options = {k: v for k, v in ctx.options.items() if k not in EXAM} | words(case, level, settings)
        ran = await run_agent(agent, item.question, replace(ctx, options=options, on_step=None))
        offset = len(recorder.steps)
        for step in (s for s in ran.steps if s.phase != "answer"):  # one trajectory has one answer
            recorder.step(
                step.phase,
                step.text,
                calls=step.calls,
                observations=tuple(
                    o.model_copy(update={"evidence": _moved(o.evidence, offset)}) for o in step.observations
                ),
                tokens=step.tokens,
                **(step.data | {"level": LEVELS[level].key}),
            )
        given = ran.answer.letter or ran.answer.value
        error = None if given is not None else f"{ran.answer.stop.value}: {ran.answer.reason}"
        shown = Shown(item.question.duration or 0.0, None, None, settings.box_mode)
        entry = store_reply(level, given, shown, error)
        recorder.step("thinking", level=LEVELS[level].key, prediction=entry, failure=error)
        if level == 3:
            answer = ran.answer.model_copy(update={"evidence": _moved(ran.answer.evidence, offset)})
        elif level == 4:
            evidence += _moved(ran.answer.evidence, offset)
        elif level == 5:
            times = tuple(f.time for e in _entries(ctx)[len(before) :] for f in e.frames)
            evidence += read_evidence(entry, len(recorder.steps), times, settings.mode, agent)
    return recorder.finish(answer.model_copy(update={"evidence": tuple(evidence) or answer.evidence}))


def _entries(ctx: AgentContext) -> tuple[Any, ...]:
    return () if ctx.ledger is None else tuple(ctx.ledger.entries)


def _moved(evidence: tuple[Evidence, ...], offset: int) -> tuple[Evidence, ...]:
    """Evidence whose steps count from the start of the whole trajectory."""
    out = []
    for piece in evidence:
        step = piece.provenance.step
        origin = piece.provenance.model_copy(update={"step": None if step is None else step + offset})
        out.append(piece.model_copy(update={"provenance": origin}))
    return tuple(out)
