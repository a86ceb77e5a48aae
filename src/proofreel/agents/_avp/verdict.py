"""What AVP reads out of a reflection and out of the forced answer."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._avp.decide import UNREADABLE_CONFIDENCE
from proofreel.agents._avp.parse import parse_json
from proofreel.agents.answers import UNPARSED, after_thinking, allowed_letter, final_answer_letter
from proofreel.core.question import Option

_LETTER = re.compile(r"\W*([A-Za-z])(?![A-Za-z])")


@dataclass(frozen=True)
class Verdict:
    """A reflection or a forced answer.

    Attributes:
        sufficient: whether the evidence is called enough.
        confidence: in [0, 1].
        justification: what is there or missing.
        reasoning: from the evidence to the answer.
        letter: option chosen, None when none is readable.
        answer: text of the answer to an open question.
        cites: numbers of the evidence lines it rests on.
        parsed: False when the reply was unreadable.
    """

    sufficient: bool = False
    confidence: float = UNREADABLE_CONFIDENCE
    justification: str = ""
    reasoning: str = ""
    letter: str | None = None
    answer: str | None = None
    cites: tuple[int, ...] = ()
    parsed: bool = True


NO_EVIDENCE = Verdict(confidence=0.0, justification="no look has given any usable evidence yet")


def read_verdict(
    text: str, options: Sequence[Option], mode: str = "careful", *, final: bool = False
) -> Verdict:
    """A reply as a verdict; an unreadable one counts as insufficient with confidence 0.3.

    ``careful`` looks behind the thinking, keeps the confidence in [0, 1], takes only letters the question has (also by
    the exact text of the option), and reads a forced answer in prose when it commits to one option.
    """
    careful = mode != "official"
    said = after_thinking(text) if careful else text
    found = parse_json(said)
    if not isinstance(found, dict):
        return (
            _from_prose(said, options) if careful and final else Verdict(parsed=False, reasoning=said.strip())
        )
    confidence = _confidence(found.get("confidence"), careful)
    if not final and (confidence is None or "sufficient" not in found):
        return Verdict(parsed=False, reasoning=said.strip())
    answer = found.get("answer", found.get("selected_option_text"))
    return Verdict(
        sufficient=_true(found.get("sufficient")),
        confidence=UNREADABLE_CONFIDENCE if confidence is None else confidence,
        justification=str(found.get("justification") or ""),
        reasoning=str(found.get("reasoning") or ""),
        letter=_letter(found, options, careful),
        answer=str(answer).strip() or None if isinstance(answer, str | int | float) else None,
        cites=_numbers(found.get("supporting_evidence")) if careful else (),
    )


def _from_prose(said: str, options: Sequence[Option]) -> Verdict:
    letter = allowed_letter(final_answer_letter(said), [o.letter for o in options])
    return Verdict(
        parsed=False, reasoning=said.strip(), letter=None if letter == UNPARSED or not options else letter
    )


def _letter(found: dict[str, Any], options: Sequence[Option], careful: bool) -> str | None:
    match = _LETTER.match(str(found.get("selected_option") or ""))
    letter = match.group(1).upper() if match else None
    if not careful or not options:
        return letter
    if letter is not None and letter in {o.letter for o in options}:
        return letter
    text = str(found.get("selected_option_text") or "").strip().casefold()
    return next((o.letter for o in options if text and o.text.strip().casefold() == text), None)


def _confidence(value: Any, careful: bool) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return min(max(number, 0.0), 1.0) if careful else number


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple(n for n in value if type(n) is int) if isinstance(value, list) else ()


def _true(value: Any) -> bool:
    return value.strip().lower() in ("true", "yes") if isinstance(value, str) else bool(value)
