"""What a reply is before anything is read from it: fences, thinking, answer tags."""

import re
from typing import Literal

Mode = Literal["official", "careful"]

_FENCE = re.compile(r"```(?:json|python|bash|text)?\s*\n(.*?)\n```", re.I | re.S)
_INLINE_FENCE = re.compile(r"```(?:json|python|bash|text)?(?![a-z])(.*)```", re.I | re.S)
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.I | re.S)
_THINK_END = re.compile(r"</think>", re.I)


def strip_fence(text: str) -> str:
    """The inside of the first fenced block that has its fences on lines of their own, else the text; stripped."""
    fenced = _FENCE.search(text)
    return (fenced.group(1) if fenced else text).strip()


def strip_any_fence(text: str) -> str:
    """As ``strip_fence``, and a text that is nothing but one block loses fences that share a line with it too."""
    inside = strip_fence(text)
    whole = _INLINE_FENCE.fullmatch(inside)
    return whole.group(1).strip() if whole else inside


def first_answer(text: str) -> str:
    """Trimmed content of the first answer pair, thinking included (the published rule); else the text."""
    found = _ANSWER.search(text)
    return found.group(1).strip() if found else text


def last_answer(text: str) -> str:
    """What follows the last ``</think>``, and of that the last answer pair when there is one."""
    spoken = _THINK_END.split(text)[-1]
    pairs = _ANSWER.findall(spoken)
    return str(pairs[-1]).strip() if pairs else spoken
