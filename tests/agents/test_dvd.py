"""DVD over loopback HTTP: the whole loop, budgets, hostile replies, published faults and their mending."""

from pathlib import Path
from typing import Any

import pytest

from agents.dvd_world import Seen, finish, fresh, inspect, long_clip, play, text_of, tool
from agents.wire import texts_sent
from proofreel.agents import Budget
from proofreel.agents._dvd_prompts import NOT_FOUND
from proofreel.core import Question, StopReason
from proofreel.testing import (
    Call,
    Empty,
    Filtered,
    LengthStop,
    Overflow,
    RateLimited,
    Refused,
    Reply,
    ServerError,
    Text,
    ToolCalls,
    Usage,
)

BROWSE = tool("global_browse_tool", query="Which animal enters?")
SEARCH = tool("clip_search_tool", event_description="a dog walks into the kitchen", top_k=1)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_clip(tmp_path_factory.mktemp("dvd"))


@pytest.fixture
def question(clip: Path, tmp_path: Path) -> Question:
    return Question.ask(
        "Which animal enters?", str(fresh(clip, tmp_path)), ("a cat", "a dog", "a cow"), id="q1"
    )


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")


def test_the_whole_loop(question: Question) -> None:
    cite = [["00:00:11", "00:00:14"]]
    last = ToolCalls((Call("finish", {"answer": "B", "evidence": cite}),), text="The frames confirm the dog.")
    ran = play(question, [BROWSE, SEARCH, inspect(["00:00:10", "00:00:15"]), last])
    answer = ran.trajectory.answer
    assert answer.reason == "The frames confirm the dog."
    assert (answer.letter, answer.value, answer.stop) == ("B", "a dog", StopReason.ANSWERED)
    parts = {p: len(ran.asked(p)) for p in ("captioner", "merger", "reader", "inspector", "main")}
    assert parts == {"captioner": 3, "merger": 1, "reader": 1, "inspector": 1, "main": 4}
    # ten calls of the scripted size: 10 prompt and 5 completion tokens each
    tokens = ran.trajectory.tokens
    assert (tokens.calls, tokens.prompt, tokens.completion) == (10, 100, 50)
    # 25 s at 2 a second, and the look: points 10.0, 10.1, ... 14.9 on frames 20 to 30
    assert ran.trajectory.frames_seen == 50 + 11
    assert (ran.budget.turns, ran.budget.tool_calls) == (4, 4)
    assert ran.base["described"] == ran.base["new"] == 3
    assert [r.tool for r in ran.results] == [
        "global_browse_tool",
        "clip_search_tool",
        "frame_inspect_tool",
        "finish",
    ]
    assert "brown dog enters the kitchen" in ran.results[1].text
    assert ran.results[1].text.startswith("[00:00:10 - 00:00:19] ")


def test_evidence_is_cited_typed_and_rests_on_frames_that_were_shown(question: Question) -> None:
    cite = [["00:00:11", "00:00:14"]]
    ran = play(question, [SEARCH, inspect(["00:00:10", "00:00:15"]), finish("B", evidence=cite)])
    (evidence,) = ran.trajectory.answer.evidence
    assert (evidence.window.start, evidence.window.end) == (11.0, 14.0)
    assert evidence.quote.text == "At 12.0s a brown dog walks in."
    assert evidence.provenance.frames
    sent = {f.time for e in ran.ledger.entries for f in e.frames}
    assert set(evidence.provenance.frames) <= sent
    look = ran.results[1].evidence[0]
    assert (look.window.start, look.window.end) == (12.0, 12.0)
    assert look.provenance.frames == (11.5, 12.0, 12.5)
    found = ran.results[0].evidence[0]
    assert (found.window.start, found.window.end) == (10.0, 20.0)
    assert len(found.provenance.frames) == 20


def test_without_a_citation_what_was_looked_at_is_the_evidence(question: Question) -> None:
    ran = play(
        question,
        [SEARCH, inspect(["00:00:10", "00:00:15"]), finish("B")],
        others={"inspector": lambda r: Text("Yes, a dog.")},
    )
    (evidence,) = ran.trajectory.answer.evidence
    assert (evidence.window.start, evidence.window.end) == (10.0, 15.0)
    assert evidence.provenance.claimed_by == "frame_inspect_tool"
    assert len(evidence.provenance.frames) == 11


