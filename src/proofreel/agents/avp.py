"""AVP: plan a look, have it observed, reflect, look again; answer when sure or after three rounds (agents, section 4).

The main model plans and reflects without seeing the video; the perceiver observes one clip a region. Every call stands
by itself: only the blackboard carries over.

Options: ``mode`` (careful, official), ``rounds`` (3), ``confidence`` (0.7, least to stop at), ``actions`` (json,
json_schema, native: how planner and reflector give their forms), ``temperature``, ``thinking_budget``, ``thinking``,
``config`` (as in video_react), ``perceiver_config``, ``heights``, ``frame_caps`` (usual; wide: 2048 at low and 512 at
medium), and fixed controls for ablations: ``fps``, ``resolution`` (or ``spatial_token_rate``), ``interval=full``.
"""

from typing import Any

from proofreel.agents import _avp_prompts as prompts
from proofreel.agents._avp.answer import answer_of, named
from proofreel.agents._avp.board import Board, read_report
from proofreel.agents._avp.decide import HALTING_CONFIDENCE, MAX_ROUNDS, decide
from proofreel.agents._avp.foreseen import PLAN_ASSUMES, plan_calls
from proofreel.agents._avp.parse import Plan, read_plan
from proofreel.agents._avp.shots import FRAME_PRESETS, Shots, fixed_plan, shots_of
from proofreel.agents._avp.verdict import NO_EVIDENCE, Verdict, read_verdict
from proofreel.agents._conversation import choose_actions
from proofreel.agents._duration import known_duration
from proofreel.agents._recorder import Recorder
from proofreel.agents._role_calls import RoleCalls, RoleFailed, must
from proofreel.agents._sampling import main_config
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Answer, Observation, Question, StopReason, ToolCall, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools._controls import Controls
from proofreel.tools.model_call import Reply, model_name, takes_video

__all__ = ["PLAN_ASSUMES", "avp", "plan_calls"]


