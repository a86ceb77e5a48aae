"""Grounding without looking: what a score must beat, since wide guesses do well on short clips."""

from collections.abc import Callable, Sequence

from proofreel.benchmarks.videozerobench.aggregate import THRESHOLD, tiou_multi
from proofreel.benchmarks.videozerobench.boxes import PredMap, viou_avg
from proofreel.benchmarks.videozerobench.gold import extract_gt_windows, prompt_key_times


def whole_video(duration: float) -> list[tuple[float, float]]:
    """Everything is evidence."""
    return [(0.0, duration)]


def middle_third(duration: float) -> list[tuple[float, float]]:
    """The second third of the video."""
    return [(duration / 3, 2 * duration / 3)]


def whole_frame(times: Sequence[float]) -> PredMap:
    """The whole picture at every key time."""
    return {t: [[0.0, 0.0, 1.0, 1.0]] for t in times}


def centre_box(times: Sequence[float]) -> PredMap:
    """The middle of the picture, half as wide and half as high, at every key time."""
    return {t: [[0.25, 0.25, 0.75, 0.75]] for t in times}


TEMPORAL: dict[str, Callable[[float], list[tuple[float, float]]]] = {
    "whole video": whole_video,
    "middle third": middle_third,
}
SPATIAL: dict[str, Callable[[Sequence[float]], PredMap]] = {
    "whole frame": whole_frame,
    "centre box": centre_box,
}


def window_baseline(evidence_windows: object, duration: float | None, name: str) -> float | None:
    """tIoU of a baseline; None without reference windows or without the video's length."""
    gold = extract_gt_windows(evidence_windows)
    return tiou_multi(gold, TEMPORAL[name](duration)) if gold and duration else None


def box_baseline(evidence_boxes: object, name: str) -> float | None:
    """vIoU of a baseline; None without reference boxes."""
    times = [float(t) for t in prompt_key_times(evidence_boxes)]
    return viou_avg(evidence_boxes, SPATIAL[name](times))


def passes(value: float | None, threshold: float = THRESHOLD) -> bool:
    """Whether a baseline would count as grounded."""
    return value is not None and value > threshold
