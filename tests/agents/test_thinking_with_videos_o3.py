"""Video-o3 over loopback HTTP; frame numbers are worked by hand on a clip of 80 frames at 10 a second."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.wire import run, texts_sent, write_clip
from proofreel.agents import Budget
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.testing import Empty, Filtered, LengthStop, Overflow, Refused, ServerError, Text, Usage

B = Text("<answer>B</answer>")


def ask(start: float, end: float, strategy: str = "medium", before: str = "", after: str = "") -> Text:
    wanted = json.dumps({"temporal_segment": [start, end], "sampling_strategy": strategy})
    return Text(f"{before}<grounding>{wanted}</grounding>{after}")


def shown(ran: Any) -> list[list[list[int]]]:
    """For each call, for each reference in it, frame numbers from the ledger."""
    calls: dict[str, list[list[int]]] = {}
    for entry in ran.ledger.entries:
        calls.setdefault(entry.call_id, []).append([f.index for f in entry.frames])
    return list(calls.values())


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_a_crop_comes_back_as_a_user_turn_and_everything_stays(question: Question, provider: str) -> None:
    first = ask(2, 4, before="<think>where?</think>", after=" Observation 1: a parrot. <answer>C</answer>")
    ran = run("video_o3", question, [first, B], provider)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.stop, ran.server.count) == ("B", StopReason.ANSWERED, 2)
    one, two = shown(ran)
    assert [len(r) for r in one] == [16]
    # frames 20 to 40: 21 of them, 2.1 s at two a second gives 4.2, even 4: 20, 26.67 -> 27, 33.3 -> 33, 40
    assert two == [one[0], [20, 27, 33, 40]]
    assert ran.trajectory.frames_seen == 20
    body = texts_sent(ran.server, 1)
    assert "where?" in body and "a parrot" not in body  # text after the closing tag is cut, thinking stays
    assert "Observation 1: 4 frames at 2 frames a second, from 2.00 to 4.00 seconds" in body
    assert "forbid" not in body and "No further look" not in body
    (proof,) = answer.evidence
    assert (proof.window.start, proof.window.end, proof.provenance.step) == (2.0, 4.0, 2)
    assert proof.provenance.frames == (2.0, 2.7, 3.3, 4.0)
    (seen,) = [o for s in ran.trajectory.steps for o in s.observations]
    assert seen.ok and seen.media[0] in {e.ref_id for e in ran.ledger.entries}
    assert ran.trajectory.tool_calls == 1
    assert [s.phase for s in ran.trajectory.steps] == [
        "thinking",
        "tool_call",
        "tool_result",
        "thinking",
        "answer",
    ]


def test_roles_alternate_and_frames_are_in_their_own_turns(question: Question) -> None:
    ran = run("video_o3", question, [ask(2, 4), ask(5, 6, "fine"), B])
    messages = ran.server.requests[2].json["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "assistant", "user"]
    pictures = [sum(c["type"] == "image_url" for c in m["content"]) for m in messages if m["role"] == "user"]
    # frames 50 to 60: 11 of them, 2.2 asked for, at least 4
    assert pictures == [16, 4, 4]
    assert [len(c) for c in shown(ran)] == [1, 2, 3]


def test_quotas_set_the_size_of_the_pictures(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "wide.mp4", seconds=40, fps=2, size=(640, 360))
    asked = Question.ask("?", str(clip), ("a", "b"), duration=40.0)
    script = [ask(0, 19.5, s) for s in ("coarse", "medium", "fine", "other")]
    ran = run("video_o3", asked, [*script, B])
    # 40 frames are 20 pairs: 102, 204, 307 tokens of 28 px a frame (230400 pixels, 784 a token)
    # 360 * 0.589 = 212.1 -> 7; 360 * 0.833 = 299.9 -> 10; 307 tokens: 1.02 -> own size 360 -> 12
    sizes = [(e.width, e.height) for e in ran.ledger.entries[-5:]]
    assert [h for _, h in sizes] == [336, 196, 280, 336, 280]  # 80 frames of 16384: 409 a frame, own size
    for (width, height), tokens in zip(sizes, (409, 102, 204, 307, 204), strict=True):
        assert width % 28 == 0 and width * height <= tokens * 784
    fixed = run("video_o3", asked, [ask(0, 19.5, "coarse"), B], dynamic=False)
    assert fixed.ledger.entries[-1].height == 280
    patch = run("video_o3", asked, [ask(0, 19.5, "coarse"), B], patch=32)
    assert patch.ledger.entries[-1].height % 32 == 0


def test_the_last_turn_is_forced(question: Question) -> None:
    endless = run("video_o3", question, lambda request: ask(2, 4))
    assert endless.server.count == 9  # eight turns and the forced one
    assert "No further look" not in texts_sent(endless.server, 7)
    assert "No further look" in texts_sent(endless.server, 8)
    assert "Observation 8" in texts_sent(endless.server, 8)  # the eighth crop is still shown
    answer = endless.trajectory.answer
    assert (answer.letter, answer.value, answer.stop) == (None, None, StopReason.BUDGET)
    official = run("video_o3", question, lambda request: ask(2, 4), mode="official")
    assert official.server.count == 9 and official.trajectory.answer.letter is None
    assert official.trajectory.answer.value.startswith("Sorry")
    obeys = run("video_o3", question, [*[ask(2, 4)] * 2, B], turns=2)
    assert (obeys.trajectory.answer.letter, obeys.trajectory.answer.stop) == ("B", StopReason.FORCED)
    plain = run("video_o3", question, [ask(2, 4), Text("B")], budget=Budget.of(turns=2))
    assert (plain.server.count, plain.trajectory.answer.letter) == (2, "B")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (Text("I would like to see more."), "no complete <grounding> block"),
        (Text("<grounding>{bad json}</grounding>"), "not a JSON object"),
        (ask(9, 12), "the video ends at 8 s"),
        (ask(5, 5), "must end after its start"),
        (
            Text('<grounding>{"temporal_segment": [NaN, 3], "sampling_strategy": "fine"}</grounding>'),
            "finite",
        ),
        (Text("<grounding>{'temporal_segment': [1, 2]}</grounding>"), "has no sampling_strategy"),
        (Empty(), "empty"),
    ],
    ids=["neither-tag", "bad-json", "after-the-end", "no-length", "nan", "part-missing", "empty"],
)
def test_errors_go_back_to_the_model_and_the_talk_goes_on(question: Question, bad: Any, why: str) -> None:
    ran = run("video_o3", question, [bad, B])
    assert ran.trajectory.answer.letter == "B" and ran.server.count == 2
    (seen,) = [o for s in ran.trajectory.steps for o in s.observations]
    assert not seen.ok and seen.failure_kind == "validation"
    assert why in seen.text and "could not be followed" in texts_sent(ran.server, 1)
    assert ran.trajectory.frames_seen == 16 and ran.trajectory.answer.evidence == ()


def test_officially_a_reply_without_tags_leaves_the_loop(question: Question) -> None:
    ran = run("video_o3", question, [Text("It must be option B.")], mode="official")
    assert ran.server.count == 1 and ran.trajectory.answer.letter is not None


@pytest.mark.parametrize(
    ("reply", "stop", "calls"),
    [
        (Empty(), StopReason.EMPTY, 9),
        (Filtered(), StopReason.FILTERED, 9),
        (LengthStop("<think>so long"), StopReason.TRUNCATED, 9),
        (Text("I cannot help with that."), StopReason.UNPARSED, 9),
        (Text("<answer>Z</answer>"), StopReason.UNPARSED, 1),
        (Refused("no"), StopReason.MODEL_ERROR, 1),
        (Overflow(), StopReason.OVERFLOW, 1),
        (ServerError(), StopReason.MODEL_ERROR, 3),
    ],
    ids=["empty", "filtered", "cut", "refusal", "no-option", "refused", "overflow", "dead"],
)
def test_what_is_no_answer_is_never_one(question: Question, reply: Any, stop: StopReason, calls: int) -> None:
    ran = run("video_o3", question, lambda request: reply)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, stop)
    assert ran.server.count == calls


def test_answers_in_thinking_are_not_answers(question: Question) -> None:
    said = Text("<think>maybe <answer>A</answer> no</think><answer>B</answer>")
    assert run("video_o3", question, [said]).trajectory.answer.letter == "B"
    assert run("video_o3", question, [said], mode="official").trajectory.answer.letter == "A"
    both = ask(1, 2, before="<answer>B</answer>")
    assert run("video_o3", question, [both]).server.count == 1  # an answer beside a request ends the talk


def test_budgets_force_one_last_step(question: Question) -> None:
    dear = Text(ask(2, 4).text, Usage(prompt=900, completion=100))
    ran = run("video_o3", question, [dear, B], budget=Budget.of(tokens=500))
    assert (ran.server.count, ran.trajectory.answer.stop) == (2, StopReason.FORCED)
    assert ran.trajectory.steps[3].data["forced_by"] == "tokens"
    few = run(
        "video_o3",
        question,
        lambda r: ask(0, 8) if b"No further" not in r.raw else B,
        budget=Budget.of(frames=13),
    )
    # 13 frames: 7 at most for the whole video (6, an even number), then crops until nothing is left
    assert [len(r) for r in shown(few)[0]] == [6]
    assert few.trajectory.frames_seen <= 13 and few.trajectory.answer.letter == "B"
    assert few.trajectory.answer.stop is StopReason.FORCED
    with pytest.raises(UserError):
        run("video_o3", question, [], turns=0)


def test_open_and_level_questions(clip: Path) -> None:
    asked = Question.ask("What animal?", str(clip), id="o", duration=8.0)
    assert run("video_o3", asked, [Text("<answer>a dog</answer>")]).trajectory.answer.value == "a dog"
    words = Text("<answer>From <2 seconds> to <3 seconds>.</answer>")
    ran = run(
        "video_o3", asked, [ask(1, 5), words], asked="When?", task="temporal_grounding", key_times=[3.1]
    )
    (proof,) = ran.trajectory.answer.evidence
    assert (proof.window.start, proof.window.end) == (2.0, 3.0)
    assert proof.provenance.frames and all(2 <= t <= 3 for t in proof.provenance.frames)
    assert 31 in shown(ran)[0][0] and "When?" in texts_sent(ran.server, 0)


def test_settings_reach_the_server(question: Question) -> None:
    body = run("video_o3", question, [B], config={}).server.requests[0].json
    assert body["temperature"] == 0 and body["max_tokens"] == 4096
