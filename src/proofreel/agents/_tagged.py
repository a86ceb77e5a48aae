"""Replies with ``<think>`` and ``<answer>`` tags, read into answers; shared by the agents that think with the video."""

import re

from proofreel.agents.answers import UNPARSED, after_thinking, allowed_letter, final_answer_letter
from proofreel.core import Answer, Evidence, Question, StopReason

_PAIR = re.compile(r"<answer>(.*?)</answer>", re.I | re.S)
_NOT_SHOWN = re.compile(r"(?i)not shown\W*")
TASKS = ("qa", "temporal_grounding", "spatial_grounding")
FORMS = {
    "choice": "the letter of one option and nothing else",
    "open": "the answer alone, as short as the question allows, or the words not shown when the video does not show it",
    "asked": "nothing but what was asked for",
}


def answer_form(question: Question, task: str, *, asked: bool) -> str:
    """What a model is told to write between the answer tags."""
    if question.options and task == "qa":
        return FORMS["choice"]
    return FORMS["asked" if asked or task != "qa" else "open"]


def tagged(text: str, mode: str) -> str | None:
    """What stands in the answer tags: officially in the first pair, carefully in the last one after thinking."""
    pairs = _PAIR.findall(text if mode == "official" else after_thinking(text))
    return None if not pairs else str(pairs[0 if mode == "official" else -1]).strip()


def read_answer(
    text: str,
    question: Question,
    mode: str,
    *,
    task: str = "qa",
    asked: bool = False,
    evidence: tuple[Evidence, ...] = (),
    stop: StopReason = StopReason.ANSWERED,
) -> Answer:
    """The answer in a reply.

    A letter may stand without tags, for a lettered line is a commitment; an open answer may not (officially the whole
    reply is taken), or else every refusal would be one. What an exam asked for in its own words is kept as it stands
    in the tags, else as the whole reply: the exam reads it.

    Args:
        text: the last reply.
        question: what was asked.
        mode: official or careful.
        task: ``qa``, or what an exam asks for instead of the answer.
        asked: an exam gave the words.
        evidence: that goes with the answer.
        stop: ``answered``, or ``forced`` when a limit forced the last step.
    """
    inner = tagged(text, mode)
    spoken = text if mode == "official" else after_thinking(text)
    if question.options and task == "qa":
        return _choice(inner or spoken, text, question, mode, evidence, stop)
    if inner is None and (mode == "official" or asked or task != "qa"):
        inner = spoken.strip()
    if not inner:
        return Answer(
            stop=StopReason.UNPARSED, reason="no answer between <answer> and </answer> in the reply"
        )
    if mode != "official" and task == "qa" and not asked and _NOT_SHOWN.fullmatch(inner):
        return Answer(abstained=True, stop=StopReason.ABSTAINED, reason=text)
    return Answer(value=inner, evidence=evidence, reason=text, stop=stop)


def _choice(
    said: str, text: str, question: Question, mode: str, evidence: tuple[Evidence, ...], stop: StopReason
) -> Answer:
    letters = [o.letter for o in question.options]
    letter = final_answer_letter(said, mode)
    if mode != "official":
        by_text = [
            o.letter for o in question.options if o.text.strip().casefold() == said.strip(" .").casefold()
        ]
        letter = by_text[0] if len(by_text) == 1 else allowed_letter(letter, letters) or UNPARSED
    if letter == UNPARSED:
        return Answer(stop=StopReason.UNPARSED, reason="no option letter in the last reply")
    return Answer(
        letter=letter, value=question.option_text(letter), evidence=evidence, reason=text, stop=stop
    )
