"""Typed values in a line (clock times, dates, money, shares, quantities, numbers), comparable across spellings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from proofreel.agents._answerable.moments import clock_times, dates, spoken_times
from proofreel.agents._answerable.numerals import Numeral, numerals
from proofreel.agents._answerable.units import MONEY, UNITS, Value, same
from proofreel.agents._answerable.wordlists import COLOURS
from proofreel.agents._answerable.words import Token, tokenize

__all__ = ["UNITS", "Value", "same", "values"]


def _amounts(tokens: Sequence[Token], nums: Sequence[Numeral]) -> list[Value]:
    found: list[Value] = []
    for n in nums:
        start, end = tokens[n.i].start, tokens[n.j - 1].end
        after = tokens[n.j] if n.j < len(tokens) else None
        two = "".join(t.text for t in tokens[n.j : n.j + 2])
        before = tokens[n.i - 1] if n.i else None
        if n.ordinal:
            found.append(Value("ordinal", start, end, n.amount))
            continue
        found.append(Value("number", start, end, n.amount))
        if before and before.norm in MONEY and before.kind == "sign":
            found.append(Value("money", before.start, end, n.amount, MONEY[before.norm]))
        elif after and after.stem in MONEY:
            found.append(Value("money", start, after.end, n.amount, MONEY[after.stem]))
        elif before and before.kind == "word" and before.norm in MONEY:
            found.append(Value("money", before.start, end, n.amount, MONEY[before.norm]))
        if after and (
            after.norm in ("%", "percent", "pct") or (after.norm == "per" and two.lower() == "percent")
        ):
            stop = tokens[n.j + 1].end if after.norm == "per" else after.end
            found.append(Value("percent", start, stop, n.amount))
        unit = UNITS.get(two) or (UNITS.get(after.stem) if after else None)
        if unit and after:
            stop = tokens[n.j + 1].end if two in UNITS and n.j + 1 < len(tokens) else after.end
            found.append(Value("quantity", start, stop, n.amount * unit[1], unit[0]))
    return found


def _literals(tokens: Sequence[Token], text: str) -> list[Value]:
    found: list[Value] = []
    for t in tokens:
        if t.kind == "url":
            found.append(
                Value(
                    "email" if "@" in t.text else "url",
                    t.start,
                    t.end,
                    unit=t.norm.removeprefix("https://")
                    .removeprefix("http://")
                    .removeprefix("www.")
                    .rstrip("/"),
                )
            )
        elif t.kind == "code":
            m = re.fullmatch(r"(\d+)([a-z]+)", t.norm)
            if m and m[2] in UNITS and m[2] not in ("w", "l"):
                dim, factor = UNITS[m[2]]
                found.append(Value("quantity", t.start, t.end, float(m[1]) * factor, dim))
            elif not re.fullmatch(r"\d+(st|nd|rd|th|am|pm)", t.norm):
                found.append(Value("code", t.start, t.end, unit=re.sub(r"[-_ ]", "", t.norm)))
        elif t.norm in COLOURS:
            found.append(Value("colour", t.start, t.end, unit=t.norm))
    for colour in COLOURS:
        if not colour.isascii():
            found += [Value("colour", m.start(), m.end(), unit=colour) for m in re.finditer(colour, text)]
    for m in re.finditer(r"(?<![\w.])\+?\d[\d ()-]{5,}\d(?!\w)", text):
        digits = re.sub(r"\D", "", m[0])
        if len(digits) >= 7:
            found.append(Value("phone", m.start(), m.end(), unit=digits))
    return found


@lru_cache(maxsize=20000)
def values(text: str) -> tuple[Value, ...]:
    """All typed values of a text, by position; one span may have several kinds (1961 is a year and a number)."""
    tokens = tokenize(text)
    nums = numerals(tokens)
    found = [
        *clock_times(tokens, text),
        *spoken_times(tokens, nums),
        *dates(tokens, nums, text),
        *_amounts(tokens, nums),
        *_literals(tokens, text),
    ]
    whole = [v for v in found if v.kind in ("time", "date", "phone")]
    kept = {v for v in found if not any(_inside(v, w) for w in whole)}
    return tuple(sorted(kept, key=lambda v: (v.start, v.end, v.kind)))


def _inside(v: Value, w: Value) -> bool:
    """Whether ``v`` is a proper part of ``w`` (the nine of half past nine)."""
    return w.start <= v.start and v.end <= w.end and v.end - v.start < w.end - w.start
