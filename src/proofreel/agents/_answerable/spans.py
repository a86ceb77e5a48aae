"""Candidate answers of the asked type inside a line, for questions without options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofreel.agents._answerable.corpus import Corpus, Line, row_label
from proofreel.agents._answerable.kinds import Asked, Kind
from proofreel.agents._answerable.people import Span, named, persons, places
from proofreel.agents._answerable.values import Value, values
from proofreel.agents._answerable.words import Token, base, has_cjk

_VALUE_KINDS: dict[Kind, tuple[str, ...]] = {
    Kind.TIME: ("time",),
    Kind.DATE: ("date",),
    Kind.WHEN: ("time", "date"),
    Kind.MONEY: ("money",),
    Kind.PERCENT: ("percent",),
    Kind.QUANTITY: ("quantity",),
    Kind.URL: ("url",),
    Kind.EMAIL: ("email",),
    Kind.PHONE: ("phone",),
    Kind.COLOUR: ("colour",),
}


_REASON = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|so that|in order to|as a result of|since|"
    r"to (?:keep|avoid|prevent|make|save|protect|reduce|stop|help|let|get|allow|ensure|"
    r"improve|remove))\b|因为|由于",
    re.IGNORECASE,
)


_MANNER = re.compile(r"\b(?:by|using|with the help of|via|through)\s+\w+", re.IGNORECASE)


_COPULA = re.compile(
    r"\s*(?:\b(?:is|are|was|were|will be|equals|reads|called|named)\b|[:：=]|是|为)\s*", re.IGNORECASE
)


_RESULT = re.compile(r"(?<![\d:-])\d{1,3}\s?[-–:]\s?\d{1,3}(?![\d:-])|\b\w+ (?:to|all) \w+\b(?= |$)")


def spans(corpus: Corpus, question: Asked, line: Line) -> list[Span]:
    """All candidates of the asked type in a line, none that only repeats the question."""
    found = [s for s in _candidates(corpus, question, line) if s.end > s.start]
    asked_stems = {a.stem for a in question.anchors}
    fresh = []
    for s in found:
        inside = [
            t
            for t in line.tokens
            if t.start >= s.start and t.end <= s.end and (t.content or t.kind == "sign")
        ]
        repeated = inside and all(t.stem in asked_stems for t in inside)
        named = question.kind is Kind.PERSON and any(
            a.key and a.stem == t.stem for a in question.anchors for t in inside
        )
        if inside and not repeated and not named:
            fresh.append(s)
    return fresh


def _candidates(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    kind = question.kind
    if kind in _VALUE_KINDS:
        yield from _typed(question, line)
    elif kind is Kind.COUNT:
        yield from _counts(corpus, question, line)
    elif kind is Kind.PERSON:
        yield from persons(corpus, question, line)
    elif kind is Kind.PLACE:
        yield from places(line)
    elif kind is Kind.REASON:
        yield from (Span(m.start(), _clause_end(line, m.end()), 1.0) for m in _REASON.finditer(line.text))
    elif kind is Kind.MANNER:
        yield from (Span(m.start(), _clause_end(line, m.end()), 0.6) for m in _MANNER.finditer(line.text))
    elif kind is Kind.LABEL:
        yield from _labels(question, line)
    elif kind is Kind.CODE:
        yield from _codes(corpus, question, line)
    elif kind is Kind.NAME:
        yield from named(corpus, question, line)
    if kind in (Kind.THING, Kind.NAME, Kind.MANNER, Kind.PERSON, Kind.PLACE, Kind.LABEL, Kind.MONEY):
        yield from _after_label(corpus, question, line)
    if kind in (Kind.THING, Kind.SAY):
        yield from _sentences(line)


def _typed(question: Asked, line: Line) -> Iterator[Span]:
    wanted = _VALUE_KINDS[question.kind]
    found = values(line.text)
    for v in found:
        if v.kind == "number" and any(
            w.kind in ("money", "percent", "quantity") and w.start <= v.start and v.end <= w.end
            for w in found
        ):
            continue
        if question.kind is Kind.QUANTITY and re.search(
            r"\b(?:every|each)\s+$", line.text[: v.start], re.IGNORECASE
        ):
            continue
        if question.kind is Kind.QUANTITY and not question.units and v.kind in ("percent", "money"):
            yield Span(v.start, v.end, 0.95)
        elif (
            v.kind in wanted
            and not (question.units and v.unit not in question.units)
            and not _wrong_date(question, v)
        ):
            yield Span(v.start, v.end, 0.75 if v.weak else 1.0)
        elif v.kind == "number" and question.kind is Kind.MONEY and _bare(line, v):
            yield Span(v.start, v.end, 0.55)
        elif (
            v.kind == "number" and question.kind is Kind.QUANTITY and not question.units and not question.head
        ):
            yield Span(v.start, v.end, 0.5)


def _wrong_date(question: Asked, v: Value) -> bool:
    if v.kind != "date":
        return False
    year, month, day, weekday = v.fields
    low = question.text.lower()
    if "year" in low or "哪一年" in low:
        return year is None
    if "month" in low:
        return month is None
    if "weekday" in low or "星期几" in low:
        return weekday is None
    return "day" in low and day is None and weekday is None


def _bare(line: Line, v: Value) -> bool:
    """Whether a number is all there is on its line (a cell of a price list)."""
    return line.source == "screen" and not re.sub(r"[\W\d]", "", line.text[: v.start] + line.text[v.end :])


def _counts(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    for v in values(line.text):
        if v.kind != "number":
            continue
        following = [t for t in line.tokens if t.start >= v.end][:4]
        before = [t for t in line.tokens if t.end <= v.start][-2:]
        if question.head is None:
            yield Span(v.start, v.end, 0.6)
        elif has_cjk(question.text):
            yield Span(v.start, v.end, 0.8)
        elif _reaches(following, question.head):
            yield Span(v.start, v.end, 1.0)
        elif any(t.stem == question.head for t in before) or (
            (label := row_label(corpus, line.n)) and question.head in label.stems
        ):
            yield Span(v.start, v.end, 0.85)
        elif not any(t.content for t in following[:1]):
            yield Span(v.start, v.end, 0.35)


def _reaches(following: list[Token], head: str) -> bool:
    for t in following:
        if t.stem == head:
            return True
        if t.norm in ("and", "but", "or", "in", "at", "to", "from", "with"):
            return False
    return False


def _labels(question: Asked, line: Line) -> Iterator[Span]:
    if question.head in ("scor", "result"):
        yield from (Span(m.start(), m.end(), 1.0) for m in _RESULT.finditer(line.text))
        return
    toks = line.tokens
    for i, t in enumerate(toks):
        if t.stem != question.head:
            continue
        j = i + 1
        while (
            j < len(toks)
            and toks[j].norm in ("number", "no", "is", "was", "to", "are", "will", "be")
            and j - i < 4
        ):
            j += 1
        if j < len(toks) and _designates(toks[j], line):
            yield Span(toks[j].start, toks[j].end, 1.0)
        if i and any(v.kind == "ordinal" and v.end == toks[i - 1].end for v in values(line.text)):
            yield Span(toks[i - 1].start, t.end, 1.0)


def _designates(t: Token, line: Line) -> bool:
    return (
        t.kind in ("num", "code")
        or (len(t.text) == 1 and t.text.isupper())
        or any(v.kind == "number" and v.start == t.start for v in values(line.text))
    )


def _codes(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    words = ("password", "passcode", "code", "pin", "passphrase", "密码", "口令")
    for m in re.finditer(
        r"\b(?:password|passcode|passphrase|code|pin)\b|密码|口令", line.text, re.IGNORECASE
    ):
        rest = line.text[m.end() :]
        got = re.match(
            r"\s*(?:[:：=]|是|为|\bis\b|\bwas\b|\bto\b)?\s*[\"“']?([^\s\"”'，。,;]+)", rest, re.IGNORECASE
        )
        if got and base(got[1].lower().rstrip(".")) not in (
            "for",
            "of",
            "and",
            "or",
            "at",
            "in",
            "on",
            "the",
            "a",
        ):
            start = m.end() + got.start(1)
            yield Span(start, start + len(got[1].rstrip(".!?")), 1.0)
    near = [corpus.lines[k] for k, w in corpus.near(line.n) if w >= 0.6]
    short = line.source == "screen" and len(line.text) <= 24 and " " not in line.text.strip()
    if short and any(any(w in o.text.lower() for w in words) for o in near):
        yield Span(0, len(line.text), 0.9)


def _after_label(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    """What follows "the <head> (of ...) is", or stands right of or below a label with the head."""
    head = question.head or (
        question.anchors[-1].stem if question.anchors and question.kind is Kind.THING else None
    )
    if head is None and question.kind not in (Kind.NAME, Kind.PERSON, Kind.PLACE, Kind.MANNER):
        return
    wanted = {head} if head else {a.stem for a in question.anchors}
    for i, t in enumerate(line.tokens):
        if t.stem not in wanted:
            continue
        later = [u.start for k, u in enumerate(line.tokens) if k > i and line.clauses[k] != line.clauses[i]]
        stop = min(later, default=len(line.text))
        m = _COPULA.search(line.text, t.end, stop) if head or question.kind is Kind.NAME else None
        if m and m.start() - t.end < 40:
            end = _clause_end(line, m.end())
            yield Span(m.end(), end, 0.9 if m.start() - t.end < 3 else 0.75)
    label = row_label(corpus, line.n)
    if label is not None and wanted & set(label.stems):
        yield Span(0, len(line.text), 0.9)


def _sentences(line: Line) -> Iterator[Span]:
    done: set[tuple[int, int]] = set()
    for t in line.tokens:
        extent = line.extent(t.start, t.end)
        if extent not in done:
            done.add(extent)
            yield Span(*extent, 0.45, whole=True)


def _clause_end(line: Line, start: int) -> int:
    """End of the clause that holds character ``start``; a comma inside a short list does not end it."""
    m = re.compile(
        r"[.!?。！？；;，](?=\s|$|[\u3400-\u9fff])|,\s+(?:and|but|so|while|which|then)\b|\s(?:but|while|so that)\s"
    ).search(line.text, start)
    end = m.start() if m else len(line.text)
    return start + len(line.text[start:end].rstrip())
