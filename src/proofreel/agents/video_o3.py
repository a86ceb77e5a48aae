"""Video-o3: one growing conversation in which the model asks for closer looks at stretches until it answers.

Protocol: agents, section 8. Options: ``mode`` (careful, official), ``turns`` (8, then one forced answer), ``fps`` (2),
``min_frames`` (4), ``max_frames`` (768), ``crop_fps`` (2, our reading), ``video_tokens`` (16384, for the whole video),
``dynamic`` (true; false gives every crop the medium quota), ``patch`` (28; 32 for models with patch 16),
``frames_as`` (images, video), ``quality`` (85), ``temperature`` (0), ``config``, ``retry_waits``. An exam may put its
own words with ``asked``, ``task`` and ``key_times``.
"""

from dataclasses import dataclass, field

from proofreel.agents import _video_o3_prompts as prompts
from proofreel.agents._footage import image_limit, open_footage
from proofreel.agents._o3_crop import follow, split_thinking, whole_video
from proofreel.agents._o3_thread import Thread
from proofreel.agents._recorder import Recorder
from proofreel.agents._rounds import claim
from proofreel.agents._tagged import TASKS, answer_form, read_answer
from proofreel.agents._thinking_plan import O3_ASSUMES as PLAN_ASSUMES
from proofreel.agents._thinking_plan import planned_talk as plan_calls
from proofreel.agents._video_o3 import (
    MAX_TURNS,
    InvalidGroundingError,
    answer_text,
    cut_reply,
    read_grounding,
)
from proofreel.agents._viewing import LIMITS, Viewer, choice, fatal, generation, number, raw_text
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.moments import windows_in
from proofreel.core import Answer, Evidence, Observation, Question, StopReason, ToolCall, Trajectory
from proofreel.tools.model_call import Reply

__all__ = ["PLAN_ASSUMES", "plan_calls", "video_o3"]

NEW_TOKENS = 4096
TOOL = "VideoCrop"


