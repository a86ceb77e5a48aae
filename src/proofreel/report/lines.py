"""Evidence as lines of text."""

from proofreel.core import TimedBox, Trajectory
from proofreel.core.time import clock
from proofreel.report._items import Item, number
from proofreel.report._words import shorten


def evidence_lines(trajectory: Trajectory) -> list[str]:
    """The evidence of the answer, one line each: number, time range, source, quote, box, who claimed it.

    Numbers are those of the proof page; evidence the agent did not cite is not listed.
    Times are ``M:SS.s`` of the video, boxes ``x0,y0,x1,y1`` as fractions of the picture.
    """
    return [evidence_line(item) for _, item in number(trajectory.answer.evidence)]


def evidence_line(item: Item) -> str:
    """One piece of evidence on one line."""
    e = item.evidence
    parts = [f"{item.n}.", item.span or "no time", item.label.lower()]
    if e.quote is not None:
        parts.append(f'"{shorten(e.quote.text, 200)}"')
    if e.note:
        parts.append(shorten(e.note, 200))
    if e.boxes:
        parts.append(_boxes(e.boxes))
    step = f", step {e.provenance.step}" if e.provenance.step is not None else ""
    return "  ".join([*parts, f"({e.provenance.claimed_by}{step})"])


def _boxes(boxes: tuple[TimedBox, ...]) -> str:
    first = boxes[0]
    place = ",".join(f"{v:.2f}" for v in first.box.values)
    more = f" and {len(boxes) - 1} more" if len(boxes) > 1 else ""
    return f"box {place} at {clock(first.time)}{more}"
