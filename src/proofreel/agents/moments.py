"""Moments in a reply: the published reading, and a careful one that knows units, clocks and what is no window."""

import re

from proofreel.agents._reply_text import Mode, last_answer, strip_fence
from proofreel.core import Window

Pair = tuple[float, float]

_TOKEN = r"\d+:\d{2}(?:\.\d+)?|\d+(?:\.\d+)?"
_TO = re.compile(rf"\b(?:from\s+)?({_TOKEN})[^\d:]*to\s*({_TOKEN})\b", re.I)
_DASH = re.compile(rf"\b({_TOKEN})\s*[-–—~]\s*({_TOKEN})\b")

_HOUR, _MINUTE, _SECOND = r"h|hrs?|hours?|小时", r"m|mins?|minutes?|分钟?", r"s|secs?|seconds?|秒钟?"
# A unit may be glued to its number; it ends where no further letter follows.
_UNIT = rf"(?:{_HOUR}|{_MINUTE}|{_SECOND})(?![A-Za-z])"
_AMOUNT = (
    r"\d+:\d{2}:\d{2}(?:\.\d+)?"
    rf"|\d+:\d{{2}}(?:\.\d+)?(?:\s*{_UNIT})?"
    rf"|\d+(?:\.\d+)?\s*(?:{_MINUTE})(?:\s*and)?\s*\d+(?:\.\d+)?\s*(?:{_SECOND})(?![A-Za-z])"
    rf"|\d+(?:\.\d+)?(?:\s*{_UNIT})?"
)
# No window starts at the tail of a decimal or clock, behind a minus sign, or inside a word.
_START = r"(?<![A-Za-z_\d:\-–—−])(?<!\d\.)(?<!\s\.)"
# Nor does it end in the middle of a number, or glued to a word that does not go on with the sentence.
_END = r"(?!\d|[.:]\d|\s+:\s*\d|(?!and|then|or\b|from)[A-Za-z_])"
_REMARK = r"(?:[^\w:]|\([^()\d:]*\))*?"
_PAIR = re.compile(
    rf"{_START}(?P<a>{_AMOUNT})(?:{_REMARK}\s*(?P<word>(?:up\s+)?to|至|到)|\s*[-–—~～])\s*(?P<b>{_AMOUNT}){_END}",
    re.I,
)
_PARTS = re.compile(r"(\d+(?:\.\d+)?)\s*([^\d\s]*)")


def _token_seconds(token: str) -> float | None:
    minutes, colon, seconds = token.rpartition(":")
    if colon and float(seconds) >= 60:
        return None
    return (float(minutes) * 60 if colon else 0.0) + float(seconds)


def _official(text: str) -> list[Pair]:
    plain = re.sub("[<>]", "", strip_fence(text))
    found = [m.groups() for p in (_TO, _DASH) for m in p.finditer(plain)]
    ends = [(_token_seconds(a), _token_seconds(b)) for a, b in found]
    return [(a, b) for a, b in ends if a is not None and b is not None and b > a]


def _factor(unit: str) -> int:
    if re.fullmatch(_HOUR, unit, re.I):
        return 3600
    return 60 if re.fullmatch(_MINUTE, unit, re.I) else 1


def _unit_of(amount: str) -> str:
    """The unit at the end of a plain amount; clocks and bare numbers have none."""
    tail = re.search(rf"({_HOUR}|{_MINUTE}|{_SECOND})$", amount, re.I)
    return "" if ":" in amount or tail is None else tail.group(1)


def _amount_seconds(amount: str, unit: str) -> float | None:
    """Seconds of an amount; a number without a unit takes ``unit``."""
    if ":" in amount:
        clock = re.match(r"[\d:.]+", amount)
        parts = [float(p) for p in clock.group().split(":")] if clock else []
        if any(p >= 60 for p in parts[1:]):
            return None
        return sum(p * 60.0**k for k, p in enumerate(reversed(parts)))
    return sum(float(n) * _factor(u if u != "and" and u else unit) for n, u in _PARTS.findall(amount))


def _careful(text: str) -> list[Pair]:
    # A space in front lets the look-behinds see a full stop that opens the text.
    plain = " " + re.sub("[<>]", "", strip_fence(last_answer(text)))
    worded: list[Pair] = []
    dashed: list[Pair] = []
    for match in _PAIR.finditer(plain):
        first, second = match["a"], match["b"]
        start = _amount_seconds(first, _unit_of(first) or _unit_of(second))
        end = _amount_seconds(second, _unit_of(second) or _unit_of(first))
        if start is not None and end is not None and end > start:
            (worded if match["word"] else dashed).append((start, end))
    return worded + dashed


def parse_pred_windows(text: object, mode: Mode = "careful") -> list[Pair] | None:
    """(start, end) in seconds of every window in a reply; those written with a word first, then those with a dash.

    Carefully only what follows thinking counts (of it the last answer pair), units may be glued to numbers, minutes
    and ``H:MM:SS`` are understood, and neither prose nor negative or chained numbers are windows.

    Returns:
        None when there is no window.
    """
    if text is None:
        return None
    return (_official(str(text)) if mode == "official" else _careful(str(text))) or None


def windows_in(text: str) -> tuple[Window, ...]:
    """The windows of a reply, read carefully, as the core's; starts before 0 become 0."""
    pairs = parse_pred_windows(text) or []
    return tuple(Window(start=max(a, 0.0), end=b) for a, b in pairs if b > 0)
