"""VideoChat-R1.5 and localize-then-answer over loopback HTTP; frame numbers are worked by hand.

The clip has 80 frames at 10 a second, 8 seconds. Two a second make 16 frames a round.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.wire import run, texts_sent
from proofreel.agents import Budget
from proofreel.agents._footage import Footage, rows_for, thinned, with_frames
from proofreel.agents._round_frames import choose_frames, frames_a_round
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.testing import (
    Empty,
    Filtered,
    Hang,
    LengthStop,
    Overflow,
    RateLimited,
    Refused,
    ServerError,
    Text,
    Usage,
)

GLUE = "<think>hm</think><answer>A</answer><glue>[(2.0, 4.0)]</glue>"
B = "<answer>B</answer>"


def rounds(ran: Any) -> list[list[float]]:
    """Times of the frames of each call, from the ledger."""
    calls: dict[str, list[float]] = {}
    for entry in ran.ledger.entries:
        calls.setdefault(entry.call_id, []).extend(f.time for f in entry.frames)
    return list(calls.values())


def inside(times: list[float], start: float, end: float) -> int:
    return sum(start <= t <= end for t in times)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_three_rounds_and_only_the_intervals_carry_over(question: Question, provider: str) -> None:
    ran = run("videochat_r15", question, [Text(GLUE), Text("no tag here"), Text(B)], provider)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.value, answer.stop) == ("B", "a dog", StopReason.ANSWERED)
    assert ran.server.count == 3
    first, second, third = rounds(ran)
    assert [len(r) for r in (first, second, third)] == [16, 16, 16]
    # uniform: i * 79 / 15 rounded
    assert [round(t * 10) for t in first] == [0, 5, 11, 16, 21, 26, 32, 37, 42, 47, 53, 58, 63, 68, 74, 79]
    # frames 20 to 40 are K = 21; round(16 * 21*1.5 / (21*1.5 + 59)) = round(5.57) = 6 of them, evenly spaced
    assert [round(t * 10) for t in second if 2 <= t <= 4] == [20, 24, 28, 32, 36, 40]
    assert third == second  # no tag in round 2: the hint stays
    for k in range(3):  # each request is a prompt of its own
        body = texts_sent(ran.server, k)
        assert "hm" not in body and "no tag here" not in body and body.count("Which animal enters?") == 1
    assert "<glue>" in texts_sent(ran.server, 0) and "<glue>" in texts_sent(ran.server, 1)
    assert "<glue>" not in texts_sent(ran.server, 2) and "<think>" not in texts_sent(ran.server, 2)
    assert ran.trajectory.frames_seen == 48
    (proof,) = answer.evidence
    assert (proof.window.start, proof.window.end, proof.provenance.step) == (2.0, 4.0, 1)
    assert proof.provenance.frames == tuple(sorted({t for t in [*first, *second] if 2 <= t <= 4}))
    assert [s.data["round"] for s in ran.trajectory.steps[:3]] == [1, 2, 3]


def test_a_tag_that_cannot_be_read_clears_the_hint_and_a_new_one_replaces_it(question: Question) -> None:
    cleared = run("videochat_r15", question, [Text(GLUE), Text("<glue>around 1:02</glue>"), Text(B)])
    first, second, third = rounds(cleared)
    assert third == first != second
    assert cleared.trajectory.answer.evidence == ()
    replaced = run("videochat_r15", question, [Text(GLUE), Text("<glue>(6, 7)</glue>"), Text(B)])
    assert (
        inside(rounds(replaced)[2], 6, 7) == 3
    )  # K = 11: round(16 * 16.5 / (16.5 + 69)) = 3; a bare pair is one
    official = run(
        "videochat_r15", question, [Text(GLUE), Text("<glue>(6, 7)</glue>"), Text(B)], mode="official"
    )
    assert (
        rounds(official)[2] == rounds(official)[0]
    )  # published: a bare pair makes the sampler fail over to uniform


def test_official_sampling_leaves_the_last_frame_out_and_counts_overlaps_twice(question: Question) -> None:
    twice = Text("<glue>[(2, 4), (2, 4)]</glue>")
    official = rounds(run("videochat_r15", question, [twice, Text(""), Text(B)], mode="official", rounds=2))
    careful = rounds(run("videochat_r15", question, [twice, Text(B)], rounds=2))
    assert max(official[1]) == pytest.approx(7.8)
    assert max(careful[1]) == pytest.approx(7.9)
    # official: K = 42 of 79, share round(16*63/(63+37)) = 10, each interval gets 5 (the same ones): 20 25 30 35 40
    assert [round(t * 10) for t in official[1] if 2 <= t <= 4] == [20, 25, 30, 35, 40]
    assert [round(t * 10) for t in careful[1] if 2 <= t <= 4] == [20, 24, 28, 32, 36, 40]


def test_negative_starts(question: Question) -> None:
    said = Text("<glue>[(-2, 1)]</glue>")
    careful = run("videochat_r15", question, [said, Text(B)], rounds=2)
    assert careful.trajectory.answer.evidence[0].window.start == 0
    assert inside(rounds(careful)[1], 0, 1) == 3  # K = 11, as above
    official = run("videochat_r15", question, [said, Text(B)], rounds=2, mode="official")
    assert rounds(official)[1] == rounds(official)[0]


def test_one_round_is_the_last_one(question: Question) -> None:
    ran = run("videochat_r15", question, [Text(B)], rounds=1)
    assert (ran.server.count, ran.trajectory.answer.letter, ran.trajectory.answer.stop.value) == (
        1,
        "B",
        "answered",
    )
    assert "<glue>" not in texts_sent(ran.server, 0)


@pytest.mark.parametrize(
    ("reply", "stop", "calls"),
    [
        (Empty(), StopReason.EMPTY, 3),
        (Filtered(), StopReason.FILTERED, 3),
        (LengthStop("<answer>B</answer> and"), StopReason.TRUNCATED, 3),
        (Text("I cannot help with that."), StopReason.UNPARSED, 3),
        (Text("<answer>Z</answer>"), StopReason.UNPARSED, 3),
        (Text("<glue>[[[[((</glue>"), StopReason.UNPARSED, 3),
        (Text("<glue>[(9e999, 1), ('a', 2), (5, 3), (1e300, 2e300)]</glue>"), StopReason.UNPARSED, 3),
        (Refused("no"), StopReason.MODEL_ERROR, 1),
        (Overflow(), StopReason.OVERFLOW, 1),
        (ServerError(), StopReason.MODEL_ERROR, 3),
    ],
    ids=[
        "empty",
        "filtered",
        "cut",
        "refusal",
        "no-option",
        "bad-glue",
        "wild-glue",
        "refused",
        "overflow",
        "dead",
    ],
)
@pytest.mark.parametrize("agent", ["videochat_r15", "localize_then_answer"])
def test_what_is_no_answer_is_never_one(
    question: Question, agent: str, reply: Any, stop: StopReason, calls: int
) -> None:
    ran = run(agent, question, lambda request: reply)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, stop)
    rounds_of = 3 if agent == "videochat_r15" else 2
    assert ran.server.count == (calls if isinstance(reply, ServerError) or calls == 1 else rounds_of)


def test_a_busy_server_is_waited_for_and_booked(question: Question) -> None:
    waits: list[Any] = []
    ran = run(
        "videochat_r15",
        question,
        [RateLimited(), Text(GLUE), Text(B)],
        rounds=2,
        on_wait=lambda *told: waits.append(told),
    )
    assert ran.trajectory.answer.letter == "B"
    assert ran.trajectory.tokens.retries == 1 and waits[0][0] == 1
    assert ran.trajectory.frames_seen == 32


def test_a_limit_makes_the_next_round_the_last_one(question: Question) -> None:
    dear = Text(GLUE, Usage(prompt=900, completion=100))
    ran = run("videochat_r15", question, [dear, Text(B)], budget=Budget.of(tokens=500))
    assert (ran.server.count, ran.trajectory.answer.letter) == (2, "B")
    assert ran.trajectory.answer.stop is StopReason.FORCED
    assert ran.trajectory.steps[1].data["limit"] == "tokens"
    assert "<glue>" not in texts_sent(ran.server, 1)
    assert inside(rounds(ran)[1], 2, 4) == 6  # the forced round still looks where the first one pointed
    ran = run("videochat_r15", question, [Text(GLUE), Text(B)], budget=Budget.of(turns=2))
    assert (ran.server.count, ran.trajectory.answer.stop) == (2, StopReason.FORCED)


def test_a_frame_budget_is_shared_by_the_rounds(question: Question) -> None:
    ran = run("videochat_r15", question, [Text(GLUE), Text(GLUE), Text(B)], budget=Budget.of(frames=30))
    assert [len(r) for r in rounds(ran)] == [10, 10, 10]
    assert ran.trajectory.frames_seen == 30
    with pytest.raises(UserError, match="allow at least 3"):
        run("videochat_r15", question, [], budget=Budget.of(frames=2))
    assert frames_a_round(16, 3, None, "x") == 16 and frames_a_round(16, 3, 48, "x") == 16


def test_open_questions_need_the_tags(clip: Path) -> None:
    asked = Question.ask("What animal?", str(clip), id="o", duration=8.0)
    one = {"rounds": 1}
    said = "<think><answer>a cat</answer></think><answer>a dog</answer>"
    assert run("videochat_r15", asked, [Text(said)], **one).trajectory.answer.value == "a dog"
    assert (
        run("videochat_r15", asked, [Text(said)], mode="official", **one).trajectory.answer.value == "a cat"
    )
    plain = run("videochat_r15", asked, [Text("I cannot say.")], **one).trajectory.answer
    assert (plain.value, plain.stop) == (None, StopReason.UNPARSED)
    silent = run("videochat_r15", asked, [Text("<answer>Not shown.</answer>")], **one).trajectory.answer
    assert (silent.abstained, silent.stop) == (True, StopReason.ABSTAINED)


def test_the_words_of_an_exam(question: Question) -> None:
    told = "Question: When?\nWrite From <X seconds> to <Y seconds>."
    said = "<answer>From <1 seconds> to <2.5 seconds>.</answer>"
    ran = run(
        "videochat_r15",
        question,
        [Text(said)],
        rounds=1,
        asked=told,
        task="temporal_grounding",
        system="You watch.",
        key_times=[3.3],
    )
    assert "When?" in texts_sent(ran.server, 0) and "Which animal" not in texts_sent(ran.server, 0)
    assert ran.server.requests[0].json["messages"][0]["role"] == "system"
    answer = ran.trajectory.answer
    assert answer.value == "From <1 seconds> to <2.5 seconds>."
    assert (answer.evidence[0].window.start, answer.evidence[0].window.end) == (1.0, 2.5)
    assert pytest.approx(3.3) in rounds(ran)[0]


def test_sampling_settings_reach_the_server(question: Question) -> None:
    body = run("videochat_r15", question, [Text(B)], rounds=1, config={}).server.requests[0].json
    assert body["temperature"] == 0 and body["max_tokens"] == 2048
    warm = run("videochat_r15", question, [Text(B)], rounds=1, model={"temperature": 0.7})
    assert warm.server.requests[0].json["temperature"] == 0.7  # --generate temperature=0.7
    for option in (
        {"rounds": 0},
        {"rounds": "x"},
        {"key_ratio": -1},
        {"frames_as": "film"},
        {"task": "swim"},
    ):
        with pytest.raises(UserError):
            run("videochat_r15", question, [], **option)


def test_a_model_with_few_images_gets_fewer(question: Question) -> None:
    ran = run("videochat_r15", question, [Text(GLUE), Text(B)], rounds=2, max_frames=6)
    assert [len(r) for r in rounds(ran)] == [6, 6]
    assert thinned(list(range(10)), 4) == [0, 3, 6, 9]
    assert with_frames([0, 3, 6, 9], [5], 4) == [0, 3, 5, 9]
    assert with_frames([0, 9], [2, 4, 6], 2) == [2, 6]


def test_pictures_share_the_pixels() -> None:
    wide = Footage("x", [i / 10 for i in range(100)], 10.0, 10.0, 1280, 720)
    # 768 tokens of 28 px: scale sqrt(768*784/921600) = 0.808, 720 * 0.808 = 581.9 -> 20 rows of 28
    assert rows_for(wide, 768, 28) == 560
    assert rows_for(wide, 1e9, 28) == 700  # never enlarged
    assert rows_for(wide, 0.1, 28) == 28
    for tokens in (20, 54, 100, 409, 768):
        rows = rows_for(wide, tokens, 28)
        width = round(1280 * rows / 720) // 28 * 28
        assert rows * width <= tokens * 784


def test_true_times_decide_where_the_rate_varies() -> None:
    # 40 frames in the first second, then one a second: 50 frames, 5 a second on average
    times = [i / 40 for i in range(40)] + [float(i) for i in range(1, 11)]
    footage = Footage("x", times, 11.0, 50 / 11, 64, 48)
    chosen = choose_frames(footage, [(5, 7)], 10, 100.0, "careful")
    assert {44, 45, 46} <= set(chosen)  # the frames at 5, 6 and 7 s
    assert len(choose_frames(footage, [(i, i) for i in range(11)], 5, 3.0, "careful")) <= 5
    assert len(choose_frames(footage, [(0, 11)], 5, 0.0, "careful")) == 5


def test_localize_shows_the_same_number_denser_inside_the_windows(question: Question) -> None:
    found = Text("<think>4 to 5</think>From <2 seconds> to <4 seconds>.")
    ran = run("localize_then_answer", question, [found, Text(f"<think>x</think>{B}")])
    first, second = rounds(ran)
    assert (len(first), len(second)) == (8, 8)  # one a second
    # K = 21: round(8 * 63 / (63 + 59)) = round(4.13) = 4: 20, 26.67 -> 26, 33.3 -> 33, 40
    assert [round(t * 10) for t in second if 2 <= t <= 4] == [20, 26, 33, 40]
    assert "Before this question is answered" in texts_sent(ran.server, 0)
    assert "<answer>" not in texts_sent(ran.server, 0) and "<answer>" in texts_sent(ran.server, 1)
    answer = ran.trajectory.answer
    assert answer.letter == "B" and answer.evidence[0].window.end == 4.0
    dense = run("localize_then_answer", question, [found, Text(B)], key_ratio=20, max_frames=6)
    # round(6 * 420 / (420 + 59)) = round(5.26) = 5
    assert [len(r) for r in rounds(dense)] == [6, 6] and inside(rounds(dense)[1], 2, 4) == 5


def test_localize_without_windows_stays_uniform_and_says_so(question: Question) -> None:
    ran = run("localize_then_answer", question, [Text("It is nowhere."), Text(B)], height=24, patch=16)
    first, second = rounds(ran)
    assert first == second
    assert "denser_in" not in ran.trajectory.steps[1].data and ran.trajectory.answer.evidence == ()
    assert {(e.width, e.height) for e in ran.ledger.entries} == {(32, 24)}
    asked = run("localize_then_answer", question, [Text(""), Text(B)], localize="Find it my way.")
    assert "Find it my way." in texts_sent(asked.server, 0) and "Which animal" in texts_sent(asked.server, 1)


def test_calls_are_foreseen(question: Question) -> None:
    from proofreel.agents import localize_then_answer, video_o3, videochat_r15
    from proofreel.agents._planned import PlanSetting
    from proofreel.models import ModelCard
    from proofreel.models.estimate import facts_of, frame_count

    facts = facts_of(question.video)
    file: Any = type("File", (), {"path": question.video, "duration": 8.0, "height": 48})()
    plain = PlanSetting({}, {}, {"main": "m"}, {"main": ModelCard(name="m")})
    calls = videochat_r15.plan_calls(question, file, plain, "typical")
    assert [frame_count(c.refs[0].sampling, facts) for c in calls] == [16, 16, 16]
    two = localize_then_answer.plan_calls(question, file, plain, "low")
    assert [frame_count(c.refs[0].sampling, facts) for c in two] == [8, 8]
    levels = PlanSetting({"levels": "1,3", "rounds": 1}, {}, {}, {})
    assert len(videochat_r15.plan_calls(question, file, levels, "low")) == 2
    counts = [len(video_o3.plan_calls(question, file, plain, at)) for at in ("low", "typical", "high")]
    assert counts == [1, 4, 9]
    few = PlanSetting({}, {}, {"main": "m"}, {"main": ModelCard(name="m", max_images=20)})
    last = video_o3.plan_calls(question, file, few, "high")[-1]
    assert sum(frame_count(r.sampling, facts) for r in last.refs) <= 20


def test_frames_as_one_video_where_the_route_carries_it(question: Question) -> None:
    name = "vllm/Qwen/Qwen3-VL-8B-Instruct"
    ran = run("videochat_r15", question, [Text(B)], rounds=1, frames_as="video", name=name)
    assert ran.server.requests[0].raw.count(b"video_url") == 2  # the type and the key of one part
    assert rounds(ran)[0] and b"image_url" not in ran.server.requests[0].raw
    with pytest.raises(UserError, match="takes no frames as one video"):
        run("videochat_r15", question, [], "gemini", frames_as="video")


def test_the_documented_matrix_is_one(tmp_path: Path) -> None:
    import re

    from proofreel.runs.matrix import combinations

    page = (Path(__file__).parents[2] / "docs" / "thinking-with-videos.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
    (tmp_path / "frames.yaml").write_text(block)
    cells = combinations(tmp_path / "frames.yaml")
    assert [(c.wanted.options.get("fps", 1), c.wanted.options["max_frames"]) for c in cells] == [
        (1, 96),
        (1, 192),
        (1, 384),
        (1, 768),
        (2, 768),
    ]
    assert {c.wanted.options["levels"] for c in cells} == {"3"} and len({c.name for c in cells}) == 5


@pytest.mark.parametrize("agent", ["videochat_r15", "video_o3", "localize_then_answer"])
def test_a_server_that_never_answers_costs_what_was_allowed(question: Question, agent: str) -> None:
    ran = run(agent, question, lambda request: Hang(), budget=Budget.of(seconds=0.5))
    assert ran.trajectory.answer.stop is StopReason.MODEL_ERROR and ran.trajectory.frames_seen == 0
    assert ran.server.count == 1 and (ran.trajectory.seconds or 0) < 10


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.floats(-5, 130), st.floats(-5, 130)), max_size=40),
    st.integers(1, 64),
    st.sampled_from([0.0, 1.0, 1.5, 3.0, 50.0]),
    st.integers(1, 400),
)
def test_a_round_never_shows_too_much_or_what_is_not_there(
    hint: list[tuple[float, float]], frames: int, ratio: float, total: int
) -> None:
    footage = Footage("x", [i / 4 for i in range(total)], total / 4, 4.0, 64, 48)
    for mode in ("careful", "official"):
        if mode == "official" and total < 2:
            continue
        chosen = choose_frames(footage, hint, frames, ratio, mode)
        assert chosen and all(0 <= i < total for i in chosen) and chosen == sorted(chosen)
    careful = choose_frames(footage, hint, frames, ratio, "careful")
    assert len(careful) == len(set(careful)) <= frames
