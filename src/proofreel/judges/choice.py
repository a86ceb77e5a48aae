"""Verdict on a multiple-choice answer, with model, parser and harness failures kept apart."""

from pydantic import Field

from proofreel.core import Gold, Outcome, StopReason, Trajectory
from proofreel.core._base import Record

MODEL_STOPS = frozenset(
    {
        StopReason.OVERFLOW,
        StopReason.TRUNCATED,
        StopReason.FILTERED,
        StopReason.EMPTY,
        StopReason.MODEL_ERROR,
        StopReason.TOOL_FAILURES,
    }
)


class Verdict(Record):
    """How one item ended. ``abstained`` items count as wrong, and are counted apart as well."""

    outcome: Outcome
    letter: str | None = Field(default=None, pattern="^[A-Z]$")
    abstained: bool = False
    reason: str = ""


def judge_choice(trajectory: Trajectory, gold: Gold) -> Verdict:
    """The outcome of an item: right iff a letter was given and equals gold.

    A stop that is no answer never becomes one: context overflow, a cut or filtered or empty reply and a dead
    server are ``model_failed``, a fault of our own code is ``harness_failed``, text without a letter is ``unparsed``.
    """
    answer = trajectory.answer
    if answer.stop is StopReason.HARNESS_ERROR:
        return Verdict(outcome=Outcome.HARNESS_FAILED, reason=answer.reason)
    if answer.stop in MODEL_STOPS:
        return Verdict(outcome=Outcome.MODEL_FAILED, reason=f"{answer.stop}: {answer.reason}".rstrip(": "))
    if answer.abstained or answer.stop is StopReason.ABSTAINED:
        return Verdict(outcome=Outcome.WRONG, abstained=True, reason=answer.reason)
    if answer.letter is None:
        return Verdict(outcome=Outcome.UNPARSED, reason=answer.reason or "no option letter in the answer")
    right = answer.letter == gold.answer
    return Verdict(outcome=Outcome.RIGHT if right else Outcome.WRONG, letter=answer.letter)
