"""From the replies of levels 4 and 5 to typed evidence, and from an agent's evidence to replies of levels 4 and 5."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proofreel.benchmarks.videozerobench.boxes import parse_pred_spatial_json
from proofreel.benchmarks.videozerobench.gold import prompt_key_times
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.benchmarks.videozerobench.windows import parse_pred_windows
from proofreel.core import Box, Evidence, Provenance, TimedBox, Window
from proofreel.core.time import clock

NOTHING_CITED = "nothing cited"
NEAR = 0.5
"""Seconds around a box in which a frame counts as shown with it."""


def read_evidence(
    entry: Mapping[str, Any], step: int, frames: Sequence[float], mode: Mode = "careful", who: str = "levels"
) -> tuple[Evidence, ...]:
    """What a stored reply of level 4 or 5 claims; nothing for replies that cannot be read.

    Args:
        entry: the stored prediction of the level.
        step: step of the trajectory.
        frames: true times in seconds of the frames the call was shown.
        mode: how replies are read.
        who: claims it.
    """
    answer = entry.get("model_answer")
    if entry.get("task") == "temporal_grounding":
        pairs = parse_pred_windows(answer, mode) or []
        return tuple(
            window_claim(Window(start=max(a, 0.0), end=b), step, frames, who) for a, b in pairs if b > 0
        )
    grouped = parse_pred_spatial_json(answer, entry.get("box_mode"), entry.get("resized_hw"), mode) or {}
    claims = (boxes_claim(t, quads, step, frames, who) for t, quads in sorted(grouped.items()) if t >= 0)
    return tuple(c for c in claims if c is not None)


def window_claim(window: Window, step: int, frames: Sequence[float], who: str) -> Evidence:
    """A cited window, with the frames shown inside it."""
    inside = tuple(t for t in frames if window.contains(t))
    return Evidence(window=window, provenance=Provenance(claimed_by=who, step=step, frames=inside))


def boxes_claim(
    time: float, quads: Sequence[Sequence[float]], step: int, frames: Sequence[float], who: str
) -> Evidence | None:
    """Boxes in 0-1 at a moment, cut to the picture; None when nothing of them is inside."""
    cut = ([min(max(float(v), 0.0), 1.0) for v in quad] for quad in quads)
    boxes = tuple(
        TimedBox(time=time, box=Box(x0=a, y0=b, x1=c, y1=d)) for a, b, c, d in cut if c > a and d > b
    )
    near = tuple(t for t in frames if abs(t - time) <= NEAR)
    if not boxes:
        return None
    at = f"boxes at {clock(time)}"
    return Evidence(boxes=boxes, note=at, provenance=Provenance(claimed_by=who, step=step, frames=near))


def windows_text(evidence: Sequence[Evidence]) -> str:
    """Cited windows in the words of level 4; empty when none is cited."""
    windows = [e.window for e in evidence if e.window is not None and e.window.length > 0]
    return " ".join(f"From <{w.start:.3f} seconds> to <{w.end:.3f} seconds>." for w in windows)


def cited_boxes(evidence: Sequence[Evidence]) -> dict[float, list[list[float]]]:
    """Cited boxes in 0-1 by second at two decimals."""
    grouped: dict[float, list[list[float]]] = {}
    for piece in evidence:
        for timed in piece.boxes:
            grouped.setdefault(round(timed.time, 2), []).append(list(timed.box.values))
    return grouped


def at_key_times(
    boxes: Mapping[float, list[list[float]]], evidence_boxes: object, tolerance: float
) -> dict[float, list[list[float]]]:
    """The cited boxes as if they had been asked for at the key times.

    An agent that is asked once chooses its own moments. For each key time the nearest cited moment counts (the
    earlier of two), with all its boxes, if it lies within ``tolerance`` seconds; other cited moments do not count.
    """
    mapped = {}
    for key in (float(t) for t in prompt_key_times(evidence_boxes)):
        nearest = min(boxes, key=lambda t: (abs(t - key), t), default=None)
        if nearest is not None and abs(nearest - key) <= tolerance + 1e-9:
            mapped[key] = boxes[nearest]
    return mapped


def joint_predictions(
    answer: str | None,
    evidence: Sequence[Evidence],
    evidence_boxes: object,
    *,
    mode: Mode,
    tolerance: float,
) -> dict[str, dict[str, Any]]:
    """Levels 3 to 5 of an agent that was asked once, in the stored form.

    Windows are the cited ones. Boxes are the cited ones: officially at the moments the agent gave (which must equal
    the key times at two decimals), carefully brought to the key times by ``at_key_times``.
    """
    boxes = cited_boxes(evidence)
    given = boxes if mode == "official" else at_key_times(boxes, evidence_boxes, tolerance)
    told = [{"time": t, "bbox_2d": quads} for t, quads in sorted(given.items())]
    windows = windows_text(evidence)
    return {
        "level-3": {"task": "qa", "model_answer": answer, "error": None},
        "level-4": {
            "task": "temporal_grounding",
            "model_answer": windows or None,
            "error": None if windows else NOTHING_CITED,
        },
        "level-5": {
            "task": "spatial_grounding",
            "model_answer": json.dumps(told) if told else None,
            "error": None if told else NOTHING_CITED if not boxes else "no box near a key time",
            "resized_hw": None,
            "box_mode": str(CoordinateMode.UNIT),
        },
    }
