"""Which evidence a report shows, in which order and under which numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from proofreel.core import Evidence, Trajectory
from proofreel.core.time import clock
from proofreel.report._words import Source, source_label, source_of


@dataclass(frozen=True)
class Item:
    """One numbered piece of evidence."""

    n: int
    evidence: Evidence

    @property
    def source(self) -> Source:
        """The lane it belongs to."""
        return source_of(self.evidence)

    @property
    def label(self) -> str:
        """What people call its source."""
        return source_label(self.evidence)

    @property
    def words(self) -> str:
        """The quote, else the note, else what is marked."""
        e = self.evidence
        if e.quote is not None:
            return e.quote.text
        return e.note or ("a box in the picture" if e.boxes else "a moment")

    @property
    def span(self) -> str:
        """The time range for people, empty for evidence without a time."""
        e = self.evidence
        if e.window is not None:
            return str(e.window) if e.window.length > 0 else clock(e.window.start)
        return clock(e.boxes[0].time) if e.boxes else ""

    @property
    def moment(self) -> float | None:
        """First second of the evidence, None when it has no time."""
        return _moment(self.evidence)

    @property
    def still_time(self) -> float | None:
        """The second whose frame shows it best: that of a box, else of a frame it rests on, else the middle."""
        e = self.evidence
        if e.boxes:
            return e.boxes[0].time
        if e.window is None:
            return None
        inside = [t for t in e.provenance.frames if e.window.contains(t)]
        return inside[len(inside) // 2] if inside else (e.window.start + e.window.end) / 2


@dataclass(frozen=True)
class Shown:
    """The evidence of a report.

    Attributes:
        items: in order of time, evidence without a time last.
        left_out: pieces beyond the limit.
        lead: number of the piece the agent named first, None when there is none.
        cited: True for the evidence of the answer itself, False for what the tools came across instead.
    """

    items: tuple[Item, ...]
    left_out: int
    lead: int | None
    cited: bool


def _moment(e: Evidence) -> float | None:
    if e.window is not None:
        return e.window.start
    return e.boxes[0].time if e.boxes else None


def _distinct(evidence: Iterable[Evidence]) -> list[Evidence]:
    seen: dict[object, Evidence] = {}
    for e in evidence:
        seen.setdefault((e.window, e.boxes, e.quote), e)
    return list(seen.values())


def _ordered(e: Evidence) -> Evidence:
    """Boxes in order of time, so that the first one is the earliest."""
    return e.model_copy(update={"boxes": tuple(sorted(e.boxes, key=lambda b: b.time))})


def number(evidence: Iterable[Evidence]) -> list[tuple[int, Item]]:
    """Numbers evidence by time; gives (rank in the agent's own order, item), in order of time."""
    ranked = list(enumerate(_ordered(e) for e in _distinct(evidence)))
    ranked.sort(key=lambda pair: ((m := _moment(pair[1])) is None, m or 0.0, pair[0]))
    return [(rank, Item(n, e)) for n, (rank, e) in enumerate(ranked, start=1)]


def shown(trajectory: Trajectory, limit: int) -> Shown:
    """The evidence to show: what the answer cites, else what the tools returned.

    Beyond the limit the pieces the agent named first are kept; numbers do not change with the limit.
    """
    cited = bool(trajectory.answer.evidence)
    found = (e for s in trajectory.steps for o in s.observations for e in o.evidence)
    numbered = number(trajectory.answer.evidence if cited else found)
    items = tuple(item for rank, item in numbered if rank < limit)
    lead = next((item.n for rank, item in numbered if rank == 0 and limit > 0), None)
    return Shown(items, len(numbered) - len(items), lead, cited)
