"""Video-ReAct: a planner that never sees frames asks a perceiver to look, until it can answer (AgentVidBench 4.2).

Options: ``mode`` (careful, official), ``actions`` (native, json, json_schema), ``max_tool_failures`` (breaker, off),
``temperature`` (0), ``thinking_budget`` (8192 tokens, None for the
model's own), ``thinking`` (the model is served with thinking on),
``config`` (further generation settings), ``fps``, ``resolution`` and ``interval=full`` (fixed for every look:
ablations), and those of the tools.
"""

import re
from typing import Any

from proofreel.agents import _react_prompts as prompts
from proofreel.agents._conversation import Conversation, Said, choose_actions
from proofreel.agents._duration import known_duration
from proofreel.agents._evidence import cited_evidence
from proofreel.agents._react_loop import (
    LoopLimits,
    LoopResult,
    Message,
    PlannerDied,
    Turn,
    react_loop,
    refused,
)
from proofreel.agents._recorder import Recorder
from proofreel.agents._sampling import main_config
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.answers import after_thinking, json_objects, react_reasoning
from proofreel.core import Answer, Evidence, Observation, Question, StopReason, ToolCall, Trajectory
from proofreel.tools import ToolContext, get_tool, run_tool
from proofreel.tools._controls import Controls
from proofreel.tools.analyze_video import analyze_video_for
from proofreel.tools.model_call import model_name

TURNS, TOOL_CALLS = 20, 15
TOOL_NAMES = ("analyze_video", "get_transcript")
_PLAN = re.compile(r"^\W*(PLAN|REASONING)\W*:\W*(.+)$", re.I | re.M)


