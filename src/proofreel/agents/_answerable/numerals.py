"""Numbers written with digits, English words or Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.agents._answerable.words import Token

_UNITS = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    w: 10 * (i + 2) for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_ORDINALS = {
    w: i + 1
    for i, w in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
    )
} | {"thirtieth": 30}
_HAN = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at tokens ``[i, j)``; ``spelled`` when written in words, ``ordinal`` for 1st or third."""

    amount: float
    i: int
    j: int
    spelled: bool
    ordinal: bool


def digits_value(text: str) -> float | None:
    """The number a digit token stands for; ``9:30`` is none."""
    if ":" in text:
        return None
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text.replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else None


def _atom(word: str) -> tuple[int, bool] | None:
    if word in _UNITS:
        return _UNITS[word], False
    if word in _TENS:
        return _TENS[word], False
    if word in _ORDINALS:
        return _ORDINALS[word], True
    if "-" in word:
        head, _, tail = word.partition("-")
        if head in _TENS and (tail in _UNITS or tail in _ORDINALS):
            return _TENS[head] + (_UNITS[tail] if tail in _UNITS else _ORDINALS[tail]), tail in _ORDINALS
    return None


def _spelled(tokens: Sequence[Token], i: int) -> Numeral | None:
    total, part, j, ordinal, seen, last = 0, 0, i, False, False, 0
    while j < len(tokens):
        word = tokens[j].norm
        atom = _atom(word)
        if atom is not None and not ordinal:
            value, is_ordinal = atom
            if seen and last and not (last >= 20 and value < 10 and last % 10 == 0):
                if 10 <= last <= 20 and 10 <= value <= 99 and part == last:
                    tail = _atom(tokens[j + 1].norm) if j + 1 < len(tokens) else None
                    more = tail[0] if tail and value >= 20 and value % 10 == 0 and 0 < tail[0] < 10 else 0
                    return Numeral(last * 100 + value + more, i, j + (2 if more else 1), True, False)
                break
            part, last, seen, ordinal = part + value, value, True, is_ordinal
        elif word in _SCALES and (seen or word in ("dozen", "hundred")):
            scale = _SCALES[word]
            part = (part or 1) * scale
            if scale >= 1000:
                total, part = total + part, 0
            seen, last = True, 0
        elif word == "and" and seen and last == 0 and j + 1 < len(tokens) and _atom(tokens[j + 1].norm):
            pass
        else:
            break
        j += 1
    return Numeral(total + part, i, j, True, ordinal) if seen else None


def _han(tokens: Sequence[Token], i: int) -> Numeral | None:
    total, part, j = 0, 0, i
    while j < len(tokens) and (j == i or tokens[j].start == tokens[j - 1].end):
        c = tokens[j].text
        if c in _HAN:
            part = part * 10 + _HAN[c] if part and tokens[j - 1].text in _HAN else _HAN[c]
        elif c in _HAN_SCALES:
            scale = _HAN_SCALES[c]
            if scale == 10000:
                total, part = (total + part) * scale, 0
            else:
                total, part = total + (part or 1) * scale, 0
        else:
            break
        j += 1
    return Numeral(total + part, i, j, True, False) if j > i else None


def numerals(tokens: Sequence[Token]) -> list[Numeral]:
    """All numbers, left to right, none overlapping."""
    found: list[Numeral] = []
    i = 0
    while i < len(tokens):
        token, number = tokens[i], None
        if token.kind == "num":
            amount, j = digits_value(token.norm), i + 1
            if amount is not None:
                while j < len(tokens) and tokens[j].norm in ("hundred", "thousand", "million", "billion"):
                    amount, j = amount * _SCALES[tokens[j].norm], j + 1
                number = Numeral(amount, i, j, False, False)
        elif token.kind == "code" and (m := re.fullmatch(r"(\d+)(st|nd|rd|th|k)", token.norm)):
            number = Numeral(float(m[1]) * (1000 if m[2] == "k" else 1), i, i + 1, False, m[2] != "k")
        elif token.kind == "word":
            number = _spelled(tokens, i)
        elif token.kind == "cjk":
            number = _han(tokens, i)
        if number is None:
            i += 1
        else:
            found.append(number)
            i = number.j
    return found
