"""Single-Turn over loopback HTTP, and its rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.wire import run, write_clip
from proofreel.agents import Budget
from proofreel.agents.single_turn import fps_fallback_chain
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.testing import Empty, Filtered, LengthStop, Overflow, RateLimited, Refused, ServerError, Text

REPLY = "At 2.0s a dog enters.\nA: no cat. B: yes.\nFINAL ANSWER: B"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_pictures_with_times_precede_the_text(question: Question, provider: str) -> None:
    ran = run("single_turn", question, [Text(REPLY)], provider)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.value, answer.stop) == ("B", "a dog", StopReason.ANSWERED)
    assert ran.trajectory.frames_seen == 8
    content = ran.server.requests[0].json["messages"][0]["content"]
    pictures = [i for i, c in enumerate(content) if c["type"] in ("image_url", "image")]
    assert len(pictures) == 8
    assert all(content[i - 1]["text"].startswith("[t=") for i in pictures)
    assert "FINAL ANSWER: <letter>" in content[-1]["text"]
    assert max(pictures) < len(content) - 1
    assert answer.evidence[0].window.start == 2.0
    assert answer.evidence[0].provenance.frames == (2.0,)


def test_true_video_where_the_card_says_so(question: Question) -> None:
    ran = run("single_turn", question, [Text(REPLY)], "gemini")
    parts = ran.server.requests[0].json["contents"][0]["parts"]
    (video,) = [p["inlineData"] for p in parts if "inlineData" in p]
    assert (video.get("mimeType") or video.get("mime_type")) == "video/mp4"
    assert "FINAL ANSWER" in parts[-1]["text"]
    assert ran.trajectory.answer.letter == "B"


def test_more_than_the_cap_is_thinned_over_the_whole_video(question: Question) -> None:
    ran = run("single_turn", question, [Text(REPLY)], max_frames=3)
    # index trunc(i * (8 / 3)) of the eight frames at 0..7 s
    assert [f.time for f in ran.ledger.entries[0].frames] == [0.0, 2.0, 5.0]
    assert ran.trajectory.frames_seen == 3


def test_official_mode_asks_for_low_detail_and_reads_with_the_published_parser(question: Question) -> None:
    ran = run("single_turn", question, [Text("There are 3 cats in the video")], mode="official")
    content = ran.server.requests[0].json["messages"][0]["content"]
    assert {c["image_url"]["detail"] for c in content if c["type"] == "image_url"} == {"low"}
    assert ran.trajectory.answer.letter == "O"  # the published parser takes the last letter
    careful = run("single_turn", question, [Text("There are 3 cats in the video")])
    assert (careful.trajectory.answer.letter, careful.trajectory.answer.stop) == (None, StopReason.UNPARSED)


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (Overflow(), StopReason.OVERFLOW),
        (Filtered(), StopReason.FILTERED),
        (Empty(), StopReason.EMPTY),
        (LengthStop("FINAL ANSWER: A"), StopReason.TRUNCATED),
        (Refused("FINAL ANSWER: A"), StopReason.MODEL_ERROR),
        (Text("I cannot help with that."), StopReason.UNPARSED),
        (Text("FINAL ANSWER: Z"), StopReason.UNPARSED),
    ],
    ids=["overflow", "filtered", "empty", "cut", "refused", "refusal-text", "no-such-option"],
)
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_what_is_no_answer_is_never_one(
    question: Question, provider: str, reply: Any, stop: StopReason
) -> None:
    ran = run("single_turn", question, lambda request: reply, provider)
    assert ran.trajectory.answer.letter is None
    assert ran.trajectory.answer.stop is stop


def test_server_errors_on_true_video_lower_the_rate(question: Question) -> None:
    ran = run("single_turn", question, [ServerError(), Text(REPLY)], "gemini", fps=2.0)
    assert ran.trajectory.answer.letter == "B"
    assert ran.trajectory.settings["fps_used"] == 1.0
    assert [e.ref.fps for e in ran.ledger.entries] == [1.0]
    assert "2 fps" in ran.trajectory.steps[0].data["tried"][0]
    busy = run("single_turn", question, [ServerError(503), Text(REPLY)], "gemini", fps=2.0)
    assert busy.trajectory.settings["fps_used"] == 2.0
    assert fps_fallback_chain(12) == [12, 10, 5, 3, 1]
    assert fps_fallback_chain(1) == [1]


def test_pictures_the_server_finds_too_large_are_sent_smaller(tmp_path: Path) -> None:
    wide = write_clip(tmp_path / "wide.mp4", seconds=1, size=(2048, 512))
    asked = Question.ask("?", str(wide), ("a", "b"), duration=1.0)
    refusal = Refused("image exceeds the maximum allowed size")
    ran = run("single_turn", asked, [refusal, refusal, Text("FINAL ANSWER: B")], "anthropic")
    assert ran.trajectory.answer.letter == "B"
    entry = ran.ledger.entries[-1]
    assert (entry.width, entry.height) == (1024, 256)
    assert ran.trajectory.settings["max_side"] == 1024
    other = run("single_turn", asked, [Refused("no such model"), Text("FINAL ANSWER: B")], "anthropic")
    assert other.trajectory.answer.stop is StopReason.MODEL_ERROR


def test_rate_limits_are_waited_out_twice(question: Question) -> None:
    ran = run("single_turn", question, [RateLimited(), RateLimited(), Text(REPLY)])
    assert ran.trajectory.answer.letter == "B"
    assert ran.trajectory.tokens.retries == 2
    ran = run("single_turn", question, [RateLimited()] * 3)
    assert ran.trajectory.answer.stop is StopReason.MODEL_ERROR


def test_a_frame_budget_that_is_too_small_is_refused_with_what_to_do(question: Question) -> None:
    with pytest.raises(UserError, match="would show 8 frames, the budget leaves 5; lower fps or max_frames"):
        run("single_turn", question, [], budget=Budget.of(frames=5))


def test_open_questions(clip: Path) -> None:
    asked = Question.ask("What animal?", str(clip), id="o", duration=8.0)
    assert run("single_turn", asked, [Text("FINAL ANSWER: **a dog**")]).trajectory.answer.value == "a dog"
    silent = run("single_turn", asked, [Text("FINAL ANSWER: not shown")]).trajectory.answer
    assert (silent.abstained, silent.stop) == (True, StopReason.ABSTAINED)


def test_output_cap(question: Question) -> None:
    ran = run("single_turn", question, [Text(REPLY)], "anthropic", config={})
    assert ran.server.requests[0].json["max_tokens"] == 4096
    ran = run("single_turn", question, [Text(REPLY)], config={})
    assert json.dumps(ran.server.requests[0].json).count("16384") == 1  # served models
