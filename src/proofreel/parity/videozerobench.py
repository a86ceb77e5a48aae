"""VideoZeroBench: answers, moments, boxes, reference fields, frame size and whole runs."""

from typing import Any

from proofreel.benchmarks.videozerobench import aggregate, answers, boxes, frames, gold, windows
from proofreel.parity.runner import adapter

Row = dict[str, Any]


def _value(value: Any) -> Any:
    return float("nan") if value == "__NaN__" else value


def _pairs(grouped: dict[float, Any] | None) -> Any:
    return (
        None if grouped is None else [[t, [list(q) for q in quads]] for t, quads in sorted(grouped.items())]
    )


@adapter("norm_answer")
def _norm(row: Row, mode: str) -> Any:
    return answers.norm_answer(_value(row["value"]))


@adapter("is_correct")
def _correct(row: Row, mode: str) -> Any:
    return answers.is_correct(_value(row["gt"]), _value(row["pred"]), mode)  # type: ignore[arg-type]


@adapter("parse_pred_windows")
def _windows(row: Row, mode: str) -> Any:
    return windows.parse_pred_windows(row["text"], mode)  # type: ignore[arg-type]


@adapter("parse_pred_spatial_json")
def _boxes(row: Row, mode: str) -> Any:
    return _pairs(boxes.parse_pred_spatial_json(row["text"], row["mode"], row["frame_size"], mode))  # type: ignore[arg-type]


@adapter("viou_avg")
def _viou(row: Row, mode: str) -> Any:
    given = row["pred_map"]
    predicted = None if given is None else dict(given)
    return boxes.viou_avg(row["evidence_boxes"], predicted, mode)  # type: ignore[arg-type]


@adapter("resize_target_size")
def _resize(row: Row, mode: str) -> Any:
    return frames.resize_target_size(row["height"], row["width"], row["out_h"], row["patch_size"], mode)  # type: ignore[arg-type]


@adapter("extract_gt_windows")
def _gold_windows(row: Row, mode: str) -> Any:
    return gold.extract_gt_windows(row["evidence_windows"])


@adapter("has_temporal_windows")
def _has_windows(row: Row, mode: str) -> Any:
    return gold.has_temporal_windows(row["evidence_windows"])


@adapter("extract_gt_boxes_by_time")
def _gold_boxes(row: Row, mode: str) -> Any:
    return _pairs(gold.extract_gt_boxes_by_time(row["evidence_boxes"]))


@adapter("level5_key_times")
def _key_times(row: Row, mode: str) -> Any:
    return gold.level5_key_times(row["evidence_boxes"])


@adapter("spatial_hint_numbers")
def _hint(row: Row, mode: str) -> Any:
    return gold.spatial_hint_numbers(row["evidence_boxes"], row["mode"], row["resized_hw"], mode)  # type: ignore[arg-type]


@adapter("evaluate_run")
def _run(row: Row, mode: str) -> Any:
    return aggregate.evaluate_run(row["rows"], row["box_mode"], mode)  # type: ignore[arg-type]
