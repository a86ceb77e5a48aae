"""STAR: tools that choose moments and tools that look into frames take turns; a summariser answers (agents, section 2).

The planner is the main model and sees no pictures. Vision tools use the perceiver, or a model of their own by role
(``grounder``, ``temporal``, ``detector``). A tool whose backend is missing is not offered, which the settings of the
trajectory say.

Options: ``mode`` (careful, official), ``max_iterations`` (6), ``actions`` (native, json, json_schema: how the planner
gives its choice), ``detector`` (ocr, vlm, transformers:MODEL), ``grounder`` (vlm, index, transformers:MODEL),
``memory`` (qa, caption), ``generalist`` (summarization, video-qa), ``frames_per_tool`` (32; official: no limit),
``parallel`` (4 calls at a time), ``frame_height`` (480), ``grid_analysis`` (True), and ``temperature``,
``thinking_budget``, ``thinking``, ``config``, ``perceiver_config`` as in video_react.
"""

from dataclasses import dataclass
from typing import Any

from proofreel.agents import _star_prompts as prompts
from proofreel.agents._avp.parse import parse_json
from proofreel.agents._conversation import Actions, choose_actions
from proofreel.agents._duration import known_duration
from proofreel.agents._recorder import Recorder
from proofreel.agents._role_calls import READABLE, RoleCalls
from proofreel.agents._sampling import main_config
from proofreel.agents._star import MAX_ITERATIONS, accepts_sufficient, next_tool_type, planner_route
from proofreel.agents._star_answer import memory_of, read_answer, summarise, watch
from proofreel.agents._star_backends import load_backends
from proofreel.agents._star_plan import PLAN_ASSUMES, plan_calls
from proofreel.agents._star_scene import FRAME_HEIGHT, Scene
from proofreel.agents._star_tools import TOOL_BOX, Bench, StarTool, ToolFault
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.answers import after_thinking
from proofreel.core import Answer, Evidence, Observation, Question, StopReason, TokenUse, ToolCall, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools import is_engine_limit
from proofreel.tools.model_call import Reply, model_name

FRAMES_PER_TOOL = 32
VISUAL_ROLES = ("perceiver", "temporal", "grounder", "detector")

__all__ = ["PLAN_ASSUMES", "plan_calls", "star"]