@agent(
    "video_react",
    needs_model=True,
    summary="plans, has windows of the video looked at, answers with evidence",
)
async def video_react(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs the loop on one question; every model failure ends in the trajectory.

    Raises:
        UserError: the length of the video is unknown, or an option is not valid.
        VideoError: the video cannot be read.
    """
    duration = await known_duration(question)
    question = question.model_copy(update={"duration": duration})
    ctx.budget.default(turns=TURNS, tool_calls=TOOL_CALLS)
    actions = choose_actions(ctx.model, ctx.options.get("actions"))
    controls = Controls.of(ctx.options, whole_fps=True, looker=model_name(ctx.perceiver))
    recorder = Recorder(
        "video_react",
        question,
        ctx,
        mode=ctx.mode,
        actions=actions,
        prompts=prompts.VERSION,
        perceiver=model_name(ctx.perceiver) or None,
        **({"fixed": controls.settings} if controls.settings else {}),
    )
    run = _Run(question, ctx, duration, recorder, actions, controls)
    limits = LoopLimits(
        ctx.budget.limits.turns or TURNS,
        ctx.budget.limits.tool_calls or TOOL_CALLS,
        ctx.options.get("max_tool_failures"),
    )
    out = await react_loop(
        run,
        run.execute,
        limits,
        mode=ctx.mode,
        spent=lambda: ctx.budget.exhausted("tokens", "usd", "seconds"),
        letters=[o.letter for o in question.options],
        read=None if question.options else open_answer,
        refuse=run.refuse,
    )
    return recorder.finish(_answer(out, question, run.evidence, ctx))


class _Run:
    """Planner and tools of one question, each step written down."""

    def __init__(
        self,
        question: Question,
        ctx: AgentContext,
        duration: float,
        recorder: Recorder,
        actions: Any,
        controls: Controls,
    ) -> None:
        self.controls = controls
        self.question, self.ctx, self.duration, self.recorder = question, ctx, duration, recorder
        self.evidence: list[Evidence] = []
        self.final = prompts.final_form(ctx.mode, bool(question.options))
        self.chat = Conversation(
            ctx.model,
            prompts.system_prompt(
                model_name(ctx.model), model_name(ctx.perceiver), ctx.mode, bool(question.options)
            ),
            [analyze_video_for(ctx.perceiver, controls.arguments), get_tool("get_transcript")],
            actions,
            ctx.budget,
            config=main_config(ctx),
            answer=_answer_schema(question),
            lenient=ctx.mode == "official",
            on_wait=ctx.on_wait,
        )

    async def send(self, message: Message) -> Turn | PlannerDied:
        """Puts a message of the loop into words and takes the planner's turn."""
        self._put(message)
        said = await self.chat.ask(final=message.final and self.ctx.mode != "official")
        self.ctx.budget.spend(turns=1)
        self._write(said)
        if said.failure is None:
            return Turn(said.text, said.calls)
        kind = said.failure.kind.value
        readable = kind == "empty" or (kind in ("truncated", "filtered") and self.ctx.mode == "official")
        if readable or kind == "truncated":
            return Turn(said.text, said.calls, None if self.ctx.mode == "official" else said.failure.stop)
        return PlannerDied(said.failure.stop, str(said.failure))

    def _put(self, message: Message) -> None:
        if message.kind == "briefing":
            fixed = self.controls.sentence()
            self.chat.say(prompts.briefing(self.question, self.duration) + (f"\n\n{fixed}" if fixed else ""))
        self.chat.results(message.results)
        self.chat.results(message.dropped, delivered=False)
        if message.kind == "must_use_tool":
            self.chat.say(prompts.MUST_USE_TOOL)
        elif message.kind == "budget_exhausted":
            self.chat.say(prompts.BUDGET.format(final=self.final))
        elif message.kind == "ask_final_json" or message.final:
            self.chat.say(prompts.ASK_FINAL.format(final=self.final))

    def _write(self, said: Said) -> None:
        lines = {k.lower(): v.strip() for k, v in _PLAN.findall(said.text)}
        tokens = said.tokens
        if said.thinking:
            self.recorder.step("thinking", said.thinking, tokens=tokens)
            tokens = None  # type: ignore[assignment]  # booked once
        self.recorder.step(
            "plan" if lines.get("plan") else "thinking",
            said.text,
            tokens=tokens,
            plan=lines.get("plan"),
            reasoning=lines.get("reasoning"),
            resampled=said.resampled or None,
            failure=None if said.failure is None else str(said.failure),
        )

    async def execute(self, call: ToolCall) -> Observation:
        """Runs one tool call and writes call and result."""
        self.recorder.step("tool_call", calls=(call,))
        context = ToolContext(
            question=self.question,
            perceiver=self.ctx.perceiver,
            ledger=self.ctx.ledger,
            duration=self.duration,
            mode=self.ctx.mode,
            step=self.recorder.next_id,
            frames_left=self.ctx.budget.frames_left,
            seconds_left=self.ctx.budget.left("seconds"),
            options=self.ctx.options,
            on_wait=self.ctx.on_wait,
        )
        run = call
        if call.name == "analyze_video":
            run = call.model_copy(update={"arguments": self.controls.applied(call.arguments)})
        seen, result = await run_tool(run, context, TOOL_NAMES, self.chat.broken.get(call.id))
        self.ctx.budget.spend(tool_calls=1, frames=result.frames, use=result.tokens)
        self.evidence += result.evidence
        self.recorder.step("tool_result", observations=(seen,), tokens=result.tokens)
        return seen

    def refuse(self, call: ToolCall) -> Observation:
        """Writes down a call that the budget no longer allows."""
        self.recorder.step("tool_call", calls=(call,))
        seen = refused(call)
        self.recorder.step("tool_result", observations=(seen,))
        return seen


def _answer_schema(question: Question) -> dict[str, Any]:
    letters = [o.letter for o in question.options]
    answer = {"type": "string", "enum": letters} if letters else {"type": "string"}
    span = {"type": "array", "items": {"type": "number"}}
    return {
        "type": "object",
        "properties": {
            "answer": answer,
            "reasoning": {"type": "string", "maxLength": 400},
            "evidence": {"type": "array", "items": span},
        },
        "required": ["answer", "reasoning"],
        "additionalProperties": False,
    }


def _answer(out: LoopResult, question: Question, evidence: list[Evidence], ctx: AgentContext) -> Answer:
    """The end of the loop as an answer; without a committed letter there is none, except in official mode."""
    if out.reason == "fallback" and question.options:
        # Kept for comparison with published numbers: this letter rests on nothing.
        return Answer(
            letter="A",
            value=question.option_text("A"),
            stop=StopReason.FORCED,
            reason=f"official fallback letter, not an answer: {out.stop.value}, {out.why}",
        )
    if out.reason != "answered" or out.letter is None:
        return Answer(stop=out.stop, reason=out.why)
    objects = [o for o in json_objects(after_thinking(out.text)) if "answer" in o]
    final = objects[-1] if objects else {}
    reason = final.get("reasoning") if ctx.mode != "official" else None
    cited = () if ctx.mode == "official" else cited_evidence(final, evidence, question, ctx)
    shown = out.letter.strip().lower().rstrip(".") != "not shown"
    return Answer(
        letter=out.letter if question.options else None,
        value=question.option_text(out.letter) if question.options else out.letter if shown else None,
        abstained=not shown,
        reason=str(reason or react_reasoning(out.text)),
        evidence=cited,
        stop=out.stop if shown else StopReason.ABSTAINED,
    )


def open_answer(text: str) -> str | None:
    """The text of the last ``answer`` in a reply to an open question."""
    said = [o["answer"] for o in json_objects(text) if isinstance(o.get("answer"), str | int | float)]
    return str(said[-1]).strip() or None if said else None
