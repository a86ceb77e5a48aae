"""Boxes in a reply, and their agreement with the reference boxes at the key times."""

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from proofreel.benchmarks.videozerobench.gold import extract_gt_boxes_by_time
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.text import Mode, last_answer, strip_any_fence, strip_fence
from proofreel.core import Box, viou

PredMap = dict[float, list[list[float]]]


def _number(value: Any) -> float:
    if not isinstance(value, int | float | str):
        raise TypeError(f"not a number: {value!r}")
    return float(value)


def _factors(mode: str | None, frame_size: Sequence[float] | None) -> tuple[float, float]:
    """Units per full width and height.

    Raises:
        ValueError: no such mode, or pixels without a frame size.
    """
    if mode == CoordinateMode.UNIT:
        return 1.0, 1.0
    if mode == CoordinateMode.THOUSAND:
        return 1000.0, 1000.0
    if mode == CoordinateMode.ABSOLUTE and frame_size is not None:
        return float(frame_size[1]), float(frame_size[0])
    raise ValueError(f"no coordinate mode: {mode!r}")


def _item(item: Any, mode: str | None, frame_size: Sequence[float] | None) -> tuple[float, list[list[float]]]:
    time, given = round(_number(item["time"]), 2), item["bbox_2d"]
    if not isinstance(given, list) or not given:
        raise TypeError("bbox_2d is no list of boxes")
    quads = given if isinstance(given[0], list) else [given]
    if any(not isinstance(q, list) or len(q) != 4 for q in quads):
        raise ValueError("a box has four numbers")
    width, height = _factors(mode, frame_size)
    return time, [[_number(v) / s for v, s in zip(q, (width, height) * 2, strict=True)] for q in quads]


def parse_pred_spatial_json(
    text: object, coordinates: str | None, frame_size: Sequence[float] | None = None, mode: Mode = "careful"
) -> PredMap | None:
    """Boxes in 0-1 by second (two decimals) of a level-5 reply; None when it is not what was asked for.

    One bad item voids the reply and a repeated time overwrites, in both modes: that is the protocol. Boxes are
    neither clamped nor put in order here. Carefully the reply is looked for behind ``</think>``, in the last answer
    pair, and in fences that share its line.

    Args:
        text: the reply.
        coordinates: one of ``CoordinateMode``; None or another text gives None.
        frame_size: (height, width) of the frames shown, for ``absolute``.
        mode: careful or official.
    """
    if text is None:
        return None
    plain = strip_fence(str(text)) if mode == "official" else strip_any_fence(last_answer(str(text)))
    if plain.startswith("{") and plain.endswith("}"):
        plain = f"[{plain}]"
    try:
        items = json.loads(plain)
        if not isinstance(items, list):
            return None
        return dict(_item(i, coordinates, frame_size) for i in items)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, ZeroDivisionError, RecursionError):
        return None


def _solid(quads: Sequence[Sequence[float]]) -> list[Box]:
    """Boxes cut to the picture, without those that have no area left."""
    clamped = ([min(max(float(v), 0.0), 1.0) for v in q] for q in quads)
    return [Box(x0=a, y0=b, x1=c, y1=d) for a, b, c, d in clamped if c > a and d > b]


def scored_times(evidence_boxes: object, mode: Mode = "careful") -> list[float]:
    """Key times that count: officially all with a box, carefully those with a box that has an area."""
    grouped = extract_gt_boxes_by_time(evidence_boxes)
    return [t for t, quads in grouped.items() if mode == "official" or _solid(quads)]


def viou_avg(
    evidence_boxes: object,
    pred_map: Mapping[float, Sequence[Sequence[float]]] | None,
    mode: Mode = "careful",
) -> float | None:
    """Mean over the key times of the IoU of the unions of boxes, in [0, 1].

    The predicted time must equal the key time at two decimals; further times are ignored. Officially a key time whose
    boxes have no area scores 1, and so does a question without boxes; carefully both do not count.

    Returns:
        None, carefully, when there is nothing to compare with.
    """
    gold = extract_gt_boxes_by_time(evidence_boxes)
    times = scored_times(evidence_boxes, mode)
    if not times:
        return 1.0 if mode == "official" else None
    if pred_map is None:
        return 0.0
    scores = []
    for time in times:
        predicted = pred_map.get(time, [])
        value = viou(_solid(gold[time]), _solid(predicted)) if predicted else 0.0
        scores.append(1.0 if value is None else value)
    return fmean(scores)