def test_what_the_models_are_shown(question: Question) -> None:
    ran = play(question, [BROWSE, inspect(["00:10", "00:15"]), finish()])
    first = ran.asked("main")[0].json
    names = [t["function"]["name"] for t in first["tools"]]
    assert names == ["global_browse_tool", "clip_search_tool", "frame_inspect_tool", "finish"]
    assert "database" not in str(first["tools"])
    assert first["temperature"] == 0
    assert first["messages"][1]["content"].startswith("Total length of the video: 00:00:25\n")
    assert all("image_url" not in r.raw.decode() for r in ran.asked("main"))
    shown = ran.asked("captioner")[0].json["messages"][-1]["content"]
    assert [c["type"] for c in shown].count("image_url") == 20
    assert ran.asked("reader")[0].json["max_tokens"] == 512
    overview = text_of(ran.asked("reader")[0])
    assert overview.index("red lamp") < overview.index("brown dog") < overview.index("rain falls")


def test_second_question_on_the_same_video_describes_nothing(question: Question) -> None:
    cold = play(question, [SEARCH, finish()])
    other = question.model_copy(update={"id": "q2", "text": "What falls on the window?"})
    warm = play(other, [SEARCH, finish("A", evidence=[["00:00:10", "00:00:14"]])])
    assert len(cold.asked("captioner")) == 3
    assert [len(warm.asked(p)) for p in ("captioner", "merger", "main")] == [0, 0, 2]
    assert (warm.base["described"], warm.base["new"], warm.trajectory.frames_seen) == (3, 0, 0)
    # The kept description rests on frames: the ledger of this question has them, and the evidence names them.
    (entry,) = warm.ledger.entries
    (same,) = [e for e in cold.ledger.entries if e.ref_id == entry.ref_id]
    assert entry.frames == same.frames
    assert warm.trajectory.answer.evidence[0].provenance.frames == tuple(
        f.time for f in same.frames if 10 <= f.time <= 14
    )


def test_roles_and_the_aligned_variant(question: Question) -> None:
    roles = {
        "captioner": "openai-api/local/seer",
        "inspector": "openai-api/local/eye",
        "reader": "openai-api/local/mind",
    }
    ran = play(question, [BROWSE, inspect(["00:10", "00:15"]), finish()], roles=roles)
    models = {
        p: {r.json["model"] for r in ran.asked(p)}
        for p in ("main", "captioner", "merger", "reader", "inspector")
    }
    assert models == {
        "main": {"some-vlm"},
        "captioner": {"seer"},
        "merger": {"mind"},
        "reader": {"mind"},
        "inspector": {"eye"},
    }
    assert ran.trajectory.settings["aligned"] is False
    aligned = play(question, [finish()], roles={"perceiver": "openai-api/local/eye"})
    assert aligned.trajectory.settings["aligned"] is True
    assert {r.json["model"] for r in aligned.asked("captioner")} == {"eye"}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ToolCalls((Call("clip_search_tool", "{broken"),)), "validation"),
        (ToolCalls((Call("fly_drone", {"to": "moon"}),)), "unknown_tool"),
        (inspect(["00:00:50", "00:01:00"]), "validation"),
        (inspect(["soon", "later"]), "validation"),
        (tool("frame_inspect_tool", question="x", time_ranges_hhmmss="all"), "validation"),
        (tool("clip_search_tool", event_description="dog", top_k="many"), "validation"),
        (tool("global_browse_tool"), "validation"),
        (finish("the third one"), "validation"),
        (finish("Q"), "validation"),
        (finish(""), "validation"),
    ],
    ids=[
        "bad-json",
        "unknown-tool",
        "past-end",
        "no-time",
        "no-list",
        "top-k",
        "no-query",
        "words",
        "letter",
        "empty",
    ],
)
def test_hostile_calls_become_error_results(question: Question, reply: Reply, kind: str) -> None:
    ran = play(question, [reply, finish()])
    assert [r.failure_kind for r in ran.results] == [kind, None]
    assert ran.results[0].text.startswith("[ERROR]")
    assert ran.trajectory.answer.letter == "B"
    assert "[ERROR]" in ran.asked("main")[1].raw.decode()


def test_database_given_by_the_model_is_not_listened_to(question: Question) -> None:
    ran = play(
        question, [tool("clip_search_tool", event_description="dog", database={"clips": []}), finish()]
    )
    assert ran.results[0].ok
    assert "brown dog" in ran.results[0].text


