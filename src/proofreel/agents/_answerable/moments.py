"""Clock times and dates in a line, as figures or in words, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofreel.agents._answerable.numerals import Numeral, numerals
from proofreel.agents._answerable.units import MONEY, UNITS, Value
from proofreel.agents._answerable.wordlists import MONTHS, WEEKDAYS
from proofreel.agents._answerable.words import Token, tokenize

_WEEKDAY_HAN = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}


_TIME_LEAD = frozenset("at by until till from before after around about past".split())


def clock_times(tokens: Sequence[Token], text: str) -> list[Value]:
    """Times written with figures (9:30, 9 pm, 9 o'clock, 三点半), and noon and midnight."""
    found: list[Value] = []
    for m in re.finditer(
        r"(?<![\d:.$€£])(\d{1,2})[:.h](\d{2})(?![\d:]|[.,]\d)\s*(?:([ap])\.?\s?m\b\.?|(%|°|km|"
        r"kg|m\b|million|percent|euro|dollar))?"
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
        r"(上午|早上|下午|晚上|中午)?\s*([\d一二三四五六七八九十两]{1,3})\s*(?:点|"
        r"时(?!间))(?:\s*([\d一二三四五六七八九十]{1,3})\s*分?|(半)|整|钟)?",
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


def spoken_times(tokens: Sequence[Token], nums: Sequence[Numeral]) -> list[Value]:
    """Times in words (half past nine, nine thirty), and bare hours after words such as "at", which are weak."""
    found: list[Value] = []
    by_start = {n.i: n for n in nums}
    ends = {n.j for n in nums} | {
        i + 1 for i, t in enumerate(tokens) if t.norm in ("noon", "midnight", "midday")
    }
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
        ranged = n.i > 1 and tokens[n.i - 1].norm == "to" and tokens[n.i - 2].kind in ("num", "word")
        lead = n.i > 0 and (tokens[n.i - 1].norm in _TIME_LEAD or (ranged and n.i - 1 in ends))
        if lead and n.j - n.i == 1 and (m := re.fullmatch(r"(1[0-2]|0?[1-9])([0-5]\d)", tokens[n.i].text)):
            found.append(
                Value("time", tokens[n.i].start, tokens[n.i].end, int(m[1]) % 12 * 60 + int(m[2]), weak=True)
            )
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


def dates(tokens: Sequence[Token], nums: Sequence[Numeral], text: str) -> list[Value]:
    """Days, months, years and weekdays, alone or together."""
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
                and back not in MONEY
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
    found += [
        Value("date", m.start(), m.end(), fields=(int(m[1]), int(m[2]), int(m[3]), None))
        for m in re.finditer(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)", text)
    ]
    for m in re.finditer(
        r"(?:(\d{4})年)?\s*([\d一二三四五六七八九十]{1,3})月(?:\s*([\d一二三四五六七八九十]{1,3})[日号])?|(\d{4})年|"
        r"(?:星期|周|礼拜)([一二三四五六日天])",
        text,
    ):
        month = numerals(tokenize(m[2])) if m[2] else []
        day_n = numerals(tokenize(m[3])) if m[3] else []
        year_t = m[1] or m[4]
        found.append(
            Value(
                "date",
                m.start(),
                m.end(),
                fields=(
                    int(year_t) if year_t else None,
                    int(month[0].amount) if month else None,
                    int(day_n[0].amount) if day_n else None,
                    _WEEKDAY_HAN[m[5]] if m[5] else None,
                ),
            )
        )
    return found
