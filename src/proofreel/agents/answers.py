"""Reading a letter out of what a model wrote: the published rules and the careful ones. Pure functions.

Vectors: ``avb_final_answer``, ``avb_react_answer``. In ``official`` mode every oddity of the
published parsers is kept; ``careful`` mode reads only what is a commitment to an option.
"""

import json
import re
import string
from collections.abc import Iterable, Iterator

UNPARSED = "?"
_WRAP = r"(?:[\s*_`\"'“”‘’(\[{<（【《「$]|\\boxed|\\text){0,12}"
_IS = r"(?:is\b\s{0,4}[:：]?|[:：=])?"
_NOUN = r"(?:the\s+|my\s+)?(?:correct\s+|final\s+|best\s+)?(?:option|answer|choice|letter|答案|选项)"
_ALONE = r"(?![A-Za-z0-9])"
# "answer I do not know": the pronoun, not option I.
_NOT_I = (
    r"(?!(?<=I)['’ ]\s?(?:am|m|do|don|did|can|could|cannot|have|ve|will|would|must|think|believe|see|saw)\b)"
)

# --- published preview parser -------------------------------------------------------------------------------
_OFFICIAL_MARK = re.compile(r"final\s*answer\s*:\s*([a-z])", re.I)
_OFFICIAL_CLOSING = re.compile(r"[a-z](?=\s*(?:[).]|$))", re.I)
_OFFICIAL_LONE = re.compile(r"\b[B-HJ-Z]\b")

# --- careful rules ------------------------------------------------------------------------------------------
_MARK = re.compile(
    rf"final\s*answer{_WRAP}(?::|：|-|\bis\b){_WRAP}(?:{_NOUN}\s*{_IS})?{_WRAP}([A-Za-z]){_ALONE}",
    re.I,
)
_JSON_ANSWER = re.compile(r"\"answer\"\s*:\s*\"([A-Za-z])\"", re.I)
_COMMIT = re.compile(
    rf"(?i:\b(?:answer|choose|chose|pick|select)(?:ed)?\b[*_`]{{0,4}}\s{{0,8}}{_IS}{_WRAP}(?:{_NOUN}\s*{_IS})?)"
    rf"{_WRAP}([A-Z]){_ALONE}{_NOT_I}"
)
_NAMED = re.compile(rf"(?i:\b(?:option|choice)\b[*_`]{{0,4}}\s{{0,8}}{_IS}){_WRAP}([A-Z]){_ALONE}")
_ONLY = re.compile(_WRAP + r"([A-Z])[\s*_`\"'“”‘’)\]}>）】》」$.。:：]*")
_LEADS = re.compile(r"[\s*_`\"'(\[{<（【]*([A-Z])[*_`\"'\]}>】]*(?:[)）.:：](?=[*_`\s]|$)|\s+[-–—](?=\s))")


def after_thinking(text: str) -> str:
    """What follows the last closing think tag; the whole text when there is none."""
    return text.rsplit("</think>", 1)[-1]


def final_answer_letter(text: str | None, mode: str = "careful") -> str:
    """The letter a free-text reply commits to, ``?`` when it commits to none."""
    if not text:
        return UNPARSED
    return _final_official(text) if mode == "official" else _final_careful(after_thinking(text))


def _final_official(text: str) -> str:
    marked = _OFFICIAL_MARK.findall(text)
    if marked:
        return str(marked[-1]).upper()
    for line in reversed(text.strip().split("\n")[-3:]):
        found = _OFFICIAL_CLOSING.search(line) or _OFFICIAL_LONE.search(line)
        if found:
            return found.group().upper()
    return UNPARSED


def _final_careful(text: str) -> str:
    marked = _MARK.findall(text)
    if marked:
        return str(marked[-1]).upper()
    lines = [line for line in text.splitlines() if line.strip()]
    return next((a for line in reversed(lines[-3:]) if (a := _line_letter(line))), UNPARSED)


def _line_letter(line: str) -> str | None:
    for pattern in (_JSON_ANSWER, _COMMIT):
        if found := pattern.findall(line):
            return str(found[-1]).upper()
    named = set(_NAMED.findall(line))
    if named:
        # Two different options named in one line: which of them is meant cannot be read.
        return named.pop() if len(named) == 1 else None
    alone = _ONLY.fullmatch(line) or _LEADS.match(line)
    return alone.group(1) if alone else None


# --- planner of Video-ReAct ---------------------------------------------------------------------------------
_REACT_OBJECT = re.compile(r"\{[^}]*\"answer\"\s*:\s*\"([a-z])\"[^}]*\}", re.I)
_REACT_PHRASES = (
    re.compile(r"(?:answer|choice)\s*(?:is|:)\s*([a-z])\b", re.I),
    re.compile(r"final\s+answer[:\s]*([a-z])\b", re.I),
)
_REACT_REASON = re.compile(r"\{[^}]*\"reasoning\"\s*:\s*\"([^\"]*)\"[^}]*\}", re.I)
_PHRASE = re.compile(
    rf"(?i:\b(?:final\s+answer|answer|choice)\b[*_`]{{0,4}}\s{{0,8}}{_IS}){_WRAP}(?i:option\b)?{_WRAP}([A-Zb-hj-z])\b"
)


def react_final_letter(text: str | None, mode: str = "careful") -> str | None:
    """The letter in a planner's reply, None when it has not committed to one."""
    if not text:
        return None
    if mode == "official":
        found = next((m for p in (_REACT_OBJECT, *_REACT_PHRASES) if (m := p.search(text))), None)
        return found.group(1).upper() if found else None
    for pattern in (_JSON_ANSWER, _PHRASE):
        if letters := pattern.findall(text):
            return str(letters[-1]).upper()
    return None


def react_reasoning(text: str | None) -> str:
    """The ``reasoning`` string of the first JSON object that has one, read as published (up to a quote)."""
    found = _REACT_REASON.search(text or "")
    return found.group(1) if found else ""


# --- options ------------------------------------------------------------------------------------------------
def allowed_letter(letter: str | None, letters: Iterable[str]) -> str | None:
    """The letter when the question has it (any letter when it has no options), else None."""
    known = set(letters) or set(string.ascii_uppercase)
    return letter if letter in known else None


# --- JSON objects in free text ------------------------------------------------------------------------------
def json_objects(text: str) -> Iterator[dict[str, object]]:
    """Every top-level JSON object of a text, in order; text between them is skipped."""
    decoder, at, tries = json.JSONDecoder(), 0, 0
    while (at := text.find("{", at)) >= 0 and tries < 1000:
        tries += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            yield value
