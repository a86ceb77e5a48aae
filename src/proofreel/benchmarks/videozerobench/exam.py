"""The levels as calls: five independent ones a question, each with its own hints, or one for everything."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from proofreel.agents import AgentContext, run_agent
from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import unpriced
from proofreel.benchmarks.videozerobench import prompts
from proofreel.benchmarks.videozerobench.asked import ask_by_levels, by_levels
from proofreel.benchmarks.videozerobench.evidence import read_evidence
from proofreel.benchmarks.videozerobench.gold import prompt_key_times
from proofreel.benchmarks.videozerobench.inputs import APART, input_parts, with_input
from proofreel.benchmarks.videozerobench.levels import LEVELS, Case, skip_reason, store_reply, user_text
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.benchmarks.videozerobench.sight import Sight, look
from proofreel.benchmarks.videozerobench.text import first_answer, last_answer
from proofreel.core import Answer, Evidence, Item, StopReason, Trajectory
from proofreel.tools.model_call import Reply, ask_model, model_name, takes_video
from proofreel.video.errors import VideoError

T = TypeVar("T")
_room: RunVar[anyio.CapacityLimiter] = RunVar("proofreel_levels")
AGENT = "levels"
"""The agent whose questions are put level by level by direct calls; others are asked once (see also ``asked``)."""


async def exam(item: Item, ctx: AgentContext, agent: str) -> Trajectory:
    """Puts a question: to ``levels`` by separate calls (or one joint call), to any other agent once.

    Raises:
        UserError: a setting is not valid.
        UnknownPriceError: money is limited and a model has no price.
    """
    if by_levels(agent, ctx.options):
        return await ask_by_levels(item, ctx, agent)
    if agent != AGENT:
        return await run_agent(agent, item.question, ctx)
    from proofreel.models import call_defaults, model_card

    if ctx.budget.limits.usd is not None:
        ctx.budget.check_priced(unpriced(ctx))
    name = model_name(ctx.model)
    ctx = replace(ctx, options=with_input(ctx.options))
    images = model_card(name).max_images
    settings = ExamSettings.of(ctx.options, name, takes_video=takes_video(ctx.model), max_images=images)
    recorder = Recorder(AGENT, item.question, ctx, **settings.told(), prompts=prompts_hash())
    with call_defaults(on_wait=ctx.on_wait, seconds=ctx.budget.call_seconds):
        if settings.ask == "joint":
            from proofreel.benchmarks.videozerobench.joint import ask_joint

            return await ask_joint(item, ctx, settings, recorder)
        return await _Exam(item, ctx, settings, recorder).run()


@cache
def prompts_hash() -> str:
    """SHA-256 over the words of the levels: they lie outside the agent's own modules."""
    import hashlib

    digest = hashlib.sha256()
    for name in ("prompts", "levels", "joint", "asked", "inputs"):
        spec = find_spec(f"proofreel.benchmarks.videozerobench.{name}")
        if spec is not None and spec.origin:
            digest.update(Path(spec.origin).read_bytes())
    return digest.hexdigest()


async def ask(ctx: AgentContext, text: str, sight: Sight) -> Reply:
    """One call: system text, media, words; temperature 0 unless the run says otherwise."""
    from inspect_ai.model import ChatMessageSystem

    from proofreel.models import media_message

    told = getattr(getattr(ctx.model, "config", None), "temperature", None)
    temperature = ctx.options.get("temperature", 0.0 if told is None else told)
    reply = await ask_model(
        ctx.model,
        [ChatMessageSystem(content=prompts.SYSTEM), media_message(text, sight.refs)],
        config={"temperature": temperature, **ctx.options.get("config", {})},
        ledger=ctx.ledger,
        role="main",
        on_wait=ctx.on_wait,
    )
    ctx.budget.spend(turns=1, use=reply.tokens, frames=0 if reply.message is None else sight.frames)
    return reply


def too_many(ctx: AgentContext, sight: Sight) -> str | None:
    """Why a call is not made: it would show more frames than the budget leaves."""
    left = ctx.budget.frames_left
    return None if left is None or sight.frames <= left else f"budget: {sight.frames} frames, {left} are left"


async def see(item: Item, settings: ExamSettings, key_times: tuple[float, ...] = ()) -> Sight:
    """``look`` off the event loop."""
    question = item.question
    return await off_loop(partial(look, question.video, settings, key_times, question.duration))


async def off_loop(work: Callable[[], T]) -> T:
    """Decoding in a thread, at most one per core at a time: more would only take memory."""
    limiter = _room.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(os.cpu_count() or 1)
        _room.set(limiter)
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)


