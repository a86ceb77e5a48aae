"""The turn-taking of Video-ReAct, apart from models and prompts (AgentVidBench protocol 4.2, ``avb_react_loop``).

The planner and the tools are callables, so that the same loop runs against scripted turns and against models.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from proofreel.agents.answers import after_thinking, allowed_letter, react_final_letter
from proofreel.core import Observation, StopReason, ToolCall

Kind = Literal["briefing", "must_use_tool", "ask_final_json", "tool_results", "budget_exhausted"]
SYSTEM_FAILURES = ("retry_exhausted", "empty_response")


@dataclass(frozen=True)
class Turn:
    """One planner reply; ``stop`` is set when the reply is no statement (cut, empty)."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: StopReason | None = None


@dataclass(frozen=True)
class PlannerDied:
    """The planner gives no reply any more, and why."""

    stop: StopReason = StopReason.MODEL_ERROR
    reason: str = "the planner failed"


@dataclass(frozen=True)
class Message:
    """What is sent to the planner: a notice, results of tools, or both.

    ``final`` asks the planner's adapter to close the door to tools (tool choice none).
    """

    kind: Kind
    results: tuple[Observation, ...] = ()
    dropped: tuple[Observation, ...] = ()
    final: bool = False


@dataclass(frozen=True)
class LoopLimits:
    """Bounds of the loop; ``tool_failures`` is the breaker, off by default."""

    iterations: int = 20
    tool_calls: int = 15
    tool_failures: int | None = None


@dataclass
class LoopResult:
    """How the loop ended, and what was sent on the way."""

    letter: str | None = None
    """The letter; for an open question the answer's text."""
    reason: Literal["answered", "fallback", "no_answer", "tool_failure_breaker"] = "no_answer"
    stop: StopReason = StopReason.UNPARSED
    text: str = ""
    why: str = ""
    iterations: int = 0
    tool_calls: int = 0
    inputs: list[Kind] = field(default_factory=list)
    delivered_pending: bool = False


class Planner(Protocol):
    """Sends one message and returns the reply."""

    async def send(self, message: Message) -> Turn | PlannerDied:
        """The reply, or why there is none."""
        ...


Execute = Callable[[ToolCall], Awaitable[Observation]]
OutOfBudget = Callable[[], str | None]


async def react_loop(
    planner: Planner,
    execute: Execute,
    limits: LoopLimits,
    *,
    mode: str = "careful",
    spent: OutOfBudget = lambda: None,
    letters: Collection[str] = (),
    read: Callable[[str], str | None] | None = None,
    refuse: Callable[[ToolCall], Observation] | None = None,
) -> LoopResult:
    """Runs planner and tools until an answer or a bound.

    Args:
        planner: replies to messages.
        execute: runs one tool call.
        limits: bounds on iterations, tool calls and failing tools.
        mode: ``official`` keeps the published faults (results lost behind the budget notice, calls run beyond
            the budget, letter A without an answer); ``careful`` mends them.
        read: takes the answer out of a reply to an open question, in place of a letter.
        refuse: result of a call beyond the budget; ``refused`` by default.
        letters: letters the question has; careful mode takes no other (empty: any).
        spent: name of another used-up budget (tokens, money, seconds, frames), checked before every turn.
    """
    careful = mode != "official"
    out, failures = LoopResult(), 0
    message = Message("briefing")
    for out.iterations in range(1, limits.iterations + 1):
        limited = spent() if careful else None
        if limited or out.tool_calls >= limits.tool_calls:
            message = _budget_notice(message, careful)
            out.delivered_pending |= bool(message.results)
        elif careful and out.iterations == limits.iterations:
            message = replace(message, final=True)
        out.inputs.append(message.kind)
        reply = await planner.send(message)
        if isinstance(reply, PlannerDied):
            out.stop, out.why = reply.stop, reply.reason
            break
        if reply.calls:
            results = []
            for call in reply.calls:
                if careful and (message.final or out.tool_calls >= limits.tool_calls):
                    results.append((refuse or refused)(call))
                    continue
                results.append(await execute(call))
                out.tool_calls += 1
            failures += sum(not r.ok and r.failure_kind in SYSTEM_FAILURES for r in results)
            if limits.tool_failures is not None and failures >= limits.tool_failures:
                out.letter, out.reason, out.stop = "?", "tool_failure_breaker", StopReason.TOOL_FAILURES
                out.why = f"{failures} tool calls failed on the system's side (limit {limits.tool_failures})"
                return out
            out.stop, out.why = StopReason.BUDGET, "still calling tools when the budget ended"
            message = Message("tool_results", tuple(results))
        elif out.tool_calls == 0 and out.iterations <= 2 and not limited:
            out.stop, out.why = reply.stop or StopReason.UNPARSED, "no tool was used"
            message = Message("must_use_tool")
        elif letter := _letter(reply, mode, letters, read):
            out.letter, out.text, out.reason = letter, reply.text, "answered"
            out.stop = StopReason.FORCED if careful and message.final else StopReason.ANSWERED
            return out
        else:
            out.stop, out.why = reply.stop or StopReason.UNPARSED, "no letter in the last reply"
            message = Message("ask_final_json")
        if limited:
            out.why = f"budget of {limited} used up; {out.why}"
            break
    if not careful:
        out.letter, out.reason = "A", "fallback"
    return out


def _budget_notice(pending: Message, careful: bool) -> Message:
    """The last call for an answer; officially it takes the place of results that wait to be delivered."""
    if careful:
        return Message("budget_exhausted", pending.results, final=True)
    return Message("budget_exhausted", dropped=pending.results, final=True)


def _letter(
    reply: Turn, mode: str, letters: Collection[str], read: Callable[[str], str | None] | None
) -> str | None:
    if read is not None:
        return None if reply.stop is not None else read(after_thinking(reply.text))
    if mode == "official":
        return react_final_letter(reply.text, "official")
    # A reply cut by the token limit may stop before it changes its mind: it is no answer.
    if reply.stop is not None:
        return None
    return allowed_letter(react_final_letter(after_thinking(reply.text)), letters)


def refused(call: ToolCall) -> Observation:
    """The result of a call that the budget no longer allows."""
    return Observation(
        call_id=call.id,
        tool=call.name,
        ok=False,
        failure_kind="budget",
        text="[ERROR] the tool budget is used up, this call was not run; answer with what you have",
    )
