"""Reference windows and boxes as the scorer and the prompts read them from a row's fields."""

import json
import math
from collections.abc import Iterator
from typing import Any

from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.text import Mode

Quad = tuple[float, float, float, float]


def as_list(field: object) -> list[Any]:
    """A list field, which may arrive as JSON text; anything that is no list is empty."""
    if isinstance(field, str):
        try:
            field = json.loads(field)
        except (ValueError, RecursionError):
            return []
    return field if isinstance(field, list) else []


def as_number(value: object) -> float | None:
    """A finite number from a number or its text, else None."""
    if not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def as_quad(value: object) -> Quad | None:
    """Four numbers, else None."""
    if not isinstance(value, list) or len(value) != 4:
        return None
    a, b, c, d = (as_number(v) for v in value)
    return None if a is None or b is None or c is None or d is None else (a, b, c, d)


def window_pairs(evidence_windows: object) -> list[tuple[float, float]]:
    """(start, end) of every entry whose ends are numbers, in whatever order they stand."""
    entries = (e for e in as_list(evidence_windows) if isinstance(e, dict))
    ends = ((as_number(e.get("start")), as_number(e.get("end"))) for e in entries)
    return [(a, b) for a, b in ends if a is not None and b is not None]


def extract_gt_windows(evidence_windows: object) -> list[tuple[float, float]]:
    """Windows in seconds that end after they start; negative starts are kept, as published."""
    return [(a, b) for a, b in window_pairs(evidence_windows) if b > a]


def has_temporal_windows(evidence_windows: object) -> bool:
    """Whether the list holds anything; the published test for asking level 4, whatever the entries are worth."""
    return bool(as_list(evidence_windows))


def timed_quads(evidence_boxes: object) -> Iterator[tuple[float, Quad]]:
    """(second, four numbers) of every well-formed entry, in the order of the list."""
    for entry in as_list(evidence_boxes):
        if isinstance(entry, dict):
            time, quad = as_number(entry.get("time")), as_quad(entry.get("box"))
            if time is not None and quad is not None:
                yield time, quad


def extract_gt_boxes_by_time(evidence_boxes: object) -> dict[float, list[Quad]]:
    """Boxes by second rounded to two decimals, sorted by time; not clamped, not put in order."""
    grouped: dict[float, list[Quad]] = {}
    for time, quad in timed_quads(evidence_boxes):
        grouped.setdefault(round(time, 2), []).append(quad)
    return dict(sorted(grouped.items()))


def level5_key_times(evidence_boxes: object) -> list[float]:
    """Seconds of all entries with a time (their box may be unusable), first seen first, once per millisecond."""
    entries = (e for e in as_list(evidence_boxes) if isinstance(e, dict))
    first: dict[float, float] = {}
    for entry in entries:
        if (time := as_number(entry.get("time"))) is not None:
            first.setdefault(round(time, 3), time)
    return list(first.values())


def prompt_key_times(evidence_boxes: object, mode: Mode = "careful") -> list[str]:
    """Key times as printed. Officially two that differ by milliseconds print alike; carefully each prints once."""
    if mode == "official":
        return [f"{t:.2f}" for t in level5_key_times(evidence_boxes)]
    return list(dict.fromkeys(f"{round(t, 2):.2f}" for t, _ in timed_quads(evidence_boxes)))


def spatial_hint_numbers(
    evidence_boxes: object,
    coordinates: CoordinateMode | str,
    resized_hw: tuple[int, int] | None = None,
    mode: Mode = "careful",
) -> list[tuple[str, list[str]]] | None:
    """(time text, coordinate texts) of every box, as the model is told them on level 1; None when there is none.

    Args:
        evidence_boxes: the field, a list or its JSON text.
        coordinates: the way the model writes boxes.
        resized_hw: (height, width) of the frames shown; without it ``absolute`` gives None.
        mode: officially 0-1000 truncates; carefully it rounds.
    """
    out = []
    for time, quad in timed_quads(evidence_boxes):
        if coordinates == CoordinateMode.THOUSAND:
            thousandths = (1000 * v for v in quad)
            texts = [str(int(v) if mode == "official" else round(v)) for v in thousandths]
        elif coordinates == CoordinateMode.UNIT:
            texts = [f"{v:.4f}" for v in quad]
        elif coordinates == CoordinateMode.ABSOLUTE and resized_hw is not None:
            height, width = resized_hw
            texts = [str(round(v * s)) for v, s in zip(quad, (width, height, width, height), strict=True)]
        else:
            return None
        out.append((f"{time:.2f}", texts))
    return out or None