def test_endless_calls_end_without_an_answer(question: Question) -> None:
    ran = play(question, lambda request: SEARCH)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.stop) == (None, StopReason.BUDGET)
    assert len(ran.asked("main")) == 15
    assert "tools" not in ran.asked("main")[-1].json  # the last round closes them
    assert "tools" in ran.asked("main")[-2].json
    assert ran.budget.tool_calls == 14
    assert ran.results[-1].failure_kind == "budget"


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (Overflow(), StopReason.OVERFLOW),
        (Filtered(), StopReason.FILTERED),
        (Refused(), StopReason.MODEL_ERROR),
        (ServerError(), StopReason.MODEL_ERROR),
        (RateLimited(), StopReason.MODEL_ERROR),
        (Empty(), StopReason.EMPTY),
        (
            Text("I am not sure yet, perhaps a cat or a dog or something else altogether."),
            StopReason.UNPARSED,
        ),
        (Text("I cannot help with this request since it might be harmful to someone."), StopReason.UNPARSED),
    ],
    ids=["overflow", "filtered", "refused", "down", "busy", "empty", "undecided", "refusal"],
)
def test_replies_that_are_no_answer(question: Question, reply: Reply, stop: StopReason) -> None:
    ran = play(question, lambda request: reply, budget=Budget.of(turns=3))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, stop)
    assert ran.trajectory.answer.reason


def test_a_plain_reply_with_a_letter_is_final_and_others_are_reminded(question: Question) -> None:
    thought = (
        "Option A would need a cat, and option B needs a dog in the kitchen; let me look for both of them."
    )
    ran = play(question, [Text(thought), SEARCH, Text("The clips settle it.\nThe answer is B.")])
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.ANSWERED)
    assert len(ran.asked("main")) == 3
    assert "neither a call nor an answer" in ran.asked("main")[1].raw.decode()
    assert play(question, [Text("b")]).trajectory.answer.letter == "B"
    cut = play(question, [LengthStop("The answer is C"), finish()])
    assert cut.trajectory.answer.letter == "B"


def test_all_calls_of_a_reply_run_in_order_and_finish_ends(question: Question) -> None:
    calls = (SEARCH.calls[0], finish("B").calls[0], inspect(["00:01", "00:02"]).calls[0])
    ran = play(question, [ToolCalls(calls)])
    assert [r.tool for r in ran.results] == ["clip_search_tool", "finish"]
    assert (ran.trajectory.answer.letter, len(ran.asked("inspector"))) == ("B", 0)


def test_tool_budget_forces_one_final_step(question: Question) -> None:
    final = Text('{"answer": "B", "evidence": [["00:00:12", "00:00:14"]]}')
    ran = play(question, [SEARCH, final], budget=Budget.of(tool_calls=1))
    answer = ran.trajectory.answer
    assert (answer.letter, answer.stop) == ("B", StopReason.FORCED)
    assert (answer.evidence[0].window.start, answer.evidence[0].window.end) == (12.0, 14.0)
    last = ran.asked("main")[1]
    assert "tools" not in last.json
    sent = last.raw.decode()
    assert "budget of tool_calls is used up" in sent
    assert "brown dog" in sent  # the pending result is delivered
    double = ToolCalls((SEARCH.calls[0], SEARCH.calls[0]))
    ran = play(question, [double, final], budget=Budget.of(tool_calls=1))
    assert [r.failure_kind for r in ran.results] == [None, "budget"]


def test_token_budget_ends_the_building_and_forces_the_answer(question: Question) -> None:
    final = Text('{"answer": "B"}')
    # a description costs 15 tokens: two of them pass a limit of 20, and the third clip is not tried
    ran = play(question, [final], budget=Budget.of(tokens=20), caption_workers=1)
    assert [len(ran.asked(p)) for p in ("captioner", "merger", "main")] == [2, 0, 1]
    assert (ran.base["described"], ran.base["not_tried"]) == (2, 1)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    # the next question pays for the rest alone
    ran = play(question, [finish()])
    assert len(ran.asked("captioner")) == 1
    assert ran.base["described"] == 3


def test_frame_budget_holds_for_descriptions_and_looks(question: Question) -> None:
    ran = play(question, [inspect(["00:10", "00:20"]), finish()], budget=Budget.of(frames=45))
    # 20 + 20 frames of two clips, the third (10) does not fit; five are left for the look
    assert (ran.base["described"], ran.base["not_tried"]) == (2, 1)
    assert ran.trajectory.frames_seen == 45
    assert ran.results[0].data["frames"] == 5
    assert "only be looked at by frames" in ran.asked("main")[0].raw.decode()
    none = play(question, [inspect(["00:10", "00:20"]), finish()], budget=Budget.of(frames=1))
    assert [r.failure_kind for r in none.results] == [None, None]
    assert none.trajectory.frames_seen == 1


