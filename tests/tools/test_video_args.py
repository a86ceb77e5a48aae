"""Argument clean-up beyond the published vectors (those run in tests/agents/test_conformance.py)."""

from typing import Any

import pytest

from proofreel.tools._video_args import BadArgs, VideoArgs, clean_video_args


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
