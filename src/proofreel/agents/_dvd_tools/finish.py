"""``finish``: the main model hands in its answer (agents protocol, section 3)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from proofreel.agents._dvd import InvalidTimeError, hhmmss_to_seconds
from proofreel.agents.answers import allowed_letter, final_answer_letter, react_final_letter
from proofreel.core import Question
from proofreel.tools import ToolContext, ToolResult, ToolSpec, tool

_ANSWER = {"type": "string", "description": "The answer."}
_EVIDENCE = {
    "type": "array",
    "description": "Stretches of the video that prove the answer, as [start, end] in HH:MM:SS.",
    "items": {"type": "array", "items": {"type": "string"}},
}


@tool(
    "finish",
    description="Hands in the answer and ends the work. Call it once, when the answer is confirmed.",
    properties={"answer": _ANSWER, "evidence": _EVIDENCE},
    required=("answer",),
)
async def finish(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """Takes any answer in official mode; in careful mode a letter that the question has, or words where it has none.

    Data: ``answer``, ``letter`` (None for open questions) and ``windows`` in seconds.
    """
    text = "" if args.get("answer") is None else str(args["answer"]).strip()
    letter = read_letter(text, ctx.question, ctx.mode)
    data = {"answer": text, "letter": letter, "windows": list(windows(args.get("evidence")))}
    if ctx.mode != "official":
        if not text:
            return ToolResult.failure("validation", "finish needs an answer")
        if ctx.question.options and letter is None:
            letters = ", ".join(o.letter for o in ctx.question.options)
            return ToolResult.failure("validation", f"the answer must be one of the letters {letters}")
    return ToolResult(ok=True, text="The answer is handed in.", data=data)


def finish_for(mode: str) -> ToolSpec:
    """The tool as a run in this mode offers it: officially with the answer alone."""
    if mode != "official":
        return finish
    return replace(finish, parameters={**finish.parameters, "properties": {"answer": _ANSWER}})


def read_letter(text: str, question: Question, mode: str) -> str | None:
    """The option an answer names: its letter, alone or before its text, or the option's text itself."""
    letters = [o.letter for o in question.options]
    if not text or not letters:
        return None
    if mode == "official":
        return allowed_letter(final_answer_letter(text, "official"), letters)
    if len(text) == 1:
        return allowed_letter(text.upper(), letters)
    same = [o.letter for o in question.options if o.text.strip().casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    return allowed_letter(react_final_letter(text) or final_answer_letter(text), letters)


def windows(value: Any) -> Iterator[tuple[float, float]]:
    """Stretches as a model cites them, in seconds: clock times or numbers, pairs or ``start`` and ``end``."""
    listed = value if isinstance(value, list | tuple) else ()
    if len(listed) == 2 and not any(isinstance(v, list | tuple | dict) for v in listed):
        listed = [listed]
    for pair in listed:
        if isinstance(pair, dict):
            pair = (pair.get("start"), pair.get("end"))
        try:
            start, end = (_second(v) for v in pair)
        except (TypeError, ValueError):
            continue
        if end >= start:
            # A clock time names a whole second: what ends in the second it starts in has that length.
            yield (start, end if end > start else start + 1.0)


def _second(value: Any) -> float:
    if isinstance(value, str) and ":" in value:
        try:
            return float(hhmmss_to_seconds(value.strip()))
        except InvalidTimeError as error:
            raise ValueError(str(error)) from error
    return float(value)