def test_money_is_counted_over_all_models(question: Question) -> None:
    dear = Usage(prompt=1_000_000, completion=0)
    ran = play(
        question,
        [Text("B")],
        name="openai/gpt-4o",
        budget=Budget.of(usd=2.0),
        caption_workers=1,
        others={"captioner": lambda r: Text('{"clip_description": "x"}', usage=dear)},
    )
    # 2.50 USD for the first description pass the limit of 2
    assert len(ran.asked("captioner")) == 1
    assert ran.trajectory.tokens.cost_usd > 2.0
    assert ran.trajectory.answer.stop is StopReason.FORCED


def test_not_found_is_no_evidence(question: Question) -> None:
    ran = play(
        question, [inspect(["00:10", "00:15"]), finish("B")], others={"inspector": lambda r: Text(NOT_FOUND)}
    )
    assert ran.results[0].data["found"] is False
    assert ran.results[0].evidence == ran.trajectory.answer.evidence == ()


def test_tool_models_that_fail_are_observations(question: Question) -> None:
    down = {"inspector": lambda r: ServerError(503), "reader": lambda r: Empty()}
    ran = play(question, [BROWSE, inspect(["00:10", "00:15"]), finish()], others=down)
    assert [r.failure_kind for r in ran.results] == ["empty_response", "retry_exhausted", None]
    assert [len(ran.asked(p)) for p in ("reader", "inspector")] == [3, 3]
    assert ran.trajectory.answer.letter == "B"


def test_an_overview_that_is_no_json_is_taken_as_it_is(question: Question) -> None:
    ran = play(question, [BROWSE, finish()], others={"reader": lambda r: Text("A dog enters at 00:00:12.")})
    assert '"query_related_event": "A dog enters at 00:00:12."' in ran.results[0].text
    assert '"identity": ["pet"]' in ran.results[0].text  # the merged registry stands in
    assert ran.results[0].evidence[0].window.start == 12.0


def test_open_questions(clip: Path, tmp_path: Path) -> None:
    asked = Question.ask("Which animal enters?", str(fresh(clip, tmp_path)), id="open")
    ran = play(asked, [SEARCH, finish("a brown dog")])
    assert (ran.trajectory.answer.value, ran.trajectory.answer.letter) == ("a brown dog", None)
    ran = play(asked, [finish("Not shown.")])
    assert (ran.trajectory.answer.value, ran.trajectory.answer.stop) == (None, StopReason.ABSTAINED)
    assert ran.trajectory.answer.abstained
    ran = play(asked, [Text("It may be a dog."), Text('{"answer": "a dog"}')])
    assert (ran.trajectory.answer.value, len(ran.asked("main"))) == ("a dog", 2)


def test_twenty_six_options(clip: Path, tmp_path: Path) -> None:
    options = tuple(f"animal number {n}" for n in range(26))
    asked = Question.ask("Which?", str(fresh(clip, tmp_path)), options, id="many")
    assert play(asked, [finish("Z")]).trajectory.answer.value == "animal number 25"
    assert play(asked, [finish("animal number 24")]).trajectory.answer.letter == "Y"


JSON_SEARCH = (
    '```json\n{"name": "clip_search_tool", "arguments": {"event_description": "dog", "top_k": 1}}\n```'
)
JSON_FINISH = '```json\n{"name": "finish", "arguments": {"answer": "B"}}\n```'


def test_json_actions_need_no_tool_calls(question: Question) -> None:
    ran = play(question, [Text(JSON_SEARCH), Text(JSON_FINISH)], actions="json")
    assert (ran.trajectory.answer.letter, [r.ok for r in ran.results]) == ("B", [True, True])
    first = ran.asked("main")[0].json
    assert "tools" not in first
    assert "<tools>" in first["messages"][0]["content"]


def test_json_schema_mode_closes_the_schema_at_the_end(question: Question) -> None:
    action = '{"name": "clip_search_tool", "arguments": {"event_description": "dog"}}'
    ran = play(
        question,
        [Text(action), Text('{"answer": "B"}')],
        actions="json_schema",
        budget=Budget.of(tool_calls=1),
    )
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    first, last = (r.json["response_format"]["json_schema"]["schema"] for r in ran.asked("main"))
    assert len(first["anyOf"]) == 5
    assert last["properties"]["answer"]["enum"] == ["A", "B", "C"]


def test_thinking_models_are_sampled_as_published(question: Question) -> None:
    ran = play(question, [Text(f"<think>hm</think>{JSON_FINISH}")], name="Qwen/Qwen3-VL-8B-Thinking")
    body = ran.asked("main")[0].json
    assert (body["top_p"], body["top_k"], body["repetition_penalty"]) == (0.95, 20, 1.0)
    assert ran.trajectory.settings["actions"] == "json"
    assert ran.trajectory.answer.letter == "B"


