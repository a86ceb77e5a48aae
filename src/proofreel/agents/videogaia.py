"""The VideoGAIA loop: coarse frames, then web searches, page visits and closer looks, one action a step.

Protocol: VideoGAIA, section 2. Every tool output is condensed by the evaluated model in a call of its own before it
joins the talk; those calls are no steps, their tokens count. No sound reaches the model unless ``audio`` is set.

Options: ``mode``, ``steps`` (40; the last one takes no tool), ``actions`` (text: the tags of the protocol; native:
tool calls of the provider), ``frames`` (20 coarse ones; 0 for none), ``tools`` (all three; names parted by commas),
``summary_tokens`` (400), ``audio`` (false; needs a model that hears), ``quality`` (85), ``detail``, ``temperature``,
``thinking_budget``, ``thinking``, ``config`` (as in video_react), and those of the web tools (``web``, ...).
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofreel.agents import _videogaia_prompts as prompts
from proofreel.agents._footage import Footage, image_limit, open_footage
from proofreel.agents._recorder import Recorder
from proofreel.agents._role_calls import RoleCalls
from proofreel.agents._sampling import main_config
from proofreel.agents._videogaia import looks
from proofreel.agents._videogaia.digest import TOKENS, Digest, condense, summary_config, trace
from proofreel.agents._videogaia.foreseen import PLAN_ASSUMES, plan_calls
from proofreel.agents._videogaia.proof import checked, chosen, look_evidence, sources_of, web_quotes
from proofreel.agents._videogaia.reply import Move
from proofreel.agents._videogaia.show import Show, sound_of
from proofreel.agents._videogaia.talk import ACTIONS, Talk, as_told, said
from proofreel.agents._viewing import choice, fatal, number
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Answer, Evidence, Question, StopReason, ToolCall, Trajectory
from proofreel.models.failure import ModelFailure
from proofreel.tools import ToolContext, ToolResult, get_tool, observe, run_tool
from proofreel.tools.model_call import Reply, model_name

if TYPE_CHECKING:
    from proofreel.tools.web import WebSession

__all__ = ["PLAN_ASSUMES", "plan_calls", "videogaia"]

STEPS = 40
SPENT = ("tokens", "usd", "seconds", "tool_calls")
"""Limits that leave only the forced answer; frames only close the video tool."""


@agent(
    "videogaia",
    needs_model=True,
    summary="looks, searches the web, opens pages; condenses what it finds; at most 40 steps",
)
async def videogaia(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs the loop on one question; every model failure ends in the trajectory.

    Raises:
        UserError: an option is not valid, or the web cannot be had as asked.
        VideoError: the video cannot be read.
    """
    options = ctx.options
    names = looks.chosen_tools(options.get("tools", looks.TOOL_NAMES))
    steps, left = number(options, "steps", STEPS, least=1), ctx.budget.left("turns")
    steps = steps if left is None else max(1, min(steps, int(left)))
    cap = number(options, "summary_tokens", TOKENS, least=20)
    native = choice(options, "actions", ACTIONS) == "native"
    wanted = number(options, "frames", looks.FRAMES, least=0)
    from proofreel.tools.web import session_of

    session = session_of(options) if set(names) - {looks.VIDEO_TOOL} else None
    footage = await open_footage(question.video)
    sound = await sound_of(ctx, footage) if options.get("audio") else False
    show = Show(
        ctx, footage, number(options, "quality", 85, least=1), sound, image_limit(ctx.model, "images")
    )
    recorder = Recorder(
        "videogaia",
        question,
        ctx,
        mode=ctx.mode,
        actions="native" if native else "text",
        prompts=prompts.VERSION,
        steps=steps,
        tools=list(names),
        summary_tokens=cap,
        **({} if session is None else {"web": session.settings.web}),
        **({"audio": True} if sound else {}),
    )
    schemas = [looks.LOOK_SCHEMA if n == looks.VIDEO_TOOL else get_tool(n).schema for n in names]
    talk = Talk(ctx, schemas, main_config(ctx), native)
    calls = RoleCalls(ctx, config={"summary": summary_config(ctx, cap)})
    run = _Run(question, ctx, recorder, talk, calls, show, names, session, steps, cap)
    return recorder.finish(await run.through(wanted))


