"""What is wrong with a row's evidence; nothing here stops the row, everything is said."""

import json
from collections.abc import Iterator

from proofreel.benchmarks.videozerobench.gold import (
    as_list,
    as_number,
    as_quad,
    level5_key_times,
    timed_quads,
)
from proofreel.benchmarks.videozerobench.rows import ABILITIES, DOMAINS, SPANS, Row


def _unreadable(name: str, field: object) -> Iterator[str]:
    if not isinstance(field, str) or not field.strip():
        if field is not None and not isinstance(field, str | list):
            yield f"{name} is no list; it counts as empty"
        return
    try:
        parsed = json.loads(field)
    except ValueError:
        yield f"{name} is no JSON; it counts as empty"
        return
    if parsed is not None and not isinstance(parsed, list):
        yield f"{name} is no list; it counts as empty"


def check_windows(row: Row) -> Iterator[str]:
    """Windows that are malformed, empty, before the start or beyond the end of the video."""
    yield from _unreadable("evidence_windows", row.evidence_windows)
    for n, entry in enumerate(as_list(row.evidence_windows), 1):
        given = entry if isinstance(entry, dict) else {}
        start, end = as_number(given.get("start")), as_number(given.get("end"))
        if start is None or end is None:
            yield f"window {n} has no start and end in seconds; it is not scored"
            continue
        if end <= start:
            yield f"window {n} ({start:g} to {end:g} s) does not end after it starts; it is not scored"
        if start < 0:
            yield f"window {n} starts before the video ({start:g} s)"
        if row.duration is not None and end > row.duration:
            yield f"window {n} ({start:g} to {end:g} s) ends beyond the video ({row.duration:g} s)"


def check_boxes(row: Row) -> Iterator[str]:
    """Boxes that are malformed, outside 0-1, without area, or at a time the video does not have."""
    yield from _unreadable("evidence_boxes", row.evidence_boxes)
    for n, entry in enumerate(as_list(row.evidence_boxes), 1):
        known = isinstance(entry, dict)
        time, quad = (as_number(entry.get("time")), as_quad(entry.get("box"))) if known else (None, None)
        if time is None or quad is None:
            yield f"box {n} has no time with four numbers; it is not scored"
            continue
        if any(not 0 <= v <= 1 for v in quad):
            yield f"box {n} {list(quad)} lies outside 0-1; what is outside is cut off"
        x0, y0, x1, y1 = (min(max(v, 0.0), 1.0) for v in quad)
        if x1 <= x0 or y1 <= y0:
            yield f"box {n} {list(quad)} has no area"
        if time < 0 or (row.duration is not None and time > row.duration):
            yield f"box {n} is at {time:g} s, which is outside the video"
    exact = level5_key_times(row.evidence_boxes)
    if len({round(t, 2) for t, _ in timed_quads(row.evidence_boxes)}) < len(exact):
        yield "key times differ by less than 0.01 s or carry no box; they are asked for once"


def check_labels(row: Row) -> Iterator[str]:
    """Labels outside the published vocabulary."""
    if row.category is not None and row.category not in DOMAINS:
        yield f"unknown domain {row.category!r}"
    if row.evidence_span is not None and row.evidence_span not in SPANS:
        yield f"unknown evidence span {row.evidence_span!r}"
    if row.language is not None and row.language not in ("cn", "en"):
        yield f"unknown language {row.language!r}; it is asked in English"
    if unknown := sorted(set(row.annotation_capabilities) - ABILITIES):
        yield f"unknown ability {', '.join(unknown)}"


def check_row(row: Row) -> Iterator[str]:
    """Every doubt about a row's evidence and labels."""
    yield from check_windows(row)
    yield from check_boxes(row)
    yield from check_labels(row)
