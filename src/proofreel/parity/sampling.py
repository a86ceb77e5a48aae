"""Frame sampling and temporal IoU of VideoZeroBench, as far as the video package holds them."""

from typing import Any

from proofreel.core import Window, tiou
from proofreel.parity.runner import adapter
from proofreel.video import _rules

Row = dict[str, Any]


@adapter("sample_uniform_indices")
def _uniform(row: Row, mode: str) -> Any:
    return _rules.uniform_ends(row["total_frames"], row["nframe"]).tolist()


@adapter("times_to_frame_indices")
def _times(row: Row, mode: str) -> Any:
    return _rules.times_to_frame_numbers(row["times_sec"], row["video_fps"], row["total_frames"])


@adapter("downsample_preserve_priority")
def _priority(row: Row, mode: str) -> Any:
    return _rules.keep_priority(row["sorted_indices"], row["priority"], row["max_cap"])


@adapter("tiou_multi")
def _tiou(row: Row, mode: str) -> Any:
    gold, predicted = ([Window(start=a, end=b) for a, b in row[k]] for k in ("gt", "pred"))
    return tiou(gold, predicted)
