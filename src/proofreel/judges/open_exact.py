"""Verdict on an open answer by exact comparison after a fixed clean-up: no model, nothing fuzzy."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from proofreel.core import Gold, Outcome, StopReason, Trajectory
from proofreel.judges.choice import MODEL_STOPS, Verdict

_EDGES = " \t\n\"'`“”‘’«»()[]{}<>*_.,;:!?。，；：！？、"
_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)")
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")


def normal_answer(text: str) -> str:
    """The form in which open answers are compared.

    Unicode NFKC, case folded, white space runs as one space, quotes, brackets, markup and punctuation taken off both
    ends, one leading English article dropped, and a text that is a number as that number: ``1,000`` and ``1000.0``
    are the same, ``3 times`` and ``3`` are not. A minus sign stays.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGES)
    folded = _ARTICLE.sub("", folded).strip(_EDGES)
    if _NUMBER.fullmatch(folded):
        try:
            number = Decimal(folded.replace(",", ""))
        except InvalidOperation:
            return folded
        return format(number.normalize() + 0, "f")
    return folded


def judge_open(trajectory: Trajectory, gold: Gold) -> Verdict:
    """The outcome of an item with an open answer: right iff it equals gold or one of its aliases after clean-up.

    When gold says that the video does not show it (None), abstaining is right and any answer is wrong; otherwise
    abstaining is wrong and counted apart. Stops that are no answer are failures, as in ``judge_choice``; an answer
    with nothing left after clean-up is ``unparsed``, never a match.
    """
    answer = trajectory.answer
    if answer.stop is StopReason.HARNESS_ERROR:
        return Verdict(outcome=Outcome.HARNESS_FAILED, reason=answer.reason)
    if answer.stop in MODEL_STOPS:
        return Verdict(outcome=Outcome.MODEL_FAILED, reason=f"{answer.stop}: {answer.reason}".rstrip(": "))
    if answer.abstained or answer.stop is StopReason.ABSTAINED:
        outcome = Outcome.RIGHT if gold.answer is None else Outcome.WRONG
        return Verdict(outcome=outcome, abstained=True, reason=answer.reason)
    given = normal_answer(answer.value or "")
    if not given:
        return Verdict(outcome=Outcome.UNPARSED, reason=answer.reason or "no answer text")
    accepted = () if gold.answer is None else (gold.answer, *gold.aliases)
    match = next((a for a in accepted if normal_answer(a) == given), None)
    if match is None:
        return Verdict(outcome=Outcome.WRONG, reason=f"{given!r} is none of the accepted texts")
    return Verdict(outcome=Outcome.RIGHT, reason=f"equals {match!r} after clean-up")
