"""What somebody outside cites, brought to typed evidence that says what it rests on and what could not be found."""

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from proofreel.core import Box, Evidence, Provenance, Quote, TimedBox, Window

SLACK = 1.0
"""Seconds around a window in which a quoted line may stand: people and programs round."""

Seconds = float


class CitedBox(BaseModel):
    """A rectangle of the picture at a moment."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    time: float = Field(ge=0, description="Seconds.")
    box: tuple[float, float, float, float] = Field(
        description="x0, y0, x1, y1 as fractions of the picture, 0-1."
    )


class Citation(BaseModel):
    """One piece of evidence as it comes over a wire; a moment, boxes or a quote must be there."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    start: float | None = Field(default=None, ge=0, description="Start of the moment, seconds.")
    end: float | None = Field(default=None, ge=0, description="End of the moment, seconds.")
    boxes: list[CitedBox] = Field(default=[], max_length=200)
    quote: str | None = Field(default=None, max_length=2000, description="Words, letter for letter.")
    source: Literal["speech", "screen"] | None = Field(default=None, description="Where the quote is from.")
    note: str = Field(default="", max_length=2000, description="What the evidence shows.")


def cited(
    citation: Citation,
    *,
    duration: float | None,
    claimed_by: str,
    step: int | None,
    shown: Callable[[Window], list[Seconds]] = lambda _: [],
    index: Any = None,
    looked: Callable[[Window], bool] | None = None,
) -> tuple[Evidence, list[str]]:
    """The evidence, and notes on what is not as cited.

    Args:
        citation: what was cited.
        duration: seconds of the video; windows are cut there.
        claimed_by: who cites.
        step: trajectory step.
        shown: times of the frames that were looked at inside a window.
        index: ``VideoIndex`` that quotes are looked up in, None when the video was not read.
        looked: whether a moment was watched, where that is known without frames; None goes by ``shown``.

    Raises:
        ValueError: the citation makes no sense; the message is for whoever cites.
    """
    notes: list[str] = []
    window = _window(citation, duration, notes)
    boxes = tuple(TimedBox(time=b.time, box=_box(b.box)) for b in citation.boxes)
    if duration is not None and any(b.time > duration for b in boxes):
        raise ValueError(f"a box is past the end of the video ({duration:g} s)")
    quote = None
    if citation.quote is not None and citation.quote.strip():
        kind = citation.source or _source(citation.quote, window, index)
        quote = Quote(text=citation.quote.strip(), source=kind or "model")
        if index is not None and not _stands(citation.quote, window, index, citation.source):
            notes.append(f"the quote {citation.quote.strip()[:60]!r} is not in what was read or heard there")
    if window is None and not boxes and quote is None:
        raise ValueError("evidence needs start and end, boxes or a quote")
    span = window or (Window(start=boxes[0].time, end=boxes[0].time) if boxes else None)
    frames = tuple(shown(Window(start=max(0.0, span.start - 0.05), end=span.end + 0.05))) if span else ()
    seen = bool(frames) if looked is None or span is None else looked(span)
    if not seen and (quote is None or quote.source != "speech"):
        notes.append("no frame of this moment was looked at")
    said = "; ".join([citation.note, *notes] if citation.note else notes)
    proof = Evidence(
        window=window,
        boxes=boxes,
        quote=quote,
        note=said,
        provenance=Provenance(claimed_by=claimed_by, step=step, frames=frames),
    )
    return proof, notes


def _window(citation: Citation, duration: float | None, notes: list[str]) -> Window | None:
    start, end = citation.start, citation.end
    if start is None and end is None:
        return None
    start = end if start is None else start
    end = start if end is None else end
    if start is None or end is None or end < start:
        raise ValueError(f"the moment ends before it starts: {start} to {end} s")
    if duration is not None:
        if start > duration:
            raise ValueError(f"start ({start:g} s) is past the end of the video ({duration:g} s)")
        if end > duration:
            notes.append(f"the end was cut to the end of the video ({duration:.3f} s)")
            end = duration
    return Window(start=start, end=end)


def _box(values: tuple[float, float, float, float]) -> Box:
    x0, y0, x1, y1 = values
    if not (0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1):
        raise ValueError(f"a box is x0, y0, x1, y1 in 0-1 with x0 < x1 and y0 < y1, got {list(values)}")
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _lines(window: Window | None, index: Any, kind: str | None) -> list[Any]:
    return [
        line
        for line in index.lines
        if (kind is None or line.kind == kind)
        and (window is None or (line.start <= window.end + SLACK and window.start - SLACK <= line.end))
    ]


def _stands(quote: str, window: Window | None, index: Any, kind: str | None) -> bool:
    """Whether the words stand in the lines of that moment, punctuation and spacing apart."""
    wanted = _plain(quote)
    kinds = (kind,) if kind else ("speech", "screen")
    return any(wanted in _plain(" ".join(line.text for line in _lines(window, index, k))) for k in kinds)


def _source(quote: str, window: Window | None, index: Any) -> Literal["speech", "screen"] | None:
    if index is None:
        return None
    if _stands(quote, window, index, "screen"):
        return "screen"
    return "speech" if _stands(quote, window, index, "speech") else None
