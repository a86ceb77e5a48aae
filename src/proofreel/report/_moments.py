"""The moment a step looked at, and the frames it was shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from proofreel.core import Step
from proofreel.report._items import Item
from proofreel.video import LedgerEntry

STARTS, ENDS = ("start_time", "start", "start_sec", "begin"), ("end_time", "end", "end_sec")
MOST_TICKS = 300
MOST_ITEMS = 8


def step_moment(step: Step, shown: Mapping[str, Sequence[LedgerEntry]]) -> tuple[float, float] | None:
    """Seconds a step is about: what its call asked for, else what was shown, else where its first finding lies."""
    spans = [s for c in step.calls if (s := _asked(c.arguments)) is not None]
    spans += [s for o in step.observations if (s := _asked(o.data)) is not None]
    if not spans:
        spans = [s for o in step.observations for m in o.media for e in shown.get(m, ()) if (s := _shown(e))]
    if not spans:
        windows = [e.window for o in step.observations for e in o.evidence if e.window is not None]
        spans = [(w.start, w.end) for w in windows[:1]]
    if not spans:
        return None
    return min(a for a, _ in spans), max(b for _, b in spans)


def step_frames(step: Step, shown: Mapping[str, Sequence[LedgerEntry]]) -> list[float]:
    """Times of the frames shown in a step."""
    media = dict.fromkeys(m for o in step.observations for m in o.media)
    return ticks(f.time for m in media for e in shown.get(m, ()) for f in e.frames)


def ticks(times: Any) -> list[float]:
    """Distinct times in order, evenly thinned to what a line can show apart."""
    ordered = sorted({round(t, 2) for t in times})
    step = max(1, -(-len(ordered) // MOST_TICKS))
    return ordered[::step]


def item_record(item: Item) -> dict[str, Any]:
    """A piece of evidence as the player and the timeline read it."""
    window = item.evidence.window
    return {
        "n": item.n,
        "start": None if window is None else window.start,
        "end": None if window is None else window.end,
        "boxes": [{"t": b.time, "box": b.box.values} for b in item.evidence.boxes],
        "source": item.source,
        "label": item.label,
        "words": item.words,
        "note": "" if item.evidence.note == item.words else item.evidence.note,
        "best": item.still_time,
        "clip": None,
    }


def _asked(arguments: Mapping[str, Any]) -> tuple[float, float] | None:
    start = next((arguments[k] for k in STARTS if _is_number(arguments.get(k))), None)
    end = next((arguments[k] for k in ENDS if _is_number(arguments.get(k))), None)
    window = arguments.get("window")
    if (
        start is None
        and isinstance(window, list | tuple)
        and len(window) == 2
        and all(map(_is_number, window))
    ):
        start, end = window
    if start is None:
        return None
    return float(start), float(start if end is None else max(start, end))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e7


def _shown(entry: LedgerEntry) -> tuple[float, float] | None:
    if entry.frames:
        return min(f.time for f in entry.frames), max(f.time for f in entry.frames)
    start, end = getattr(entry.ref, "start", None), getattr(entry.ref, "end", None)
    return (float(start), float(end)) if start is not None and end is not None else None
