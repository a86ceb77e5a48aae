"""The transcript tool: overlap, aliases, notes, the prepared index as a source."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proofreel.core import Question, ToolCall
from proofreel.tools import ToolContext, ToolResult, get_tool, run_tool

SRT = """1
00:00:01,000 --> 00:00:03,500
Hello there.

2
00:00:04,000 --> 00:00:06,250
Two lines
of text
"""


def call(tmp_path: Path, text: str | None = SRT, index: Any = None, **args: Any) -> ToolResult:
    path = None
    if text is not None:
        path = tmp_path / "a.srt"
        path.write_text(text, "utf-8")
    question = Question.ask("?", "v.mp4", id="q7", transcript=None if path is None else str(path))
    ctx = ToolContext(question=question, options={} if index is None else {"index": index})
    return asyncio.run(get_tool("get_transcript").run(args, ctx))


def test_all_segments(tmp_path: Path) -> None:
    result = call(tmp_path)
    assert json.loads(result.text) == {
        "qid": "q7",
        "window": {"start_time": None, "end_time": None},
        "segment_count": 2,
        "segments": [
            {"start": 1.0, "end": 3.5, "text": "Hello there."},
            {"start": 4.0, "end": 6.25, "text": "Two lines of text"},
        ],
    }
    assert [(e.window.start, e.window.end, e.quote.text, e.quote.source) for e in result.evidence] == [
        (1.0, 3.5, "Hello there.", "speech"),
        (4.0, 6.25, "Two lines of text", "speech"),
    ]


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        ({"start_time": 3.5}, ["Two lines of text"]),  # ends at the start: out
        ({"end_time": 4}, ["Hello there."]),  # starts at the end: out
        ({"start": 3.499, "end": 4.001}, ["Hello there.", "Two lines of text"]),
        ({"start_time": 1.5, "end_time": 1.6}, ["Hello there."]),
        ({"start_time": "5"}, ["Two lines of text"]),
        ({"start_time": 100}, []),
    ],
)
def test_overlap_leaves_touching_segments_out(tmp_path: Path, args: dict[str, Any], kept: list[str]) -> None:
    result = call(tmp_path, **args)
    assert [s["text"] for s in result.data["segments"]] == kept
    assert result.data["segment_count"] == len(kept)


def test_no_speech_and_no_transcript_are_different_notes(tmp_path: Path) -> None:
    silent, unknown = call(tmp_path, ""), call(tmp_path, None)
    assert silent.ok and unknown.ok
    assert (silent.data["segment_count"], silent.data["segments"]) == (0, [])
    assert "No speech" in silent.data["note"]
    assert "without a transcript" in unknown.data["note"]


def test_the_prepared_index_stands_in(tmp_path: Path) -> None:
    index = SimpleNamespace(speech=[SimpleNamespace(start=2.0, end=3.0, text="heard")], notes=[])
    assert [s["text"] for s in call(tmp_path, None, index).data["segments"]] == ["heard"]
    deaf = SimpleNamespace(speech=[], notes=["no audio track"])
    assert call(tmp_path, None, deaf).data["note"].endswith("no audio track")


def test_failures_never_raise(tmp_path: Path) -> None:
    question = Question.ask("?", "v.mp4", transcript=str(tmp_path / "missing.srt"))
    seen, _ = asyncio.run(
        run_tool(ToolCall(id="1", name="get_transcript"), ToolContext(question), ("get_transcript",))
    )
    assert (seen.ok, seen.failure_kind) == (False, "error")
    assert "missing.srt" in seen.text
    wrong = call(tmp_path, start_time="soon")
    assert (wrong.ok, wrong.failure_kind) == (False, "validation")