@agent(
    "video_o3",
    needs_model=True,
    summary="asks for closer looks at stretches of the video in one conversation until it answers",
)
async def video_o3(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs the conversation on one question; every model failure ends in the trajectory.

    Raises:
        UserError: an option is not valid.
        VideoError: the video cannot be read.
    """
    options = ctx.options
    frames_as = choice(options, "frames_as", ("images", "video"))
    task = choice(options, "task", TASKS)
    side = number(options, "patch", 28, least=1)
    quality = number(options, "quality", 85, least=1)
    turns, left = number(options, "turns", MAX_TURNS, least=1) + 1, ctx.budget.left("turns")
    turns = turns if left is None else max(1, min(turns, int(left)))
    footage = await open_footage(question.video)
    recorder = Recorder("video_o3", question, ctx, mode=ctx.mode, prompts=prompts.VERSION, turns=turns)
    viewer = Viewer(ctx, footage, side, generation(ctx, NEW_TOKENS), frames_as, quality)
    images = image_limit(ctx.model, frames_as)
    return await _Talk(question, ctx, viewer, recorder, task, turns, images).run()


@dataclass
class _Talk:
    """The conversation on one question, each step written down; ``turns`` counts down to the forced one."""

    question: Question
    ctx: AgentContext
    viewer: Viewer
    recorder: Recorder
    task: str
    turns: int
    most_images: int | None
    thread: Thread = field(default_factory=Thread)
    evidence: list[Evidence] = field(default_factory=list)
    looks: int = 0

    async def run(self) -> Trajectory:
        """Turns until an answer; the last one is forced."""
        await self._first()
        while True:
            forced = self._last_turn()
            if forced is not None:
                self.thread.say(prompts.LAST.format(form=self._form()))
            reply = await self.viewer.ask(self.thread.messages, self.thread.pending)
            self.turns -= 1
            self.thread.sent()
            text = self._cut(reply)
            self._write(reply, text, forced)
            if fatal(reply) and reply.failure is not None:
                return self.recorder.finish(Answer(stop=reply.failure.stop, reason=str(reply.failure)))
            done = self._done(reply, text, forced=forced is not None)
            if done is not None:
                return self.recorder.finish(done)
            self.thread.heard(text)
            await self._look(text, reply)

    def _form(self) -> str:
        return answer_form(self.question, self.task, asked="asked" in self.ctx.options)

    async def _first(self) -> None:
        """Observation 0: the whole video; half of what may be shown is kept for closer looks."""
        room = self._room()
        shot = whole_video(self.viewer, None if room is None else (room + 1) // 2)
        words = prompts.FIRST.format(
            frames=len(shot.frames),
            fps=shot.fps,
            duration=self.viewer.footage.duration,
            asked=self.ctx.options.get("asked") or self.question.rendered(),
            form=self._form(),
        )
        ref = await self.viewer.reference(shot.frames, shot.rows)
        self.thread.show(self.viewer.message(words, [ref]), len(shot.frames))

    def _last_turn(self) -> str | None:
        """Which limit makes the coming turn the last one, None when it is not."""
        left = self.ctx.budget.frames_left
        if self.turns <= 1:
            return "turns"
        if left is not None and left <= self.thread.pending and self.recorder.steps:
            return "frames"
        return self.ctx.budget.exhausted(*LIMITS)

    def _room(self) -> int | None:
        """Frames the next observation may have at most: of the budget, and of the model's images in one request."""
        images = None if self.most_images is None else self.most_images - self.thread.images
        bounds = [b for b in (self.ctx.budget.frames_left, images) if b is not None]
        return min(bounds) if bounds else None

    def _spoken(self, text: str) -> str:
        return text if self.ctx.mode == "official" else split_thinking(text)[1]

    def _cut(self, reply: Reply) -> str:
        """The reply up to its first closing tag; carefully tags inside leading thinking close nothing."""
        text = raw_text(reply)
        spoken = self._spoken(text)
        return text[: len(text) - len(spoken)] + cut_reply(spoken)

    def _done(self, reply: Reply, text: str, *, forced: bool) -> Answer | None:
        """The end of the conversation, None when it goes on."""
        spoken = self._spoken(text)
        answered = answer_text(spoken) is not None
        asks = "<grounding>" in spoken
        if self.ctx.mode == "official":
            raw = (
                bool(text.strip()) and not asks and not forced
            )  # published: such a text leaves the loop as it is
            if answered or raw:
                return self._answer(spoken, forced=forced)
            said = "official: the last turn brought no answer"
            return Answer(value=prompts.SORRY, stop=StopReason.FORCED, reason=said) if forced else None
        if answered:
            return self._answer(spoken, forced=forced)
        if not forced:
            return None
        if reply.failure is not None:
            return Answer(stop=reply.failure.stop, reason=str(reply.failure))
        if asks:
            return Answer(stop=StopReason.BUDGET, reason="still asking for closer looks in the last turn")
        return self._answer(spoken, forced=True)

    def _answer(self, spoken: str, *, forced: bool) -> Answer:
        evidence = tuple(self.evidence)
        if self.task == "temporal_grounding":
            shown = sorted({t for e in self.evidence for t in e.provenance.frames})
            evidence = tuple(
                claim(w, shown, len(self.recorder.steps), self._who()) for w in windows_in(spoken)
            )
        return read_answer(
            spoken,
            self.question,
            self.ctx.mode,
            task=self.task,
            asked="asked" in self.ctx.options,
            evidence=evidence,
            stop=StopReason.FORCED if forced else StopReason.ANSWERED,
        )

    def _who(self) -> str:
        return self.recorder.model or self.recorder.name

    async def _look(self, text: str, reply: Reply) -> None:
        """Follows the request of a turn: the next message shows the stretch, or says why it cannot be shown."""
        self.looks += 1
        call = ToolCall(id=f"look-{self.looks}", name=TOOL)
        try:
            wanted = read_grounding(self._spoken(text), self.ctx.mode)
            asked = {
                "temporal_segment": [wanted.start, wanted.end],
                "sampling_strategy": wanted.sampling_strategy,
            }
            call = call.model_copy(update={"arguments": asked})
            crop = follow(wanted, self.viewer, self._room(), self.ctx.mode)
        except InvalidGroundingError as error:
            why = str(reply.failure or error)
            bad = Observation(call_id=call.id, tool=TOOL, ok=False, failure_kind="validation", text=why)
            self._note(call, bad)
            self.thread.say(prompts.FAILED.format(why=why))
            return
        ref = await self.viewer.reference(crop.frames, crop.rows)
        n = len(crop.frames)
        words = prompts.OBSERVATION.format(
            number=self.looks, frames=n, fps=crop.fps, start=crop.start, end=crop.end
        )
        shown = self.viewer.footage.shown(crop.frames)
        proof = claim(crop.window, shown, self.recorder.next_id, self._who(), "asked for a closer look here")
        seen = Observation(
            call_id=call.id,
            tool=TOOL,
            ok=True,
            text=words,
            evidence=(proof,),
            media=(ref.id,),
            data={"frames": n, "rows": crop.rows, "tokens_a_frame": crop.tokens},
        )
        self._note(call, seen)
        self.evidence.append(proof)
        self.thread.show(self.viewer.message(f"{words}\n{prompts.ON}", [ref]), n)

    def _note(self, call: ToolCall, seen: Observation) -> None:
        self.recorder.step("tool_call", calls=(call,))
        self.recorder.step("tool_result", observations=(seen,))

    def _write(self, reply: Reply, text: str, forced: str | None) -> None:
        self.recorder.step(
            "thinking",
            text if "<think>" in text else "\n\n".join(t for t in (reply.thinking, text) if t),
            tokens=reply.tokens,
            cut_characters=len(raw_text(reply)) - len(text) or None,
            forced_by=forced,
            failure=None if reply.failure is None else str(reply.failure),
            notes=list(reply.notes) or None,
        )
