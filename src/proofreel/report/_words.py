"""The plain sentences of every report: one wording for the page and the terminal."""

from dataclasses import dataclass
from typing import Literal

from proofreel.core import Evidence, Question, StopReason, TokenUse, Trajectory

Source = Literal["speech", "screen", "frame", "web"]
State = Literal["good", "care", "bad"]

SOURCE_NAMES: dict[Source, str] = {
    "speech": "Speech",
    "screen": "Screen text",
    "frame": "Frames",
    "web": "Web",
}

PHASES = {
    "thinking": "Thought",
    "tool_call": "Call",
    "tool_result": "Result",
    "plan": "Plan",
    "observe": "Observation",
    "reflect": "Check",
    "answer": "Answer",
}

STOPS = {
    StopReason.ANSWERED: "The agent stopped on its own with this answer.",
    StopReason.ABSTAINED: "The agent has no proof from the video and therefore gives no answer.",
    StopReason.FORCED: "A budget ran out, so the agent had to answer from what it had found by then.",
    StopReason.UNPARSED: "The model replied, but no answer could be read from its reply.",
    StopReason.OVERFLOW: "The conversation no longer fitted into the model's context before there was an answer.",
    StopReason.TRUNCATED: "The model's reply was cut off at its length limit before there was an answer.",
    StopReason.FILTERED: "The model's provider withheld the reply, so there is no answer.",
    StopReason.EMPTY: "The model sent an empty reply, so there is no answer.",
    StopReason.MODEL_ERROR: "The model call failed, so there is no answer.",
    StopReason.TOOL_FAILURES: "Too many tool calls failed, so there is no answer.",
    StopReason.BUDGET: "A budget ran out before there was an answer.",
    StopReason.HARNESS_ERROR: "Proofreel itself failed on this question, which says nothing about the agent.",
}

_STATUS = {
    StopReason.UNPARSED: "Reply could not be read",
    StopReason.OVERFLOW: "Context overflow",
    StopReason.TRUNCATED: "Reply cut off",
    StopReason.FILTERED: "Reply withheld",
    StopReason.EMPTY: "Empty reply",
    StopReason.MODEL_ERROR: "Model failed",
    StopReason.TOOL_FAILURES: "Tools failed",
    StopReason.BUDGET: "Budget ran out",
    StopReason.HARNESS_ERROR: "Harness failed",
}


@dataclass(frozen=True)
class Verdict:
    """How an answer is told: a state for colour, a short status, the answer itself, a sentence."""

    state: State
    status: str
    value: str
    sentence: str
    letter: str | None = None
    answered: bool = False


def verdict(trajectory: Trajectory, question: Question) -> Verdict:
    """How the answer of a trajectory is told; what is not an answer never looks like one."""
    answer = trajectory.answer
    if answer.abstained or answer.stop is StopReason.ABSTAINED:
        known = answer.stop in (StopReason.ANSWERED, StopReason.ABSTAINED)
        sentence = STOPS[StopReason.ABSTAINED if known else answer.stop]
        return Verdict("care", "Abstained", "No answer: no proof found in the video", sentence)
    if answer.stop not in (StopReason.ANSWERED, StopReason.FORCED):
        return Verdict("bad", _STATUS[answer.stop], "No answer", STOPS[answer.stop])
    text = answer.value
    if answer.letter is not None:
        text = question.option_text(answer.letter) or (text if text != answer.letter else None) or ""
    if not text and answer.letter is None:
        return Verdict("bad", "No answer", "No answer", "The agent stopped without an answer.")
    forced = answer.stop is StopReason.FORCED
    status = "Answered under a budget limit" if forced else "Answered"
    state: State = "care" if forced else "good"
    return Verdict(state, status, text or "", STOPS[answer.stop], answer.letter, answered=True)


def source_of(evidence: Evidence) -> Source:
    """The lane evidence belongs to; a model's own words are a reading of frames."""
    if evidence.quote is None or evidence.quote.source == "model":
        return "frame"
    return evidence.quote.source


def source_label(evidence: Evidence) -> str:
    """What people call the source."""
    if evidence.quote is not None and evidence.quote.source == "model":
        return "Model's reading"
    return {"speech": "Speech", "screen": "Screen text", "frame": "Frame", "web": "Web page"}[
        source_of(evidence)
    ]


def count(n: int, thing: str) -> str:
    """``1 frame``, ``2 frames``, ``1,200 frames``."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def cost(tokens: TokenUse) -> str | None:
    """Money of a token count, None when the price is not known."""
    if tokens.cost_usd is None:
        return None
    return f"${tokens.cost_usd:.4f}" if tokens.cost_usd < 1 else f"${tokens.cost_usd:,.2f}"


def seconds(value: float | None) -> str:
    """Wall time for people; empty when it was not measured."""
    if value is None:
        return ""
    return (
        f"{value * 1000:.0f} ms"
        if value < 1
        else f"{value:.1f} s"
        if value < 100
        else f"{value / 60:.1f} min"
    )


def shorten(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