@agent("star", needs_model=True, summary="finds moments and looks into frames by turns; at most six tools")
async def star(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs STAR on one question; every model failure ends in the trajectory.

    Raises:
        UserError: the length of the video is unknown, an option is not valid, or a backend cannot be had.
        VideoError: the video cannot be read.
    """
    import anyio.to_thread

    options = ctx.options
    for name, known in (("memory", ("qa", "caption")), ("generalist", ("summarization", "video-qa"))):
        if options.get(name, known[0]) not in known:
            raise UserError(f"{name} is {' or '.join(known)}, got {options[name]!r}")
    most = options.get("max_iterations", MAX_ITERATIONS)
    if not isinstance(most, int) or most < 1:
        raise UserError(f"max_iterations must be a whole number >= 1, got {most!r}")
    backends = await anyio.to_thread.run_sync(load_backends, ctx, question)
    tools = [t for t in TOOL_BOX if t.name not in backends.missing]
    if not any(t.type == "spatial" for t in tools):
        raise UserError(f"star cannot look into frames: {next(iter(backends.missing.values()))}")
    duration = await known_duration(question)
    question = question.model_copy(update={"duration": duration})
    ctx.budget.default(tool_calls=most)
    way = choose_actions(ctx.model, options.get("actions"))
    recorder = Recorder(
        "star",
        question,
        ctx,
        mode=ctx.mode,
        actions=way,
        prompts=prompts.VERSION,
        max_iterations=min(most, int(ctx.budget.limits.tool_calls or 0)),  # always set by now
        perceiver=model_name(ctx.perceiver) or None,
        tools=[t.name for t in tools],
        **backends.settings,
    )
    height = options.get("frame_height", FRAME_HEIGHT)
    scene = await anyio.to_thread.run_sync(Scene.of, question.video, duration, height)
    config = {"main": main_config(ctx)}
    config |= {r: dict(options.get("perceiver_config", {})) for r in VISUAL_ROLES}
    bench = Bench(
        question,
        ctx,
        RoleCalls(ctx, "json_schema" if way == "json_schema" else "json", config),
        scene,
        backends,
        frames_per_tool=options.get("frames_per_tool", None if ctx.mode == "official" else FRAMES_PER_TOOL),
        parallel=int(options.get("parallel", 4)),
    )
    return recorder.finish(await _Run(ctx, recorder, bench, tools, way, config).through())


@dataclass(frozen=True)
class _Choice:
    tool: StarTool
    given: str
    sufficient: bool
    unknown: str | None = None


class _Run:
    """One question: planner, tools by turns, summary."""

    def __init__(
        self,
        ctx: AgentContext,
        recorder: Recorder,
        bench: Bench,
        tools: list[StarTool],
        way: Actions,
        config: dict[str, dict[str, Any]],
    ) -> None:
        self.ctx, self.recorder, self.bench, self.tools = ctx, recorder, bench, tools
        self.planner = RoleCalls(ctx, way, config)
        self.most: int = recorder.settings["max_iterations"]
        self.last, self.used, self.failed = "none", 0, 0
        self.history: list[str] = []
        self.evidence: list[Evidence] = []

    @property
    def official(self) -> bool:
        return self.ctx.mode == "official"

    async def through(self) -> Answer:
        """Tools until the planner has enough or a limit is reached, then the answer."""
        stop = StopReason.FORCED
        while not self.planner.spent() and not self.ctx.budget.exhausted("frames"):
            # Officially the planner is asked once more after the last tool, and its choice thrown away.
            if self.used >= self.most and not self.official:
                break
            choice = await self.choose()
            if choice is None:
                break
            if planner_route(self.last, choice.sufficient, self.used, self.most) == "answer":
                if accepts_sufficient(self.last, choice.sufficient):
                    stop = StopReason.ANSWERED
                break
            await self.use(choice)
        return await self.conclude(stop)

    def on_turn(self) -> list[StarTool]:
        """The tools whose turn it is; all of them when that kind has none."""
        turn = next_tool_type(self.last)
        return [t for t in self.tools if turn in ("any", t.type)] or self.tools

    async def choose(self) -> _Choice | None:
        """The planner's choice, None when it gives none; in careful mode an unreadable one is asked for again."""
        tools = self.on_turn()
        told = prompts.plan_prompt(
            self.bench.question,
            self.bench.scene,
            tools,
            self.history,
            step=self.used + 1,
            most=self.most,
            last=self.last,
            turn=next_tool_type(self.last),
        )
        for again in ("",) if self.official else ("", prompts.AGAIN):
            reply = await self.planner.ask(told + again, schema=prompts.plan_schema(tools), form="choice")
            found = parse_json(after_thinking(reply.text)) if reply.failure is None else None
            read = isinstance(found, dict)
            self._write("plan", reply, unreadable=None if read else True, turn=next_tool_type(self.last))
            if read or self.planner.spent() or (reply.failure and reply.failure.kind not in READABLE):
                break
        if not isinstance(found, dict):
            return None
        name = str(found.get("tool_name") or "")
        tool = next((t for t in tools if t.name == name), None)
        enough = found.get("info_sufficient")
        sufficient = enough is True or str(enough).strip().lower() in ("true", "yes")
        if self.last == "none" and not self.official:
            sufficient = False  # nobody has looked at anything yet
        given = str(found.get("tool_input") or "")
        return _Choice(tool or tools[0], given, sufficient, None if tool else name)

    async def use(self, choice: _Choice) -> None:
        """Runs one tool; whatever goes wrong is an observation the planner reads."""
        self.used += 1
        tool = choice.tool
        call = ToolCall(id=f"tool_{self.used}", name=tool.name, arguments={"input": choice.given})
        self.recorder.step("tool_call", calls=(call,), unknown_tool=choice.unknown)
        self.bench.begin(self.recorder.next_id)
        kind: str | None = None
        try:
            output = await tool.run(choice.given, self.bench)
        except ToolFault as fault:
            output, kind = f"[ERROR] {fault}", fault.kind
        except Exception as error:
            if is_engine_limit(error):
                raise
            output, kind = f"[ERROR] {tool.name} failed: {type(error).__name__}: {error}", "error"
        self.failed += kind is not None
        self.last = tool.type
        self.ctx.budget.spend(tool_calls=1)
        self.history.append(prompts.history_line(self.used, tool.name, tool.type, choice.given, output))
        self.evidence += self.bench.evidence
        seen = Observation(
            call_id=call.id,
            tool=tool.name,
            ok=kind is None,
            text=output,
            failure_kind=kind,
            evidence=tuple(self.bench.evidence),
            media=tuple(self.bench.media),
            data={"visible": [f.index for f in self.bench.scene.visible], "calls": len(self.bench.replies)},
        )
        tokens = sum((r.tokens for r in self.bench.replies), TokenUse())
        self.recorder.step("tool_result", observations=(seen,), tokens=tokens)

    async def conclude(self, stop: StopReason) -> Answer:
        """The answer of the generalist; careful mode asks once more for an unreadable one and never answers blind."""
        memory = memory_of(self.bench, self.ctx.options.get("memory", "qa"))
        watching = self.ctx.options.get("generalist") == "video-qa" or (not memory and not self.official)
        if watching and (self.bench.backends.perceiver is None or self.ctx.budget.exhausted("frames")):
            watching = False
        if not memory and not watching and not self.official:
            failed = StopReason.TOOL_FAILURES if self.failed else StopReason.BUDGET
            return Answer(
                stop=failed,
                reason=f"nothing was found out: {self.history[-1] if self.history else 'no tool'}",
            )
        for again in ("",) if self.official else ("", prompts.AGAIN):
            reply = await (watch(self.bench, again) if watching else summarise(self.bench, memory, again))
            self._write("thinking", reply, generalist="video-qa-tool" if watching else "summarization-tool")
            failure = reply.failure
            answer = None
            if failure is None or (self.official and failure.kind in READABLE):
                answer = read_answer(reply.text, self.bench, stop, self.evidence, self.recorder.next_id - 1)
            if answer is not None:
                return answer
            if self.planner.spent() or (failure is not None and failure.kind not in READABLE):
                break
        if failure is not None:
            return Answer(stop=failure.stop, reason=str(failure))
        return Answer(stop=StopReason.UNPARSED, reason=reply.text or "no answer in the summary")

    def _write(self, phase: Any, reply: Reply, **data: Any) -> None:
        failure = None if reply.failure is None else str(reply.failure)
        said = "\n\n".join(t for t in (reply.thinking, reply.text) if t)
        self.recorder.step(phase, said, tokens=reply.tokens, failure=failure, **data)