# --- published faults -------------------------------------------------------------------------------------


def official(question: Question, main: Any, **more: Any) -> Seen:
    return play(question, main, mode="official", **more)


def test_officially_a_plain_reply_changes_nothing(question: Question) -> None:
    ran = official(question, [Text("The answer is C"), finish("B")])
    assert (ran.trajectory.answer.letter, len(ran.asked("main"))) == ("B", 2)
    before, after = (r.json["messages"] for r in ran.asked("main"))
    assert after[: len(before)] == before
    assert [m["role"] for m in after[len(before) :]] == ["assistant"]  # its own reply, and nothing said to it


def test_officially_unreadable_arguments_end_the_work(question: Question) -> None:
    ran = official(question, [ToolCalls((Call("clip_search_tool", "{broken"),)), finish("B")])
    assert len(ran.asked("main")) == 1
    assert "as published" in ran.trajectory.answer.reason


def test_officially_a_failing_tool_aborts(question: Question) -> None:
    ran = official(question, [inspect(["00:00:50", "00:01:00"]), finish("B")])
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.HARNESS_ERROR)
    assert "frame_inspect_tool failed" in ran.trajectory.answer.reason
    assert len(ran.asked("main")) == 1


def test_officially_the_last_message_is_the_answer(question: Question) -> None:
    ran = official(question, lambda request: SEARCH, budget=Budget.of(turns=3))
    assert "This is the last round" in ran.asked("main")[2].raw.decode()
    assert "This is the last round" not in ran.asked("main")[1].raw.decode()
    assert "tools" in ran.asked("main")[2].json
    assert ran.budget.tool_calls == 3
    assert ran.trajectory.answer.reason.startswith("finish was never called")
    open_end = question.model_copy(update={"options": ()})
    ran = official(open_end, lambda request: SEARCH, budget=Budget.of(turns=2))
    assert ran.trajectory.answer.value == ran.results[-1].text
    ran = official(question, lambda request: Text("So it is C"), budget=Budget.of(turns=2))
    assert ran.trajectory.answer.letter == "C"


def test_officially_a_budget_that_is_set_holds_too(question: Question) -> None:
    ran = official(question, lambda request: SEARCH, budget=Budget.of(tool_calls=2))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.BUDGET)
    assert (ran.budget.tool_calls, len(ran.asked("main"))) == (2, 2)


def test_the_setting_for_clips_never_applies_officially(question: Question) -> None:
    two = tool("clip_search_tool", event_description="dog", top_k=2)
    assert len(official(question, [two, finish()], top_k=1).results[0].data["clips"]) == 2
    assert len(play(question, [two, finish()], top_k=1).results[0].data["clips"]) == 1


def test_official_clips_leave_out_the_frame_at_their_last_half_second(question: Question) -> None:
    ran = official(question, [finish()])
    counts = sorted(len(e.frames) for e in ran.ledger.entries)
    assert counts == [9, 19, 19]  # seconds 0 to 9.0, 10 to 19.0, 20 to 24.0
    assert 9.5 not in {f.time for e in ran.ledger.entries for f in e.frames}
    assert ran.asked("main")[0].json["tools"][3]["function"]["parameters"]["required"] == ["answer"]
    assert "evidence" not in ran.asked("main")[0].raw.decode()


def test_state_is_given_away_after_every_step(question: Question) -> None:
    ran = play(question, [SEARCH, finish()])
    assert [len(s.steps) for s in ran.states[:-1]] == list(range(1, len(ran.states)))
    assert all(s.answer.letter is None for s in ran.states[:-2])
    assert ("clips", 3, 3, "3 of 3 clips described") in ran.told


def test_words_that_are_said_stand_in_the_descriptions(question: Question, tmp_path: Path) -> None:
    srt = tmp_path / "a.srt"
    srt.write_text("1\n00:00:18,000 --> 00:00:21,500\nHere comes Bruno.\n", "utf-8")
    heard = question.model_copy(update={"transcript": str(srt)})
    ran = play(heard, [tool("clip_search_tool", event_description="Bruno", top_k=2), finish()])
    assert ran.results[0].text.count("Said in this clip: Here comes Bruno.") == 2  # it overlaps two clips
    prompts = [text_of(r) for r in ran.asked("captioner")]
    assert sum("Here comes Bruno." in p for p in prompts) == 2
    assert texts_sent(ran.server, 0)