@dataclass
class _Run:
    """One question, each step written down."""

    question: Question
    ctx: AgentContext
    recorder: Recorder
    talk: Talk
    calls: RoleCalls
    show: Show
    names: tuple[str, ...]
    session: "WebSession | None"
    steps: int
    cap: int
    step: int = 0
    evidence: list[Evidence] = field(default_factory=list)

    @property
    def footage(self) -> Footage:
        return self.show.footage

    async def through(self, wanted: int) -> Answer:
        """Turns until an answer; the last one takes no tool."""
        indices, refs = await self.show.coarse(wanted)
        if indices:
            self.evidence.append(self.show.first(self.footage.shown(indices)))
        text = prompts.briefing(self.question, self.footage.duration, len(indices), sound=self.show.sound)
        self.talk.open(self.steps, text, refs)
        new = len(indices)
        while True:
            self.step += 1
            why = self._closed()
            if why is not None:
                self.talk.say(prompts.LAST.format(why=why))
            elif self.step == self.steps - 1:
                self.talk.say(prompts.LAST_BUT_ONE.format(step=self.step, steps=self.steps))
            reply, move = await self.talk.ask(new, final=why is not None)
            new = 0
            call = self._write(reply, move)
            if fatal(reply) and reply.failure is not None:
                return Answer(stop=reply.failure.stop, reason=str(reply.failure))
            if move.kind == "answer":
                return await self._answer(move, forced=why is not None)
            died = None
            if call is not None:
                died = await self._act(move, call, why)
            elif why is None:
                self.talk.say(prompts.FORMAT_ERROR.format(error=move.error))
            if died is not None:
                return Answer(stop=died.stop, reason=str(died))
            if why is not None:
                last = move.error or "it called a tool"
                stop = StopReason.UNPARSED if move.error else StopReason.BUDGET
                return Answer(stop=stop, reason=f"no answer in {self.step} steps; at the last one {last}")

    def _closed(self) -> str | None:
        """Why this step must be the answer, None while tools are open."""
        limit = self.ctx.budget.exhausted(*SPENT)
        if limit is not None:
            return prompts.BUDGET_UP.format(limit=limit.replace("_", " "))
        return prompts.STEPS_UP if self.step >= self.steps else None

    def _write(self, reply: Reply, move: Move) -> ToolCall | None:
        """Writes the turn down; gives the call it asks for."""
        call, use, text = None, reply.tokens, said(reply, native=self.talk.native)
        if reply.thinking and "<think>" not in text:
            text = f"{reply.thinking}\n\n{text}".strip()
        if move.kind == "tool":
            id_ = f"step_{self.step}"
            call = ToolCall(id=id_, name=looks.canonical(move.name), arguments=move.arguments)
        self.recorder.step(
            "tool_call" if call else "thinking",
            text,
            calls=() if call is None else (call,),
            tokens=use,
            step=self.step,
            kind=move.kind,
            visible_tokens=use.completion - use.reasoning,
            prompt_tokens=use.prompt,
            alias=move.name if call is not None and call.name != move.name else None,
            error=move.error or (None if reply.failure is None else str(reply.failure)) or None,
            notes=list(reply.notes) or None,
        )
        return call

    async def _act(self, move: Move, call: ToolCall, why: str | None) -> ModelFailure | None:
        """Runs a call, has its output condensed, and puts what came of it into the talk; gives what ended it all."""
        done = _Done(ToolResult.failure("budget", prompts.REFUSED.format(why=why)))
        if why is None:
            done = await self._run(move, call)
            self.ctx.budget.spend(tool_calls=1)
        result, digest = done.result, done.digest
        data = {**result.data, **trace(result.text)} if result.ok else result.data
        evidence: tuple[Evidence, ...] = ()
        if result.ok and not digest.text:
            lost = str(digest.failure) if digest.failure else "the budget is used up"
            result = ToolResult.failure("empty_response", f"its output could not be summarised: {lost}")
        elif result.ok:
            evidence = self._proof(done)
            self.evidence += evidence
        text = digest.text if result.ok else as_told(result.text)
        use = digest.tokens
        seen = ToolResult(result.ok, text, result.failure_kind, evidence, result.media, data)
        self.recorder.step(
            "tool_result",
            observations=(observe(call, seen),),
            tokens=use if use.calls else None,
            step=self.step,
            kind="summary" if result.ok else "error",
            visible_tokens=use.completion - use.reasoning if use.calls else None,
            prompt_tokens=use.prompt if use.calls else None,
            error=None if result.ok else text,
            notes=list(digest.notes) or None,
        )
        self.talk.result(move, text)
        return digest.failure if digest.dead else None

    async def _run(self, move: Move, call: ToolCall) -> "_Done":
        """A tool's raw output and the model's summary of it; a failure is not summarised."""
        refs: list[Any] = []
        look, ask, frames = None, "", 0
        if call.name == looks.VIDEO_TOOL and call.name in self.names and move.broken is None:
            result, look, refs = await self.show.look(call.arguments)
            if look is not None:
                span, frames = (look.window.start, look.window.end), len(look.indices)
                ask = prompts.frames_summary(
                    self.question, call.name, call.arguments, frames, span, look.goal, sound=self.show.sound
                )
        else:
            context = ToolContext(
                self.question, step=self.recorder.next_id, options=self.ctx.options, on_wait=self.ctx.on_wait
            )
            _, result = await run_tool(call, context, self.names, move.broken)
            ask = prompts.text_summary(self.question, call.name, call.arguments, result.text)
        if not result.ok or self.ctx.budget.exhausted("tokens", "usd", "seconds"):
            return _Done(result)
        return _Done(result, await condense(self.calls, ask, self.cap, refs, frames), look)

    def _proof(self, done: "_Done") -> tuple[Evidence, ...]:
        """What a summarised result may serve as evidence for."""
        claimed, at, text = model_name(self.ctx.model), self.recorder.next_id, done.digest.text
        if done.look is None:
            return web_quotes(text, sources_of(done.result.data, done.result.text), claimed, at)
        times = done.digest.frames or self.footage.shown(done.look.indices)
        return (look_evidence(done.look.window, text, done.look.goal, times, claimed, at),)

    async def _answer(self, move: Move, *, forced: bool) -> Answer:
        cited = await checked(chosen(self.evidence, move.answer), self.session)
        stop = StopReason.FORCED if forced else StopReason.ANSWERED
        return Answer(value=move.answer, reason=move.think[:2000], evidence=tuple(cited), stop=stop)


@dataclass(frozen=True)
class _Done:
    """A call that was made: raw output, summary, and the look where it was one."""

    result: ToolResult
    digest: Digest = Digest()  # noqa: RUF009  frozen
    look: looks.Look | None = None
