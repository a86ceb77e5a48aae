"""Argument clean-up against the published vectors, in both modes."""

import json
from pathlib import Path
from typing import Any

import pytest

from proofreel.tools._video_args import BadArgs, VideoArgs, clean_video_args

VECTORS = Path(__file__).parents[1] / "parity" / "avb_tool_args.jsonl"
CASES = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]


def as_vector(got: VideoArgs | BadArgs) -> dict[str, Any]:
    if isinstance(got, BadArgs):
        return {"ok": False, "failure_kind": "validation", "reason": got.reason}
    return {
        "ok": True,
        "start_time": got.start_time,
        "end_time": got.end_time,
        "fps": got.fps,
        "resolution": got.resolution,
    }


@pytest.mark.parametrize("mode", ["official", "careful"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_vector(case: dict[str, Any], mode: str) -> None:
    given = case["input"]
    want = case["recommended"] if mode == "careful" and case.get("quirk") else case["expected"]
    assert as_vector(clean_video_args(given["args"], given["duration"], given["tool_model"], mode)) == want


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"start_time": "soon"}, "not_a_number"),
        ({"end_time": [3]}, "not_a_number"),
        ({"fps": float("nan")}, "not_a_number"),
        ({"fps": True}, "not_a_number"),
        ({"start_time": 1e400}, "not_a_number"),
    ],
)
def test_nonsense_is_a_validation_failure_not_a_crash(args: dict[str, Any], reason: str) -> None:
    got = clean_video_args(args, 10.0, "gemini-2.5-pro")
    assert isinstance(got, BadArgs)
    assert got.reason == reason


def test_numbers_written_as_text_are_read() -> None:
    got = clean_video_args({"start_time": "2.5", "end_time": "4s", "fps": "3"}, 10.0, "x")
    assert got == VideoArgs(2.5, 4.0, 3, "medium")
