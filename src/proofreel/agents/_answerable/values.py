"""Typed values in a line (clock times, dates, money, shares, quantities, numbers), comparable across spellings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from proofreel.agents._answerable.numerals import Numeral, numerals
from proofreel.agents._answerable.wordlists import COLOURS, MONTHS, WEEKDAYS
from proofreel.agents._answerable.words import Token, base, tokenize

_UNIT_ROWS: dict[str, dict[str, float]] = {
    "duration": {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400, "week": 604800,
                 "month": 2629800, "year": 31557600, "decade": 315576000, "秒": 1, "分钟": 60, "小时": 3600, "天": 86400,
                 "周": 604800, "年": 31557600},
    "length": {"mm": 0.001, "cm": 0.01, "centimetre": 0.01, "centimeter": 0.01, "m": 1, "metre": 1, "meter": 1,
               "km": 1000, "kilometre": 1000, "kilometer": 1000, "inch": 0.0254, "foot": 0.3048, "ft": 0.3048,
               "yard": 0.9144, "mile": 1609.344, "millimetre": 0.001, "米": 1, "公里": 1000, "厘米": 0.01},
    "weight": {"mg": 1e-6, "g": 0.001, "gram": 0.001, "kg": 1, "kilo": 1, "kilogram": 1, "tonne": 1000, "ton": 1000,
               "pound": 0.4536, "lb": 0.4536, "ounce": 0.02835, "克": 0.001, "公斤": 1, "吨": 1000},
    "volume": {"ml": 0.001, "millilitre": 0.001, "l": 1, "litre": 1, "liter": 1, "gallon": 3.785, "cup": 0.24,
               "teaspoon": 0.005, "tablespoon": 0.015, "毫升": 0.001, "升": 1},
    "temperature": {"degree": 1, "celsius": 1, "°": 1, "°c": 1, "fahrenheit": 1, "度": 1},
    "speed": {"km/h": 1, "kph": 1, "kmh": 1, "mph": 1.609, "knot": 1.852},
    "data": {"mb": 1, "gb": 1000, "tb": 1e6, "megabyte": 1, "gigabyte": 1000, "terabyte": 1e6},
    "power": {"watt": 1, "w": 1, "kw": 1000, "kilowatt": 1000, "megawatt": 1e6, "volt": 1},
}  # fmt: skip
UNITS = {base(u): (dim, factor) for dim, row in _UNIT_ROWS.items() for u, factor in row.items()}
_MONEY = {"$": "usd", "dollar": "usd", "usd": "usd", "buck": "usd", "cent": "cent", "€": "eur", "euro": "eur",
          "eur": "eur", "£": "gbp", "pound": "gbp", "gbp": "gbp", "quid": "gbp", "¥": "cny", "yuan": "cny", "元": "cny",
          "块": "cny", "rmb": "cny", "yen": "jpy", "krone": "kr", "kroner": "kr", "nok": "kr", "rupee": "inr",
          "franc": "chf"}  # fmt: skip
MONEY = {base(w): c for w, c in _MONEY.items()}
_WEEKDAY_HAN = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}
_TIME_LEAD = frozenset("at by until till from before after around about past".split())


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value at characters ``[start, end)``.

    Attributes:
        kind: time, date, money, percent, quantity, number, ordinal, code, url, email, phone or colour.
        amount: minutes of the day, amount of money, percent, or the amount in the unit's base.
        unit: am or pm or empty, currency, dimension of a quantity, or the folded text.
        fields: (year, month, day, weekday) of a date, None where not said.
        weak: could well be something else (a bare hour after "at").
    """

    kind: str
    start: int
    end: int
    amount: float = 0.0
    unit: str = ""
    fields: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
    weak: bool = False


def same(a: Value, b: Value) -> bool:
    """Whether two values say the same; what one side leaves open (am or pm, year, currency) is not held against it."""
    if a.kind == b.kind == "time":
        gap = abs(a.amount - b.amount)
        return gap == 0 if a.unit and b.unit else gap in (0, 720) and (gap == 0 or not (a.unit and b.unit))
    if a.kind == b.kind == "date":
        pairs = [(x, y) for x, y in zip(a.fields, b.fields, strict=True) if x is not None and y is not None]
        return bool(pairs) and all(x == y for x, y in pairs)
    if a.kind == b.kind == "money":
        return a.amount == b.amount and (a.unit == b.unit or not (a.unit and b.unit))
    if a.kind == b.kind == "quantity":
        return a.unit == b.unit and abs(a.amount - b.amount) <= 1e-6 * max(1.0, abs(a.amount))
    if a.kind == b.kind:
        return a.amount == b.amount and a.unit == b.unit
    return False


