"""From AVP's last verdict to the answer."""

from proofreel.agents._avp.board import Board
from proofreel.agents._avp.verdict import Verdict
from proofreel.core import Answer, Question, StopReason


def named(verdict: Verdict, question: Question) -> bool:
    """Whether a verdict names an option, or for an open question an answer."""
    return bool(verdict.letter if question.options else verdict.answer)


def answer_of(
    verdict: Verdict, question: Question, board: Board, stop: StopReason, missing: str, mode: str
) -> Answer:
    """A verdict as an answer with the evidence it cites.

    Args:
        verdict: the last one.
        question: what was asked.
        board: where the evidence is.
        stop: how an answer ends.
        missing: what is said when the verdict names none.
        mode: officially option A stands where none was named, and says that it is no answer.
    """
    confidence = min(max(verdict.confidence, 0.0), 1.0) if verdict.parsed else None
    if not named(verdict, question):
        if mode != "official" or not question.options:
            return Answer(stop=StopReason.UNPARSED, reason=missing)
        reason = f"official fallback letter, not an answer: {missing}"
        return Answer(letter="A", value=question.option_text("A"), stop=StopReason.FORCED, reason=reason)
    value = question.option_text(verdict.letter or "") if question.options else verdict.answer
    if not question.options and (value or "").strip().lower().rstrip(".") == "not shown":
        return Answer(
            abstained=True, stop=StopReason.ABSTAINED, reason=verdict.reasoning, confidence=confidence
        )
    return Answer(
        letter=verdict.letter if question.options else None,
        value=value,
        confidence=confidence,
        reason=verdict.reasoning or verdict.justification,
        evidence=board.cited(verdict.cites),
        stop=stop,
    )