def usable(reply: Reply, mode: str) -> str | None:
    """The text of a reply, None when it is no statement (official: cut and filtered text is text)."""
    kind = None if reply.failure is None else reply.failure.kind.value
    readable = kind is None or (mode == "official" and kind in ("truncated", "filtered") and reply.text)
    return reply.text if readable else None


class _Exam:
    """The calls on one question, in the order of the levels."""

    def __init__(self, item: Item, ctx: AgentContext, settings: ExamSettings, recorder: Recorder) -> None:
        self.item, self.ctx, self.settings, self.recorder = item, ctx, settings, recorder
        self.case = Case.of_item(item)
        self.evidence: list[Evidence] = []
        self.answer = Answer(stop=StopReason.UNPARSED, reason="level 3 was not asked")
        self._plain: Sight | None = None
        self._note = ""

    async def run(self) -> Trajectory:
        for level in self.settings.levels:
            await self._level(level)
        return self.recorder.finish(self.answer.model_copy(update={"evidence": tuple(self.evidence)}))

    async def _level(self, level: int) -> None:
        reason = skip_reason(self.case, level, self.settings.mode)
        if reason is None and (limit := self.ctx.budget.exhausted()):
            reason = f"budget: {limit} used up"
            self._failed(level, StopReason.BUDGET, reason)
        if reason is not None:
            self._keep(level, store_reply(level, None, None, reason), None, None)
            return
        try:
            sight = await self._sight(level)
        except VideoError as error:
            self._failed(level, StopReason.HARNESS_ERROR, f"media: {error}")
            self._keep(level, store_reply(level, None, None, f"media: {error}"), None, None)
            return
        if said := too_many(self.ctx, sight):
            self._failed(level, StopReason.BUDGET, said)
            self._keep(level, store_reply(level, None, None, said), None, sight)
            return
        thinking = self.settings.thinking
        text = user_text(self.case, level, sight.shown, thinking=thinking, mode=self.settings.mode)
        text = f"{self._note}\n{text}" if self._note else text
        reply = await ask(self.ctx, text, sight)
        answer = usable(reply, self.settings.mode)
        if answer is not None and thinking and self.settings.mode == "official" and reply.thinking:
            # The engine takes tags out that the model was asked to write; the published scorer reads them.
            answer = f"<think>{reply.thinking}</think>{answer}"
        said = str(reply.failure) if answer is None and reply.failure is not None else None
        entry = store_reply(level, answer, sight.shown, said)
        if said is not None and reply.failure is not None:
            self._failed(level, reply.failure.stop, said)
        elif answer is not None and level == 3:
            read = first_answer if self.settings.mode == "official" else last_answer
            self.answer = self._given(read(answer).strip(), answer)
        self._keep(level, entry, reply, sight)

    def _given(self, value: str, reason: str) -> Answer:
        letters = [o.letter for o in self.item.question.options]
        letter = value.strip(" .)").upper() if value.strip(" .)").upper() in letters else None
        return Answer(value=value, letter=letter, reason=reason)

    def _failed(self, level: int, stop: StopReason, reason: str) -> None:
        if level == 3:
            self.answer = Answer(stop=stop, reason=reason)

    async def _sight(self, level: int) -> Sight:
        if LEVELS[level].key_frames:
            keys = tuple(float(t) for t in prompt_key_times(self.case.evidence_boxes, self.settings.mode))
            return await see(self.item, self.settings, keys)
        if self._plain is None:
            self._plain = await self._see_input()
        return self._plain

    async def _see_input(self) -> Sight:
        kind = self.ctx.options.get("input")
        if kind not in APART:
            return await see(self.item, self.settings)
        sight, self._note = await off_loop(partial(input_parts, self.item, kind, self.settings))
        return sight

    def _keep(self, level: int, entry: Mapping[str, Any], reply: Reply | None, sight: Sight | None) -> None:
        """Writes the step; what levels 4 and 5 claim becomes evidence of the answer."""
        words = "" if reply is None else "\n\n".join(t for t in (reply.thinking, reply.text) if t)
        self.recorder.step(
            "thinking",
            words,
            tokens=None if reply is None else reply.tokens,
            level=LEVELS[level].key,
            prediction=dict(entry),
            failure=None if reply is None or reply.failure is None else str(reply.failure),
            notes=list(reply.notes) if reply is not None and reply.notes else None,
            lost_key_frames=list(sight.lost) if sight is not None and sight.lost else None,
            flagged_frames=sight.flagged if sight is not None and sight.flagged else None,
        )
        if level >= 4:
            frames = () if reply is None else reply.frames
            self.evidence += read_evidence(entry, len(self.recorder.steps), frames, self.settings.mode)
