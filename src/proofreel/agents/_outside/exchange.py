"""What an agent outside is told, and what its words mean."""

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofreel.agents._citing import Citation, cited
from proofreel.core import Answer, Question, StopReason, Window

FORMAT = """\
Write one JSON object to standard output, alone on the last line: \
{"answer": <option letter, or text, or null when the video does not show it>, "reason": "...", \
"confidence": <0-1 or null>, "evidence": [{"start": <s>, "end": <s>, "quote": "...", "source": "speech" or "screen", \
"boxes": [{"time": <s>, "box": [x0, y0, x1, y1 in 0-1]}], "note": "..."}]}; all but answer may be left out."""


class Said(BaseModel):
    """The answer of an agent outside, as it comes over the wire; other keys are let pass."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)
    answer: str | int | float | None
    reason: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    evidence: list[Any] = []


def told(
    question: Question,
    *,
    model: dict[str, Any] | None,
    mcp: dict[str, Any] | None,
    limits: dict[str, float | int | None],
) -> dict[str, Any]:
    """The message on standard input: the question and the ways to look; no gold."""
    return {
        "format_version": 1,
        "question": question.model_dump(mode="json"),
        "prompt": question.rendered(),
        "model": model,
        "mcp": mcp,
        "limits": {k: v for k, v in limits.items() if v is not None},
        "answer_format": FORMAT,
    }


def last_object(text: str) -> dict[str, Any] | None:
    """The whole text as a JSON object, else the last line that is one."""
    for candidate in (text, *reversed(text.splitlines())):
        candidate = candidate.strip()
        if not candidate.startswith("{"):
            continue
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and "answer" in found:
            return found
    return None


def answer_of(
    found: dict[str, Any] | None,
    question: Question,
    *,
    step: int,
    shown: Callable[[Window], list[float]],
) -> Answer:
    """The answer; anything that is none is ``unparsed`` and says why.

    Evidence that makes no sense is left out, and the reason says so: it must not cost the answer.
    """
    if found is None:
        return Answer(stop=StopReason.UNPARSED, reason="no JSON object with an answer came back")
    try:
        said = Said.model_validate(found)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(p) for p in fault["loc"])
        return Answer(stop=StopReason.UNPARSED, reason=f"the answer cannot be read: {where}: {fault['msg']}")
    evidence, notes = _evidence(said.evidence, question, step, shown)
    reason = " ".join([said.reason, *notes]).strip()
    common: dict[str, Any] = {"confidence": said.confidence, "reason": reason, "evidence": evidence}
    if said.answer is None:
        return Answer(abstained=True, stop=StopReason.ABSTAINED, **common)
    text = str(said.answer).strip()
    if not question.options:
        stop = StopReason.ANSWERED if text else StopReason.UNPARSED
        return Answer(value=text or None, stop=stop, **common)
    letter = option_of(text, question)
    if letter is None:
        said_so = f"{text[:60]!r} is neither the letter nor the text of an option. {reason}".strip()
        return Answer(stop=StopReason.UNPARSED, **{**common, "reason": said_so})
    return Answer(letter=letter, value=question.option_text(letter), **common)


def option_of(text: str, question: Question) -> str | None:
    """Letter of the option that a text names, None when it names none.

    By text first, as in data files: with options B and A the text A means the second one.
    """
    same = [o.letter for o in question.options if o.text.casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    bare = text.strip("().: ").upper()
    return next((o.letter for o in question.options if o.letter == bare), None)


def _evidence(
    listed: list[Any], question: Question, step: int, shown: Callable[[Window], list[float]]
) -> tuple[tuple[Any, ...], list[str]]:
    proofs, left_out = [], 0
    for one in listed[:50]:
        try:
            citation = Citation.model_validate(one)
            proof, _ = cited(
                citation, duration=question.duration, claimed_by="outside", step=step, shown=shown
            )
        except ValueError:  # of the record as of its sense
            left_out += 1
        else:
            proofs.append(proof)
    left_out += len(listed[50:])
    return tuple(proofs), [
        f"({left_out} pieces of evidence make no sense and are left out)"
    ] if left_out else []
