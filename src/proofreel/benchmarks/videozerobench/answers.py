"""Short answers, compared exactly: the published rules, and the same without what lets wrong answers pass."""

import math
import re

from proofreel.benchmarks.videozerobench.text import Mode, first_answer, last_answer, strip_fence

_HEAD = re.compile(r"^[\s\"'“”‘’]+")
_TAIL = re.compile(r"[\s\"'“”‘’.。]+$")
_TICKS = re.compile(r"(`+)([^`\n]+)\1")
_BETWEEN_COLOURS = re.compile(r"[、，,和与及/\s]+")
_WHOLE = re.compile(r"(-?\d+)\.0+")
# Words such as 无人车 (driverless car) or 非机动车 (bicycle) name vehicles; they deny nothing.
_NEGATION = re.compile(
    r"没|否|不(?!锈)|无(?!轨|人|线|障碍|级)|非(?!机动|洲)|未(?!来)|\b(?:no|not|none|without)\b", re.I
)


def norm_answer(value: object) -> str:
    """The compared form: text inside the first fence, without quotes around it and full stops after it.

    None gives the empty text. Nothing else is changed: no other punctuation, no case, no width.
    """
    if value is None:
        return ""
    return _TAIL.sub("", _HEAD.sub("", strip_fence(str(value))))


def _unquoted(value: object) -> str:
    """``norm_answer``, and without back-ticks when they stand around all of it on one line."""
    text = norm_answer(value)
    ticked = _TICKS.fullmatch(text)
    return norm_answer(ticked.group(2)) if ticked else text


def _official(gt: object, pred: object) -> bool:
    want, got = norm_answer(gt), norm_answer(first_answer(str(pred)))
    if not want:
        return False
    if want.isdigit():
        return want == got
    if re.search(r"[A-Za-z]", want):
        return want.lower() == got.lower()
    if "色" in want:
        return got in want
    return want in got if want == "车" else want == got


def _same_colours(want: list[str], text: str) -> bool:
    """As many colours in the same order, each (with or without ``色``) a part of its reference."""
    got = [part for part in _BETWEEN_COLOURS.split(text) if part]
    shades = [part.removesuffix("色") for part in got]
    return len(got) == len(want) and all(s and s in w for s, w in zip(shades, want, strict=True))


def _careful(gt: object, pred: object) -> bool:
    if any(isinstance(v, float) and math.isnan(v) for v in (gt, pred)):
        return False
    whole = isinstance(gt, float) and gt.is_integer()
    want = str(int(gt)) if whole and isinstance(gt, float) else _unquoted(gt)
    got = _unquoted(last_answer(str(pred)))
    if not want or not got:
        return False
    if whole:
        number = _WHOLE.fullmatch(got)
        return want == (number.group(1) if number else got)
    if want.isdigit():
        return want == got
    if re.search(r"[A-Za-z]", want):
        return want.lower() == got.lower()
    colours = [part for part in _BETWEEN_COLOURS.split(want) if part]
    if "色" in want and all(c.endswith("色") for c in colours):
        return _same_colours(colours, got)
    if want == "车":
        return want in got and not _NEGATION.search(got)
    return want == got


def is_correct(gt: object, pred: object, mode: Mode = "careful") -> bool:
    """Whether a short answer is right.

    Officially the first answer pair counts (also one inside thinking), an empty or partial colour passes, and so does
    any text with ``车`` in it. Carefully the last pair after thinking counts, an empty answer never passes, colours
    are compared one by one and negated vehicles are wrong. Neither mode accepts ``3.0`` or ``3 cars`` for ``3``.

    Args:
        gt: the reference; text, a number, or NaN and None from a table reader (both never match carefully).
        pred: the reply; None is wrong.
        mode: careful or official.
    """
    if pred is None:
        return False
    return _official(gt, pred) if mode == "official" else _careful(gt, pred)