def _clock(tokens: Sequence[Token], text: str) -> list[Value]:
    found: list[Value] = []
    for m in re.finditer(
        r"(?<![\d:.$€£])(\d{1,2})[:.h](\d{2})(?![\d:]|[.,]\d)\s*(?:([ap])\.?\s?m\b\.?|(%|°|km|kg|m\b|million|percent|euro|dollar))?"
        r"|(?<![\d:.])(\d{1,2})(?:\s*o'?clock)?\s*([ap])\.?\s?m\b\.?|(?<![\d:.])(\d{1,2})\s*o['’]?clock"
        r"|(?<![\d:.])(\d{1,2})(\d{2})\s*([ap])\.?\s?m\b\.?",
        text,
        re.IGNORECASE,
    ):
        hour = int(m[1] or m[5] or m[7] or m[8])
        minute = int(m[2] or m[9] or 0)
        half = (m[3] or m[6] or m[10] or "").lower()
        dotted = m[1] is not None and text[m.start() + len(m[1])] == "."
        before = tokenize(text[: m.start()])
        if (
            hour > 24
            or minute > 59
            or m[4]
            or (dotted and not half and not (before and before[-1].norm in _TIME_LEAD))
        ):
            continue
        if half and hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        found.append(
            Value(
                "time",
                m.start(),
                m.end(),
                hour * 60 + minute,
                f"{half}m" if half else "24" if hour > 12 else "",
            )
        )
    for word, minutes in (("noon", 720), ("midnight", 0), ("midday", 720)):
        found += [Value("time", t.start, t.end, minutes, "24") for t in tokens if t.norm == word]
    for m in re.finditer(
        r"(上午|早上|下午|晚上|中午)?\s*([\d一二三四五六七八九十两]{1,3})\s*(?:点|时(?!间))(?:\s*([\d一二三四五六七八九十]{1,3})\s*分?|(半)|整|钟)?",
        text,
    ):
        hour_n, minute_n = numerals(tokenize(m[2])), numerals(tokenize(m[3])) if m[3] else []
        if hour_n and hour_n[0].amount <= 24:
            hour = int(hour_n[0].amount)
            if m[1] in ("下午", "晚上") and hour < 12:
                hour += 12
            minute = 30 if m[4] else int(minute_n[0].amount) if minute_n else 0
            mark = {"上午": "am", "早上": "am", "下午": "pm", "晚上": "pm", "中午": "pm"}.get(m[1] or "", "")
            found.append(
                Value("time", m.start(), m.end(), hour * 60 + minute, mark or ("24" if hour > 12 else ""))
            )
    return found


def _spoken_times(tokens: Sequence[Token], nums: Sequence[Numeral]) -> list[Value]:
    found: list[Value] = []
    by_start = {n.i: n for n in nums}
    for k, t in enumerate(tokens):
        after = by_start.get(k + 2)
        if t.norm in ("half", "quarter") and k + 2 < len(tokens) and after and 1 <= after.amount <= 12:
            link = tokens[k + 1].norm
            shift = {("half", "past"): 30, ("quarter", "past"): 15, ("quarter", "to"): -15}.get(
                (t.norm, link)
            )
            if shift is not None:
                found.append(
                    Value(
                        "time",
                        t.start,
                        tokens[after.j - 1].end,
                        (after.amount % 12) * 60 + shift,
                        _half(tokens, after.j),
                    )
                )
    for n in nums:
        nxt = by_start.get(n.j)
        lead = n.i > 0 and tokens[n.i - 1].norm in _TIME_LEAD
        if n.ordinal or not 1 <= n.amount <= 12:
            continue
        half = _half(tokens, n.j)
        if tokens[n.j : n.j + 2] and tokens[n.j].norm in ("o'clock", "oclock"):
            found.append(
                Value("time", tokens[n.i].start, tokens[n.j].end, n.amount % 12 * 60, _half(tokens, n.j + 1))
            )
        elif n.spelled and nxt and nxt.spelled and 10 <= nxt.amount <= 59 and (lead or _half(tokens, nxt.j)):
            found.append(
                Value(
                    "time",
                    tokens[n.i].start,
                    tokens[nxt.j - 1].end,
                    n.amount % 12 * 60 + nxt.amount,
                    _half(tokens, nxt.j),
                )
            )
        elif n.spelled and half:
            hour = n.amount % 12 + (12 if half == "pm" else 0)
            said = tokens[n.j : n.j + 3]
            last = (
                said[2]
                if len(said) == 3 and said[0].norm == "in"
                else said[1]
                if len(said) > 1 and said[0].norm in ("a", "p", "at")
                else said[0]
            )
            found.append(Value("time", tokens[n.i].start, last.end, hour * 60, half))
        elif (
            lead
            and float(n.amount).is_integer()
            and not (n.j < len(tokens) and (tokens[n.j].content or tokens[n.j].kind == "sign"))
        ):
            found.append(
                Value("time", tokens[n.i].start, tokens[n.j - 1].end, n.amount % 12 * 60, "", weak=True)
            )
    return found


