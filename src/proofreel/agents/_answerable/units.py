"""Typed values and when two of them say the same; units and currencies."""

from __future__ import annotations

from dataclasses import dataclass

from proofreel.agents._answerable.words import base

_UNIT_ROWS: dict[str, dict[str, float]] = {
    "duration": {
        "second": 1,
        "sec": 1,
        "minute": 60,
        "min": 60,
        "hour": 3600,
        "hr": 3600,
        "day": 86400,
        "week": 604800,
        "month": 2629800,
        "year": 31557600,
        "decade": 315576000,
        "秒": 1,
        "分钟": 60,
        "小时": 3600,
        "天": 86400,
        "周": 604800,
        "年": 31557600,
    },
    "length": {
        "mm": 0.001,
        "cm": 0.01,
        "centimetre": 0.01,
        "centimeter": 0.01,
        "m": 1,
        "metre": 1,
        "meter": 1,
        "km": 1000,
        "kilometre": 1000,
        "kilometer": 1000,
        "inch": 0.0254,
        "foot": 0.3048,
        "ft": 0.3048,
        "yard": 0.9144,
        "mile": 1609.344,
        "millimetre": 0.001,
        "米": 1,
        "公里": 1000,
        "厘米": 0.01,
    },
    "weight": {
        "mg": 1e-6,
        "g": 0.001,
        "gram": 0.001,
        "kg": 1,
        "kilo": 1,
        "kilogram": 1,
        "tonne": 1000,
        "ton": 1000,
        "pound": 0.4536,
        "lb": 0.4536,
        "ounce": 0.02835,
        "克": 0.001,
        "公斤": 1,
        "吨": 1000,
    },
    "volume": {
        "ml": 0.001,
        "millilitre": 0.001,
        "l": 1,
        "litre": 1,
        "liter": 1,
        "gallon": 3.785,
        "cup": 0.24,
        "teaspoon": 0.005,
        "tablespoon": 0.015,
        "毫升": 0.001,
        "升": 1,
    },
    "temperature": {"degree": 1, "celsius": 1, "°": 1, "°c": 1, "fahrenheit": 1, "度": 1},
    "speed": {"km/h": 1, "kph": 1, "kmh": 1, "mph": 1.609, "knot": 1.852},
    "data": {"mb": 1, "gb": 1000, "tb": 1e6, "megabyte": 1, "gigabyte": 1000, "terabyte": 1e6},
    "power": {"watt": 1, "w": 1, "kw": 1000, "kilowatt": 1000, "megawatt": 1e6, "volt": 1},
}

UNITS = {base(u): (dim, factor) for dim, row in _UNIT_ROWS.items() for u, factor in row.items()}

_MONEY = {
    "$": "usd",
    "dollar": "usd",
    "usd": "usd",
    "buck": "usd",
    "cent": "cent",
    "€": "eur",
    "euro": "eur",
    "eur": "eur",
    "£": "gbp",
    "pound": "gbp",
    "gbp": "gbp",
    "quid": "gbp",
    "¥": "cny",
    "yuan": "cny",
    "元": "cny",
    "块": "cny",
    "rmb": "cny",
    "yen": "jpy",
    "krone": "kr",
    "kr": "kr",
    "kronor": "kr",
    "kroner": "kr",
    "nok": "kr",
    "rupee": "inr",
    "franc": "chf",
}

MONEY = {base(w): c for w, c in _MONEY.items()}


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
