"""Order in time: first, last, moved to, before, after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proofreel.agents._answerable.corpus import Corpus
from proofreel.agents._answerable.kinds import Asked, Kind
from proofreel.agents._answerable.values import values
from proofreel.agents._answerable.words import base, likeness, tokenize

if TYPE_CHECKING:
    from proofreel.agents._answerable.candidates import Candidate

SETTLED = 0.12
"""Lead that an order in time gives to the candidate it picks."""
_CHANGE = re.compile(
    r"\b(?:moved?|changed?|switched|postponed|rescheduled|renamed|replaced|raised|lowered|increased|reduced)\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b[\w-]+ (?:out )?of (?:the |our )?$", re.IGNORECASE)
_OPENS, _CLOSES = (
    frozenset(base(w) for w in ("open", "start", "begin", "leave", "depart")),
    frozenset(base(w) for w in ("close", "end", "finish", "shut")),
)
NEAR_BEST = 0.72
"""Candidates at least this share of the best score compete by time."""


class EventTimes:
    """Where the event of a before or after relation stands."""

    def __init__(self, corpus: Corpus, question: Asked) -> None:
        self.spots: list[tuple[float, int, int]] = []
        if question.relation is None:
            return
        stems = question.relation[1]
        for line in corpus.lines:
            met = [max((likeness(s, t.stem) for t in line.tokens), default=0.0) for s in stems]
            if sum(met) / len(stems) >= 0.6:
                at = next((t.start for t in line.tokens if any(likeness(s, t.stem) for s in stems)), 0)
                self.spots.append((line.start, line.n, at))

    @property
    def found(self) -> bool:
        """Whether the event is spoken of at all."""
        return bool(self.spots)

    def fits(self, candidate: Candidate, side: str) -> bool:
        """Whether a candidate comes on the asked side of the event."""
        here = (candidate.line.start, candidate.start)
        spots = [(t, at) for t, n, at in self.spots]
        return any(here > s for s in spots) if side == "after" else any(here < s for s in spots)


def ordered(found: Sequence[Candidate], question: Asked, events: EventTimes) -> list[Candidate]:
    """Candidates best first, with order in time taken into account where the question asks for it."""
    scored = list(found)
    if question.relation is not None and events.found:
        side = question.relation[0]
        scored = [replace(c, score=c.score * (1.15 if events.fits(c, side) else 0.5)) for c in scored]
    scored = [replace(c, score=c.score * _literal(c, question)) for c in scored]
    scored.sort(key=lambda c: -c.score)
    if question.order is None or not scored:
        return scored
    top = scored[0].score
    rivals = [c for c in scored if c.score >= NEAR_BEST * top and c.carried >= 0.5]
    if question.order in ("first", "last") and any(_says(c, question.order) for c in rivals):
        rivals = [c for c in rivals if _says(c, question.order)]
    late = question.order in ("later", "last")
    rivals.sort(key=lambda c: (c.line.start, c.start, c.score), reverse=late)
    if not late:
        rivals.sort(key=lambda c: (c.line.start, c.start, -c.score))
    if rivals:
        scored.remove(rivals[0])
        scored.insert(0, replace(rivals[0], score=top + SETTLED))
    return scored


def _says(c: Candidate, order: str) -> bool:
    words = {"first": ("first",), "last": ("last", "final", "finally")}[order]
    line = c.line
    at = next((i for i, t in enumerate(line.tokens) if t.end > c.start), 0)
    return any(t.norm in words and line.sentences[i] == line.sentences[at] for i, t in enumerate(line.tokens))


def _literal(c: Candidate, question: Asked) -> float:
    """In "from A to B" the later value is B, the earlier one A."""
    before = c.line.text[: c.start]
    if (
        question.kind is Kind.COUNT
        and (m := _TOTAL.search(before))
        and any(v.kind == "number" for v in values(m.group()))
    ):
        return 0.8  # the eighty of "seventy of eighty"
    ends = _range_end(c, question)
    if ends is not None:
        return 1.1 if ends else 0.7
    order = question.order
    if order not in ("later", "earlier"):
        if order is not None or not _CHANGE.search(before):
            return 1.0
        order = "later"
    lead = [t.norm for t in tokenize(c.line.text[: c.start])][-3:]
    to, since = "to" in lead or "into" in lead, "from" in lead
    if re.search(r"\b(?:instead of|no longer|not)\b", c.line.text[: c.start][-20:].lower()):
        since = True
    if to == since:
        return 1.0
    return 1.1 if to == (order == "later") else 0.6


def _range_end(c: Candidate, question: Asked) -> bool | None:
    """Whether a time at one end of "from nine to five" is the asked end; None when it is no such end."""
    if question.kind not in (Kind.TIME, Kind.WHEN):
        return None
    times = [v for v in values(c.line.text) if v.kind in ("time", "date")]
    here = next(
        (i for i, v in enumerate(times) if v.start <= c.start < v.end or c.start <= v.start < c.end), None
    )
    stems = {a.stem for a in question.anchors} | {t.stem for t in tokenize(question.text)}
    shut, opens = (
        bool(stems & _CLOSES) or "关" in question.text,
        bool(stems & _OPENS) or "开" in question.text,
    )
    if here is None or shut == opens:
        return None
    for first, second in ((here, here + 1), (here - 1, here)):
        if first >= 0 and second < len(times):
            gap = c.line.text[times[first].end : times[second].start].strip().lower()
            if gap in ("to", "-", "–", "—", "until", "till", "至", "到"):
                return (here == second) == shut
    return None