def _half(tokens: Sequence[Token], j: int) -> str:
    """am or pm said right after token ``j``, else empty."""
    rest = [t.norm for t in tokens[j : j + 4]]
    if rest[:1] and rest[0] in ("am", "pm"):
        return rest[0]
    if rest[:2] in (["a", "m"], ["p", "m"]):
        return rest[0] + "m"
    if rest[:3] == ["in", "the", "morning"]:
        return "am"
    return (
        "pm"
        if rest[:3] in (["in", "the", "afternoon"], ["in", "the", "evening"]) or rest[:2] == ["at", "night"]
        else ""
    )


def _dates(tokens: Sequence[Token], nums: Sequence[Numeral], text: str) -> list[Value]:
    found: list[Value] = []
    by_start, by_end = {n.i: n for n in nums}, {n.j: n for n in nums}
    for k, t in enumerate(tokens):
        if t.norm in MONTHS and not (t.norm in ("may", "mar", "sun") and not t.text[:1].isupper()):
            day = by_end.get(k) or (by_end.get(k - 1) if k and tokens[k - 1].norm == "of" else None)
            follow = by_start.get(k + 1) or (
                by_start.get(k + 2) if k + 1 < len(tokens) and tokens[k + 1].norm == "the" else None
            )
            first, last, d, y = k, k, None, None
            if day and 1 <= day.amount <= 31:
                d, first = int(day.amount), day.i
            if follow and follow.amount >= 1000:
                y, last = int(follow.amount), follow.j - 1
            elif follow and d is None and 1 <= follow.amount <= 31:
                d, last = int(follow.amount), follow.j - 1
                year = by_start.get(follow.j)
                if year and 1000 <= year.amount <= 2999:
                    y, last = int(year.amount), year.j - 1
            found.append(
                Value("date", tokens[first].start, tokens[last].end, fields=(y, MONTHS[t.norm], d, None))
            )
        elif (day_name := t.norm.removesuffix("s")) in WEEKDAYS or t.norm in WEEKDAYS:
            if t.norm in ("sun", "sat", "mon", "wed", "fri") and not t.text[:1].isupper():
                continue
            found.append(
                Value(
                    "date",
                    t.start,
                    t.end,
                    fields=(None, None, None, WEEKDAYS.get(t.norm, WEEKDAYS.get(day_name))),
                )
            )
    for n in nums:
        if float(n.amount).is_integer() and 1000 <= n.amount <= 2100 and n.j - n.i >= 1 and not n.ordinal:
            nxt = tokens[n.j].stem if n.j < len(tokens) else ""
            back = tokens[n.i - 1].norm if n.i else ""
            if (
                nxt not in UNITS
                and nxt not in MONEY
                and nxt != "%"
                and back not in _MONEY
                and "," not in tokens[n.i].text
            ):
                found.append(
                    Value(
                        "date",
                        tokens[n.i].start,
                        tokens[n.j - 1].end,
                        fields=(int(n.amount), None, None, None),
                    )
                )
    for m in re.finditer(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)", text):
        found.append(Value("date", m.start(), m.end(), fields=(int(m[1]), int(m[2]), int(m[3]), None)))
    for m in re.finditer(
        r"(?:(\d{4})年)?\s*([\d一二三四五六七八九十]{1,3})月(?:\s*([\d一二三四五六七八九十]{1,3})[日号])?|(\d{4})年|(?:星期|周|礼拜)([一二三四五六日天])",
        text,
    ):
        month = numerals(tokenize(m[2])) if m[2] else []
        day_n = numerals(tokenize(m[3])) if m[3] else []
        year_t = m[1] or m[4]
        found.append(
            Value("date", m.start(), m.end(), fields=(
                int(year_t) if year_t else None,
                int(month[0].amount) if month else None,
                int(day_n[0].amount) if day_n else None,
                _WEEKDAY_HAN[m[5]] if m[5] else None,
            ))
        )  # fmt: skip
    return found


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
        *_clock(tokens, text),
        *_spoken_times(tokens, nums),
        *_dates(tokens, nums, text),
        *_amounts(tokens, nums),
        *_literals(tokens, text),
    ]
    whole = [v for v in found if v.kind in ("time", "date", "phone")]
    kept = {v for v in found if not any(_inside(v, w) for w in whole)}
    return tuple(sorted(kept, key=lambda v: (v.start, v.end, v.kind)))


def _inside(v: Value, w: Value) -> bool:
    """Whether ``v`` is a proper part of ``w`` (the nine of half past nine)."""
    return w.start <= v.start and v.end <= w.end and v.end - v.start < w.end - w.start