@agent("avp", needs_model=True, summary="plans where to look, observes, reflects; at most three looks")
async def avp(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs AVP on one question; every model failure ends in the trajectory.

    Raises:
        UserError: the length of the video is unknown, or an option is not valid.
        VideoError: the video cannot be read.
    """
    rounds = ctx.options.get("rounds", MAX_ROUNDS)
    if not isinstance(rounds, int) or rounds < 1:
        raise UserError(f"rounds must be a whole number >= 1, got {rounds!r}")
    if ctx.options.get("frame_caps", "usual") not in FRAME_PRESETS:
        raise UserError(f"frame_caps is usual or wide, got {ctx.options['frame_caps']!r}")
    controls = Controls.of(ctx.options)
    if controls.resolution == "high":
        raise UserError("avp looks at resolution low or medium, not high")
    duration = await known_duration(question)
    ctx.budget.default(tool_calls=rounds)
    way = choose_actions(ctx.model, ctx.options.get("actions", "json"))
    recorder = Recorder(
        "avp",
        question,
        ctx,
        mode=ctx.mode,
        actions=way,
        prompts=prompts.VERSION,
        rounds=min(rounds, int(ctx.budget.limits.tool_calls or 0)),  # always set by now
        perceiver=model_name(ctx.perceiver) or None,
        **({"fixed": controls.settings} if controls.settings else {}),
    )
    config = {"main": main_config(ctx), "perceiver": dict(ctx.options.get("perceiver_config", {}))}
    run = _Run(question, ctx, duration, recorder, RoleCalls(ctx, way, config), controls)
    try:
        answer = await run.through()
    except RoleFailed as died:
        answer = Answer(stop=died.failure.stop, reason=str(died.failure))
    return recorder.finish(answer)


class _Run:
    """One question: the blackboard and the three roles."""

    def __init__(
        self,
        question: Question,
        ctx: AgentContext,
        duration: float,
        recorder: Recorder,
        calls: RoleCalls,
        controls: Controls,
    ) -> None:
        self.question = question.model_copy(update={"duration": duration})
        self.ctx, self.duration, self.recorder, self.calls = ctx, duration, recorder, calls
        self.controls, self.board = controls, Board()
        self.last = NO_EVIDENCE
        self.failed = ""

    @property
    def official(self) -> bool:
        return self.ctx.mode == "official"

    async def through(self) -> Answer:
        """The rounds, and the answer they end in."""
        rounds = self.recorder.settings["rounds"]
        for number in range(1, rounds + 1):
            plan = await self.plan(number)
            if self.no_more():
                break
            await self.observe(plan, number)
            if number == rounds or self.no_more():
                break
            self.last = await self.reflect(number)
            tau = float(self.ctx.options.get("confidence", HALTING_CONFIDENCE))
            if decide(self.last.confidence, self.last.sufficient, is_last_round=False, tau=tau) != "replan":
                return await self.extract()
            if self.no_more():
                break
        return await self.force()

    def no_more(self) -> str | None:
        """The limit that leaves only the forced answer, if one is reached."""
        return self.calls.spent() or self.ctx.budget.exhausted("tool_calls", "frames")

    async def plan(self, number: int) -> Plan:
        """The next look, with what the run fixes in place of what the planner chose."""
        again = ""
        if number > 1:
            again = prompts.again_part(
                "\n".join(self.board.looks), self.board.text(), self.last.justification or self.last.reasoning
            )
        told = prompts.plan_prompt(self.question, self.duration, again, self.controls.sentence())
        reply = must(await self.calls.ask(told, schema=prompts.plan_schema(), form="plan"))
        plan = read_plan(reply.text, self.ctx.mode)
        plan = fixed_plan(plan, self.controls)
        self._write("plan", reply, round=number, unreadable=None if plan.parsed else True)
        return plan

    async def observe(self, plan: Plan, number: int) -> None:
        """Shows the planned clips to the observer and puts its report on the blackboard."""
        import anyio.to_thread

        shots = await anyio.to_thread.run_sync(self._shots, plan)
        arguments = {
            "load_mode": "region" if shots.regions else "uniform",
            "regions": [list(r) for r in shots.regions],
            "fps": shots.fps,
            "spatial_token_rate": plan.rate,
            "description": plan.description,
        }
        call = ToolCall(id=f"look_{number}", name="observe", arguments=arguments)
        self.recorder.step("tool_call", calls=(call,))
        reply = await self.calls.ask(
            prompts.observe_prompt(self.question, plan.description, shots.regions),
            model=self.ctx.perceiver,
            role="perceiver",
            refs=shots.refs,
            frames=shots.frames,
        )
        self.ctx.budget.spend(tool_calls=1)
        self._put(call, reply, shots)

    def _shots(self, plan: Plan) -> Shots:
        from proofreel.models.cards import model_card

        looker = self.ctx.perceiver
        return shots_of(
            plan,
            self.question.video,
            self.duration,
            mode=self.ctx.mode,
            as_video=takes_video(looker),
            max_images=self.ctx.options.get("max_frames") or model_card(model_name(looker)).max_images,
            frames_left=self.ctx.budget.frames_left,
            heights=self.ctx.options.get("heights"),
            caps=self.ctx.options.get("frame_caps", "usual"),
        )

    def _put(self, call: ToolCall, reply: Reply, shots: Shots) -> None:
        failure = reply.failure
        self.failed = str(failure or "")
        usable = bool(reply.text.strip()) and (failure is None or failure.kind == "truncated")
        report = read_report(reply.text, self.duration, self.ctx.mode) if usable else None
        spans = ", ".join(f"{s:g} to {e:g} s" for s, e in shots.regions) or "whole video"
        shown = f"{spans}; {shots.fps:g} fps, {call.arguments['spatial_token_rate']}"
        evidence = self.board.add(shown, report, reply.frames, self.recorder.next_id)
        silent = failure is not None and failure.kind in ("empty", "filtered")
        kind = None if usable else "empty_response" if silent else "error"
        seen = Observation(
            call_id=call.id,
            tool=call.name,
            ok=usable,
            text=reply.text if usable else f"[ERROR] {failure}",
            failure_kind=kind,
            evidence=evidence,
            media=tuple(r.id for r in shots.refs),
            data={"frames": shots.frames, "notes": [n for n in (shots.note, *reply.notes) if n]},
        )
        unreadable = bool(report and not report.parsed) or None
        self.recorder.step("observe", observations=(seen,), tokens=reply.tokens, unreadable=unreadable)

    async def reflect(self, number: int) -> Verdict:
        """Whether the evidence is enough; without any, no call is made."""
        if not self.board.heard:
            self.recorder.step("reflect", NO_EVIDENCE.justification, round=number, sufficient=False)
            return NO_EVIDENCE
        told = prompts.reflect_prompt(self.question, self.duration, *self._told(), self.ctx.mode)
        schema = prompts.verdict_schema(self.question, self.ctx.mode, final=False)
        reply = must(await self.calls.ask(told, schema=schema, form="reflection"))
        return self._verdict(reply, "reflect", number)

    def _told(self) -> tuple[str, str]:
        return "\n".join(self.board.looks), self.board.text() or "(no moment was named)"

    def _verdict(
        self, reply: Reply, phase: Any, number: int | None = None, *, final: bool = False
    ) -> Verdict:
        # A cut reply may stop before it changes its mind.
        text = "" if reply.failure is not None and not self.official else reply.text
        verdict = read_verdict(text, self.question.options, self.ctx.mode, final=final)
        data = {"confidence": verdict.confidence, "unreadable": not verdict.parsed or None}
        self._write(phase, reply, round=number, **data)
        return verdict

    def _write(self, phase: Any, reply: Reply, **data: Any) -> None:
        failure = None if reply.failure is None else str(reply.failure)
        said = "\n\n".join(t for t in (reply.thinking, reply.text) if t)
        self.recorder.step(phase, said, tokens=reply.tokens, failure=failure, **data)

    async def extract(self) -> Answer:
        """The answer of a sufficient reflection; when it names none it is asked for (officially option A)."""
        if named(self.last, self.question) or self.official:
            return self._answer(self.last, StopReason.ANSWERED, "the reflection named no option")
        return await self.force(StopReason.ANSWERED)

    async def force(self, stop: StopReason = StopReason.FORCED) -> Answer:
        """The answer from all evidence; in careful mode asked for once more when unreadable."""
        if not self.board.heard and self.board.looks and not self.official:
            return Answer(stop=StopReason.TOOL_FAILURES, reason=f"no look gave a report: {self.failed}")
        told = prompts.final_prompt(self.question, self.duration, *self._told(), self.ctx.mode)
        schema = prompts.verdict_schema(self.question, self.ctx.mode, final=True)
        for again in ("",) if self.official else ("", prompts.AGAIN):
            reply = must(await self.calls.ask(told + again, schema=schema, form="answer"))
            verdict = self._verdict(reply, "thinking", final=True)
            if named(verdict, self.question) or self.calls.spent():
                break
        if not named(verdict, self.question) and reply.failure is not None and not self.official:
            return Answer(stop=reply.failure.stop, reason=str(reply.failure))
        return self._answer(verdict, stop, "no option in the forced answer")

    def _answer(self, verdict: Verdict, stop: StopReason, missing: str) -> Answer:
        return answer_of(verdict, self.question, self.board, stop, missing, self.ctx.mode)
