"""The rounds of DVD, apart from models and prompts (agents protocol, section 3).

The main model and the tools are callables, so that the same loop runs against scripted turns and against models.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from proofreel.agents._react_loop import PlannerDied, Turn
from proofreel.core import Observation, StopReason, ToolCall

FINISH = "finish"
ROUNDS = 15
Kind = Literal["briefing", "results", "again", "nudge"]


@dataclass(frozen=True)
class Message:
    """What the main model is sent next.

    Attributes:
        kind: the briefing, results of calls, nothing new (a plain reply, officially), or a reminder to act.
        results: observations in the order of their calls.
        last: ask for ``finish`` in this round.
        forced: why tools are closed and the answer is asked for as JSON; None while they are open.
    """

    kind: Kind
    results: tuple[Observation, ...] = ()
    last: bool = False
    forced: str | None = None


@dataclass
class DvdResult:
    """How the rounds ended.

    Attributes:
        answer: text of the answer, None without one.
        final: what ``finish`` or the last JSON object said beside it.
        via: ``finish``, ``plain`` (a reply without a call), ``error`` and ``observation`` (official faults: an
            error's or a tool's text became the answer), or ``none``.
        stop: why it ended.
        why: the same in words.
        text: the last reply.
        rounds: replies asked for.
        sent: kinds of the messages, in order.
    """

    answer: str | None = None
    final: dict[str, Any] = field(default_factory=dict)
    via: Literal["finish", "plain", "error", "observation", "none"] = "none"
    stop: StopReason = StopReason.UNPARSED
    why: str = ""
    text: str = ""
    rounds: int = 0
    sent: list[Kind] = field(default_factory=list)


class MainModel(Protocol):
    """Sends one message and returns the reply."""

    async def send(self, message: Message) -> Turn | PlannerDied:
        """The reply, or why there is none."""
        ...


@dataclass(frozen=True)
class Rules:
    """What the loop is told from outside.

    Attributes:
        rounds: most replies.
        mode: ``official`` keeps the published faults, ``careful`` mends them.
        spent: name of a used-up budget, looked at before every round.
        broken: why the arguments of a call cannot be read, None when they can.
        read: takes an answer out of a reply without a call; None when it holds none.
        refuse: result of a call that is not run any more.
    """

    rounds: int = ROUNDS
    mode: str = "careful"
    spent: Callable[[], str | None] = lambda: None
    broken: Callable[[ToolCall], str | None] = lambda call: None
    read: Callable[[str], dict[str, Any] | None] = lambda text: None
    refuse: Callable[[ToolCall], Observation] | None = None


async def dvd_loop(
    model: MainModel, execute: Callable[[ToolCall], Awaitable[Observation]], rules: Rules
) -> DvdResult:
    """Rounds of thinking, calling and observing until ``finish``, an answer, or a bound.

    Officially a plain reply changes nothing and the same context is sent again, unreadable arguments end the work
    with the error as answer, a failing tool ends it without one, and after the last round the last message is the
    answer whatever it is. In careful mode a plain reply that commits to an answer is final and any other is
    answered with a reminder, every failure is an observation, and the last round closes the tools.
    """
    return await (_official if rules.mode == "official" else _careful)(model, execute, rules)


async def _official(
    model: MainModel, execute: Callable[[ToolCall], Awaitable[Observation]], rules: Rules
) -> DvdResult:
    out, message = DvdResult(), Message("briefing")
    for out.rounds in range(1, rules.rounds + 1):
        # The published loop knows no budget but its rounds; one that somebody sets holds all the same.
        if limit := rules.spent():
            out.stop, out.why = StopReason.BUDGET, f"the budget of {limit} is used up"
            return out
        if out.rounds == rules.rounds:
            message = Message(message.kind, message.results, last=True)
        out.sent.append(message.kind)
        reply = await model.send(message)
        if isinstance(reply, PlannerDied):
            out.stop, out.why = reply.stop, reply.reason
            return out
        out.text = reply.text
        results: list[Observation] = []
        for call in reply.calls:
            if why := rules.broken(call):
                out.answer, out.via, out.stop = f"Error: {why}", "error", StopReason.ANSWERED
                out.why = (
                    "arguments that are no JSON ended the work, and the error is the answer, as published"
                )
                return out
            seen = await execute(call)
            if not seen.ok:
                out.stop, out.why = StopReason.HARNESS_ERROR, f"{call.name} failed: {seen.text}"
                return out
            if call.name == FINISH:
                return _finished(out, seen, StopReason.ANSWERED)
            results.append(seen)
        message = Message("results", tuple(results)) if reply.calls else Message("again")
    # What stands last in the conversation is taken for the answer, be it a tool's result.
    if message.results:
        out.answer, out.via = message.results[-1].text, "observation"
    elif out.text.strip():
        out.answer, out.via = out.text, "plain"
    out.stop = StopReason.ANSWERED if out.answer else StopReason.BUDGET
    out.why = "finish was never called; the last message stands in, as published"
    return out


async def _careful(
    model: MainModel, execute: Callable[[ToolCall], Awaitable[Observation]], rules: Rules
) -> DvdResult:
    out, message = DvdResult(), Message("briefing")
    for out.rounds in range(1, rules.rounds + 1):
        limit = rules.spent()
        forced = f"The budget of {limit} is used up" if limit else None
        if forced is None and out.rounds == rules.rounds:
            forced = "This was the last round"
        message = Message(message.kind, message.results, forced=forced)
        out.sent.append(message.kind)
        reply = await model.send(message)
        if isinstance(reply, PlannerDied):
            out.stop, out.why = reply.stop, reply.reason
            return out
        out.text = reply.text
        ended = StopReason.FORCED if forced else StopReason.ANSWERED
        results: list[Observation] = []
        for call in reply.calls:
            closed = forced or rules.spent()
            if closed and call.name != FINISH and rules.refuse is not None:
                results.append(rules.refuse(call))
                continue
            seen = await execute(call)
            if call.name == FINISH and seen.ok:
                return _finished(out, seen, ended)
            results.append(seen)
        # A reply cut by the token limit may stop before it changes its mind: it is no answer.
        found = None if reply.calls or reply.stop is not None else rules.read(reply.text)
        if found is not None:
            out.answer, out.final, out.via, out.stop, out.why = (
                str(found["answer"]),
                found,
                "plain",
                ended,
                "",
            )
            return out
        if reply.calls:
            out.stop, out.why = StopReason.BUDGET, "still calling functions when the budget ended"
        else:
            out.stop, out.why = reply.stop or StopReason.UNPARSED, "no answer in the last reply"
        if forced:
            out.why = f"{forced.lower()}; {out.why}"
            return out
        message = Message("results", tuple(results)) if reply.calls else Message("nudge")
    return out


def _finished(out: DvdResult, seen: Observation, stop: StopReason) -> DvdResult:
    out.answer, out.final, out.via, out.stop = seen.data["answer"], dict(seen.data), "finish", stop
    out.why = ""
    return out
