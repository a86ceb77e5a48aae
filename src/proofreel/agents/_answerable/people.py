"""Names of people, places and things in a line, by capitals, titles, prepositions and naming words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofreel.agents._answerable.corpus import Corpus, Line
from proofreel.agents._answerable.kinds import Asked
from proofreel.agents._answerable.values import values
from proofreel.agents._answerable.wordlists import ABOUT_VIDEO, COMMON_CAPITALS, MONTHS, WEEKDAYS
from proofreel.agents._answerable.words import Token, has_cjk


@dataclass(frozen=True)
class Span:
    """Characters ``[start, end)`` that could be the answer; ``exact`` in [0, 1] says how surely of the asked type.

    ``whole`` marks a sentence that is quoted because nothing shorter was found.
    """

    start: int
    end: int
    exact: float
    whole: bool = False


_PLACE = re.compile(
    r"\b(?:in|at|on|near|behind|under|inside|outside|next to|opposite|beside|between|across "
    r"from|upstairs|downstairs|along|"
    r"above|below|beyond|from|to|into)\s+(?:the |a |an |our |your )?[\w'’.-]+(?:\s+(?:of|"
    r"and|the)?\s*[\w'’-]+){0,4}|在[\u3400-\u9fff\dA-Za-z]{1,10}",
    re.IGNORECASE,
)


_TITLE = frozenset(
    "dr mr mrs ms miss professor prof captain sir president coach doctor chef mayor sister "
    "brother aunt uncle".split()
)


_NOT_PERSON = frozenset(
    "street road avenue square station museum hall room park bridge hotel airport school "
    "university river lake city library centre center gate platform street cafe theatre "
    "company club church".split()
)


_ROLE = re.compile(
    r"\b(?:the|our|my|a) (?:\w+ )?(?:director|manager|teacher|nurse|driver|mayor|president|"
    r"coach|chef|baker|captain|gardener|engineer|doctor|owner|conductor|minister|author|"
    r"guide|librarian|curator|king|queen|winner|neighbour|committee|council|team)\b",
    re.IGNORECASE,
)


_ABSTRACT = re.compile(
    r"\b(?:half|end|beginning|start|meantime|morning|afternoon|evening|night|week|month|"
    r"year|past|future|fact|case|time|way|moment|total|general|addition|order|front|stock|"
    r"use|work|all|least|most|first|last|once|board)\b",
    re.IGNORECASE,
)


_ADDRESS = re.compile(
    r"\b\d{1,4}[a-z]? (?:[A-Z][\w'-]+ ){1,3}(?:Street|Road|Avenue|Lane|Square|Drive|Way|"
    r"Court|Boulevard|St|Rd|Ave)\b|\b(?:[A-Z][\w'-]+ ){1,3}(?:Street|Road|Avenue|Lane|"
    r"Square|Boulevard) \d{1,4}\b"
)


_STEADY = frozenset(
    "i you he she it we they may do does did is are was were be been has have had will "
    "would can could must should and or but which that who with when while because so then".split()
)


def persons(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    """Runs of capitalised words that could be people, and roles ("the mayor")."""
    run: list[Token] = []
    shouting = line.text.isupper()
    titled = all(t.text[:1].isupper() for t in line.tokens if t.kind == "word" and len(t.text) > 3)
    for i, t in enumerate([*line.tokens, None]):
        starts = t is not None and t.kind == "word" and t.text[:1].isupper() and not shouting
        usable = (
            starts
            and t is not None
            and t.norm not in MONTHS
            and t.norm not in WEEKDAYS
            and (t.norm in _TITLE or (t.norm not in COMMON_CAPITALS and t.norm not in corpus.lowercase))
        )
        joined = (
            not run or t is None or re.fullmatch(r"[\s.'’-]*", line.text[run[-1].end : t.start]) is not None
        )
        if usable and joined and t is not None:
            run.append(t)
            continue
        if run:
            yield from _person(run, line, titled, run[0] is line.tokens[0], i)
        run = [t] if usable and t is not None else []
    yield from (Span(m.start(), m.end(), 0.6) for m in _ROLE.finditer(line.text))


def _person(run: list[Token], line: Line, titled: bool, leads: bool, i: int) -> Iterator[Span]:
    if (
        run[-1].norm in _NOT_PERSON
        or all(t.norm in _TITLE for t in run)
        or any(t.norm in ABOUT_VIDEO for t in run)
    ):
        return
    by = re.search(
        r"\b(?:by|with|host|speaker|chef|dr|mr|mrs|ms|professor|captain|coach|named|called|i am|"
        r"i'm|name is)\W*$",
        line.text[: run[0].start],
        re.IGNORECASE,
    )
    place = re.search(
        r"\b(?:in|at|on|near|through|towards|around|across|into|via)\s+(?:the\s+)?$",
        line.text[: run[0].start],
        re.IGNORECASE,
    )
    source = re.search(r"\b(?:from|to|of|for)\s+(?:the\s+)?$", line.text[: run[0].start], re.IGNORECASE)
    exact = 1.0 if by or run[0].norm in _TITLE else 0.85 if len(run) == 2 else 0.7
    if place:
        exact -= 0.45
    if source:
        exact -= 0.2
    if titled and line.source == "screen" and not by:
        exact -= 0.1
    yield Span(run[0].start, run[-1].end, exact)


def places(line: Line) -> Iterator[Span]:
    """Postal and web addresses, and phrases that begin with a preposition of place."""
    yield from (Span(m.start(), m.end(), 1.0) for m in _ADDRESS.finditer(line.text))
    yield from (Span(v.start, v.end, 0.7) for v in values(line.text) if v.kind in ("url", "email"))
    whens = [v for v in values(line.text) if v.kind in ("time", "date", "quantity", "money", "percent")]
    for m in _PLACE.finditer(line.text):
        end = m.end()
        for t in line.tokens:
            if m.start() < t.start < end and (
                t.norm in _STEADY or t.norm in ("at", "on", "for", "from", "every", "by")
            ):
                end = t.start
                break
        end = m.start() + len(line.text[m.start() : end].rstrip(" ,."))
        if any(v.start < end and m.start() < v.end for v in whens) or m.group().lower().startswith(
            ("to be", "on the way")
        ):
            continue
        first = re.match(
            r"\w+\s+(?:the |a |an |our |your |my )?(\w+)(?:\s+(\w+))?", line.text[m.start() : end]
        )
        if (
            first
            and (_ABSTRACT.fullmatch(first[1]) or _ABSTRACT.fullmatch(first[2] or "-"))
            and not has_cjk(line.text)
        ):
            continue
        exact = 0.6 if re.match(r"(?:to|from|into)\b", m.group(), re.IGNORECASE) else 0.9
        yield Span(m.start(), end, exact)


def named(corpus: Corpus, question: Asked, line: Line) -> Iterator[Span]:
    """Names after "called", in quotation marks, before the named thing, or just capitalised."""
    for m in re.finditer(
        r"\b(?:called|named|name is|known as)\s+(?:the\s+)?[\"“']?([A-Z][\w'’-]*(?:\s+(?:of|the|"
        r"and|[A-Z][\w'’-]*))*)",
        line.text,
    ):
        yield Span(m.start(1), m.end(1), 1.0)
    for i, t in enumerate(line.tokens):
        # the proper words before the thing: Lakeview Hotel
        if i and any(t.stem == a.stem and a.noun for a in question.anchors) and t.text[:1].isupper():
            first = i
            while (
                first and line.tokens[first - 1].text[:1].isupper() and line.tokens[first - 1].kind == "word"
            ):
                first -= 1
            if first < i:
                yield Span(line.tokens[first].start, t.end, 0.9)
    for m in re.finditer(r"[\"“]([^\"”]{2,40})[\"”]|叫(?:做)?([\u3400-\u9fff\w]{1,8})", line.text):
        group = 1 if m[1] else 2
        yield Span(m.start(group), m.end(group), 0.9)
    for m in re.finditer(r"(?<=\s)[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+)*", line.text):
        if m.group().lower() not in COMMON_CAPITALS and m.group().lower() not in MONTHS:
            yield Span(m.start(), m.end(), 0.6)
