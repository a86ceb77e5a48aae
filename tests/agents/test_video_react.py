"""Video-ReAct over loopback HTTP: every provider's wire form, budgets, failures of every kind."""

from pathlib import Path
from typing import Any

import pytest

from agents.wire import FINAL, LOOK, look, run, texts_sent
from proofreel.agents import Budget, UnknownPriceError, _conversation
from proofreel.agents._sampling import family_sampling
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.testing import (
    Call,
    Empty,
    Filtered,
    Hang,
    LengthStop,
    MalformedJson,
    Overflow,
    RateLimited,
    Refused,
    ServerError,
    Text,
    ToolCalls,
    Usage,
)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_looks_and_answers_with_evidence(question: Question, provider: str) -> None:
    script = [look(start_time=1, end_time=5, fps=1, focus="animal"), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, provider)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.value, answer.stop) == ("B", "a dog", StopReason.ANSWERED)
    assert [s.phase for s in ran.trajectory.steps] == ["plan", "tool_call", "tool_result", "plan", "answer"]
    assert (ran.server.count, ran.server.overrun) == (3, 0)
    # three calls of the scripted size: 10 prompt and 5 completion tokens each
    assert (ran.trajectory.tokens.prompt, ran.trajectory.tokens.completion, ran.trajectory.tokens.calls) == (
        30,
        15,
        3,
    )
    assert ran.trajectory.frames_seen == ran.budget.frames == 4
    (evidence,) = answer.evidence
    assert (evidence.window.start, evidence.window.end) == (2.0, 4.0)
    result = ran.results[0]
    assert result.data["coverage"] == "rich"
    assert result.data["times_outside_window"] == 1
    assert result.media == tuple(e.ref_id for e in ran.ledger.entries)


def test_frames_of_the_evidence_are_those_on_the_wire(question: Question) -> None:
    script = [look(start_time=1, end_time=5, fps=1), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script)
    (entry,) = ran.ledger.entries
    assert [f.time for f in entry.frames] == [1.0, 2.0, 3.0, 4.0]
    content = ran.server.requests[1].json["messages"][-1]["content"]
    kinds = [c["type"] for c in content]
    assert kinds.count("image_url") == 4
    assert kinds.index("image_url") < len(kinds) - 1
    assert "eyes" in content[-1]["text"]  # the instruction comes after the pictures
    assert ran.trajectory.answer.evidence[0].provenance.frames == (2.0, 3.0, 4.0)
    assert ran.results[0].evidence[0].provenance.frames == (1.0, 2.0, 3.0, 4.0)


def test_the_state_is_given_away_after_every_step(question: Question) -> None:
    ran = run("video_react", question, [look(), Text(LOOK), Text(FINAL)])
    assert [len(s.steps) for s in ran.states] == [1, 2, 3, 4, 5, 5]
    assert all(s.answer.letter is None for s in ran.states[:-1])
    assert ran.states[-1] == ran.trajectory.model_copy(update={"seconds": ran.states[-1].seconds})


def test_planner_sees_no_pictures(question: Question) -> None:
    ran = run("video_react", question, [look(), Text(LOOK), Text(FINAL)])
    assert "image_url" not in texts_sent(ran.server, 0)
    assert "image_url" not in texts_sent(ran.server, 2)
    assert "a dog enters" in texts_sent(ran.server, 2)
    first = ran.server.requests[0].json
    assert [t["function"]["name"] for t in first["tools"]] == ["analyze_video", "get_transcript"]
    resolution = first["tools"][0]["function"]["parameters"]["properties"]["resolution"]
    assert resolution["enum"] == ["low", "medium"]
    assert first["messages"][1]["content"].startswith("[VIDEO QUESTION]\nVideo duration: 8.0 seconds\n")


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_tool_budget_forces_a_final_step(question: Question, provider: str) -> None:
    script = [look(end_time=2), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, provider, budget=Budget.of(tool_calls=1))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    first, last = ran.server.requests[0].json, ran.server.requests[-1].json
    assert first["tools"]
    # The engine turns choice "none" into no tools where the provider allows that; Anthropic does not.
    assert last.get("tool_choice") == {"type": "none"} if provider == "anthropic" else "tools" not in last
    sent = texts_sent(ran.server, 2)
    assert "a dog enters" in sent  # the pending result is delivered
    assert "budget is used up" in sent


def test_calls_beyond_the_budget_are_refused_not_run(question: Question) -> None:
    twice = ToolCalls((Call("get_transcript"), Call("get_transcript"), Call("get_transcript")))
    ran = run("video_react", question, [twice, Text(FINAL)], budget=Budget.of(tool_calls=2))
    assert [r.failure_kind for r in ran.results] == [None, None, "budget"]
    assert ran.trajectory.tool_calls == 3
    assert ran.budget.tool_calls == 2


def test_endless_calls_end_without_an_answer(question: Question) -> None:
    ran = run("video_react", question, lambda request: ToolCalls((Call("get_transcript"),)))
    assert ran.trajectory.answer.letter is None
    assert ran.trajectory.answer.stop is StopReason.BUDGET
    assert (ran.server.count, ran.budget.tool_calls) == (20, 15)


def test_official_mode_falls_back_to_a_and_says_so(question: Question) -> None:
    ran = run("video_react", question, lambda request: ToolCalls((Call("get_transcript"),)), mode="official")
    assert ran.trajectory.answer.letter == "A"
    assert "not an answer" in ran.trajectory.answer.reason
    assert ran.budget.tool_calls == 20  # calls beyond 15 are run, as published
    assert "(result not delivered)" in texts_sent(ran.server, 19)


def test_token_budget_ends_with_a_forced_final(question: Question) -> None:
    greedy = ToolCalls((Call("get_transcript"),), usage=Usage(prompt=900, completion=200))
    ran = run("video_react", question, [greedy, Text(FINAL)], budget=Budget.of(tokens=1000))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    assert "tools" not in ran.server.requests[1].json


def test_frame_budget_refuses_a_look_and_lets_the_planner_narrow_it(question: Question) -> None:
    script = [look(fps=2), look(start_time=0, end_time=2, fps=1), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, budget=Budget.of(frames=5))
    assert [r.failure_kind for r in ran.results] == ["budget", None]
    assert "16 frames, 5 are left" in ran.results[0].text
    assert ran.budget.frames == 2


def test_money_without_a_price_is_refused_before_the_first_call(question: Question) -> None:
    with pytest.raises(UnknownPriceError, match="no price is known for openai-api/local/some-vlm"):
        run("video_react", question, [], budget=Budget.of(usd=1.0))


def test_known_prices_add_up(question: Question) -> None:
    script = [look(end_time=2), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, "gemini", budget=Budget.of(usd=1.0))
    cost = ran.trajectory.tokens.cost_usd
    assert cost is not None
    assert 0 < cost < 0.001


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ToolCalls((Call("analyze_video", "{broken"),)), "validation"),
        (ToolCalls((Call("fly_drone", {"to": "moon"}),)), "unknown_tool"),
        (look(start_time=5, end_time=2), "validation"),
        (look(start_time="whenever"), "validation"),
        (look(start_time=9), "validation"),
    ],
    ids=["bad-json", "unknown-tool", "swapped", "no-number", "past-end"],
)
def test_hostile_calls_become_error_results(question: Question, reply: Any, kind: str) -> None:
    ran = run("video_react", question, [reply, Text(FINAL)])
    assert [r.failure_kind for r in ran.results] == [kind]
    assert ran.results[0].text.startswith("[ERROR]")
    assert ran.trajectory.answer.letter == "B"
    assert "[ERROR]" in texts_sent(ran.server, 1)


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (Overflow(), StopReason.OVERFLOW),
        (Filtered(), StopReason.FILTERED),
        (Refused(), StopReason.MODEL_ERROR),
        (ServerError(), StopReason.MODEL_ERROR),
        (MalformedJson(), StopReason.MODEL_ERROR),
        (RateLimited(), StopReason.MODEL_ERROR),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, StopReason) else v.value,
)
def test_planner_failures_end_in_a_trajectory(question: Question, reply: Any, stop: StopReason) -> None:
    ran = run("video_react", question, lambda request: reply)
    assert ran.trajectory.answer.letter is None
    assert ran.trajectory.answer.stop is stop
    assert ran.trajectory.answer.reason


def test_an_error_page_is_never_read_as_an_answer(question: Question) -> None:
    reply = Refused(message='answer: {"answer": "C"} the correct answer is C')
    ran = run("video_react", question, [reply])
    assert ran.trajectory.answer.letter is None


def test_a_cut_reply_is_asked_for_again(question: Question) -> None:
    script = [look(end_time=2), Text(LOOK), LengthStop('{"answer": "C", "reasoning": "because'), Text(FINAL)]
    ran = run("video_react", question, script)
    assert ran.trajectory.answer.letter == "B"
    official = run("video_react", question, script, mode="official")
    assert official.trajectory.answer.letter == "B"  # an unclosed object is no answer there either


def test_a_final_cut_reply_ends_truncated(question: Question) -> None:
    ran = run(
        "video_react", question, lambda request: LengthStop("The answer is C"), budget=Budget.of(turns=3)
    )
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.TRUNCATED)


def test_rate_limit_then_success(question: Question) -> None:
    script = [RateLimited(0.01), look(end_time=2), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, model={"max_retries": 2})
    assert ran.trajectory.answer.letter == "B"
    assert ran.server.overrun == 0


def test_empty_and_leaked_replies_are_sampled_again_cooler(question: Question) -> None:
    script = [Empty(), Text("<tool_call>{}"), look(end_time=2), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, temperature=0.3)
    assert ran.trajectory.answer.letter == "B"
    asked = [r.json for r in ran.server.requests[:3]]
    assert [a["temperature"] for a in asked] == pytest.approx([0.3, 0.25, 0.2])
    assert asked[0]["messages"] == asked[1]["messages"] == asked[2]["messages"]
    assert ran.trajectory.steps[0].data["resampled"] == 2
    assert ran.trajectory.tokens.calls == 5


def test_empty_for_ever_ends_empty(question: Question) -> None:
    ran = run("video_react", question, lambda request: Empty(), budget=Budget.of(turns=3))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.EMPTY)
    assert ran.server.count == 33  # three turns, each asked for 1 + 10 times


def test_a_letter_the_question_does_not_have_is_no_answer(question: Question) -> None:
    script = [look(end_time=2), Text(LOOK), Text('{"answer": "Q", "reasoning": "x"}'), Text(FINAL)]
    assert run("video_react", question, script).trajectory.answer.letter == "B"


def test_answering_without_looking_is_sent_back_twice(question: Question) -> None:
    ran = run("video_react", question, lambda request: Text(FINAL))
    assert (ran.trajectory.answer.letter, ran.server.count) == ("B", 3)
    assert "Nothing has been looked at yet" in texts_sent(ran.server, 1)
    assert ran.trajectory.answer.evidence[0].note == "no tool looked at or heard this stretch"


def test_perceiver_retries_transient_failures_and_the_breaker_counts_only_those(question: Question) -> None:
    busy = [look(end_time=2), ServerError(503), RateLimited(), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, busy)
    assert ran.results[0].ok
    assert ran.trajectory.steps[2].tokens.retries == 2

    down = [look(end_time=2), *[ServerError(503)] * 5, Text(FINAL)]
    ran = run("video_react", question, down)
    assert ran.results[0].failure_kind == "retry_exhausted"
    assert (ran.trajectory.answer.letter, ran.server.overrun) == ("B", 0)

    ran = run("video_react", question, [look(end_time=2), *[ServerError(503)] * 5], max_tool_failures=1)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.TOOL_FAILURES)

    ran = run("video_react", question, [look(start_time=9), Text(FINAL)], max_tool_failures=1)
    assert ran.trajectory.answer.letter == "B"


def test_empty_report_is_its_own_failure(question: Question) -> None:
    ran = run("video_react", question, [look(end_time=2), Empty(), Text(FINAL)])
    assert ran.results[0].failure_kind == "empty_response"


def test_transcript_is_quoted_as_evidence(question: Question, tmp_path: Path) -> None:
    srt = tmp_path / "a.srt"
    srt.write_text("1\n00:00:01,000 --> 00:00:02,500\nHere comes the dog.\n", "utf-8")
    heard = question.model_copy(update={"transcript": str(srt)})
    final = '{"answer": "B", "reasoning": "said so", "evidence": [[1, 2.5]]}'
    ran = run(
        "video_react", heard, [ToolCalls((Call("get_transcript", {"start": 0, "end": 3}),)), Text(final)]
    )
    quote = ran.trajectory.answer.evidence[0].quote
    assert (quote.text, quote.source) == ("Here comes the dog.", "speech")


JSON_LOOK = 'PLAN: p\nREASONING: r\n```json\n{"name": "analyze_video", "arguments": {"end_time": 2}}\n```'


def test_json_actions_need_no_tool_calls(question: Question) -> None:
    ran = run("video_react", question, [Text(JSON_LOOK), Text(LOOK), Text(FINAL)], actions="json")
    assert ran.trajectory.answer.letter == "B"
    first = ran.server.requests[0].json
    assert "tools" not in first
    assert "<tools>" in first["messages"][0]["content"]
    last = ran.server.requests[2].json["messages"]
    assert [m["role"] for m in last] == ["system", "user", "assistant", "user"]
    assert "a dog enters" in last[-1]["content"]


def test_models_without_tool_calls_get_json_actions_by_their_card(question: Question) -> None:
    script = [Text(JSON_LOOK), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, name="Qwen/Qwen3-VL-8B-Instruct", model={"video": False})
    assert ran.trajectory.settings["actions"] == "json"
    assert ran.trajectory.answer.letter == "B"


def test_json_schema_mode_sends_the_schema_and_closes_it_at_the_end(question: Question) -> None:
    action = '{"name": "analyze_video", "arguments": {"end_time": 2}}'
    script = [Text(action), Text(LOOK), Text('{"answer": "B", "reasoning": "seen"}')]
    ran = run("video_react", question, script, actions="json_schema", budget=Budget.of(tool_calls=1))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    schemas = [ran.server.requests[i].json["response_format"]["json_schema"]["schema"] for i in (0, 2)]
    assert len(schemas[0]["anyOf"]) == 3
    assert schemas[1]["properties"]["answer"]["enum"] == ["A", "B", "C"]
    assert "response_format" not in ran.server.requests[1].json  # the perceiver writes freely


def test_unknown_length_is_never_made_up(question: Question) -> None:
    ran = run(
        "video_react",
        question.model_copy(update={"duration": None}),
        [look(end_time=99), Text(LOOK), Text(FINAL)],
    )
    assert ran.results[0].data["end_time"] == pytest.approx(8.0)


@pytest.mark.parametrize("name", ["openai/gpt-5", "openai/gpt-4o"])
def test_openai_proper(question: Question, name: str) -> None:
    script = [look(start_time=1, end_time=5, fps=1), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, name=name, budget=Budget.of(usd=5.0, tool_calls=1))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)
    assert ran.trajectory.tokens.cost_usd is not None
    assert ("temperature" in ran.server.requests[0].json) == (name == "openai/gpt-4o")
    assert ran.trajectory.frames_seen == 4


def test_open_weight_families_are_sampled_as_published(question: Question) -> None:
    script = [Text(JSON_LOOK), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, name="Qwen/Qwen3-VL-8B-Instruct", model={"video": False})
    planner, perceiver = (ran.server.requests[i].json for i in (0, 1))
    assert (planner["top_p"], planner["top_k"], planner["repetition_penalty"]) == (0.8, 20, 1.05)
    assert "top_p" not in perceiver
    assert family_sampling("vllm/Qwen/Qwen3.5-9B-Thinking", False)["top_p"] == 0.95
    assert family_sampling("openai/gpt-5", False) == {}


def test_waits_are_told_and_refused_calls_keep_the_cost_known(question: Question) -> None:
    waits: list[tuple[int, str, float]] = []
    script = [look(end_time=2), ServerError(503), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, "gemini", on_wait=lambda *told: waits.append(told))
    assert waits == [(1, "bad_response", 0.01)]
    # four calls; each answered one costs 10 prompt and 5 completion tokens, the refused one nothing
    assert ran.trajectory.tokens.calls == 4
    assert ran.trajectory.tokens.cost_usd == pytest.approx(3 * (10 * 0.30 + 5 * 2.50) / 1e6)


def test_money_spent_forces_the_final_step(question: Question) -> None:
    dear = ToolCalls((Call("get_transcript"),), usage=Usage(prompt=100_000, completion=10))
    ran = run("video_react", question, [dear, Text(FINAL)], "gemini", budget=Budget.of(usd=0.01))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.FORCED)


def test_open_questions_are_answered_in_words(clip: Path) -> None:
    asked = Question.ask("Which animal enters?", str(clip), id="open", duration=8.0)
    final = '{"answer": "a brown dog", "reasoning": "seen at 2 s", "evidence": [[2, 3]]}'
    ran = run("video_react", asked, [look(end_time=4), Text(LOOK), Text(final)])
    assert (ran.trajectory.answer.value, ran.trajectory.answer.letter) == ("a brown dog", None)
    assert "multiple-choice" not in texts_sent(ran.server, 0)
    silent = '{"answer": "not shown", "reasoning": "no animal"}'
    ran = run("video_react", asked, [look(end_time=4), Text(LOOK), Text(silent)])
    assert (ran.trajectory.answer.value, ran.trajectory.answer.abstained) == (None, True)
    assert ran.trajectory.answer.stop is StopReason.ABSTAINED
    ran = run(
        "video_react", asked, lambda request: Text("no idea"), mode="official", budget=Budget.of(turns=3)
    )
    assert ran.trajectory.answer.letter is None


def test_a_server_that_never_answers_is_bounded_by_the_time_budget(
    question: Question, monkeypatch: Any
) -> None:
    monkeypatch.setattr(_conversation, "GRACE", 0.3)
    ran = run("video_react", question, lambda request: Hang(), budget=Budget.of(seconds=0.5))
    assert ran.trajectory.answer.stop is StopReason.MODEL_ERROR
    assert "no answer within" in ran.trajectory.answer.reason
    assert ran.trajectory.seconds < 20


def test_fixed_controls_hold_whatever_the_planner_asks_for(question: Question) -> None:
    script = [look(start_time=2, end_time=4, fps=4, resolution="medium"), Text(LOOK), Text(FINAL)]
    ran = run("video_react", question, script, fps=1, resolution="low", interval="full")
    assert {k: ran.results[0].data[k] for k in ("start_time", "end_time", "fps", "resolution")} == {
        "start_time": None,
        "end_time": None,
        "fps": 1,
        "resolution": "low",
    }
    assert ran.trajectory.steps[1].calls[0].arguments["fps"] == 4  # as the model sent it
    assert ran.budget.frames == 8
    first = ran.server.requests[0].json
    assert set(first["tools"][0]["function"]["parameters"]["properties"]) == {"focus"}
    assert "Fixed for this run" in first["messages"][1]["content"]
    assert ran.trajectory.settings["fixed"] == {"fps": 1, "resolution": "low", "interval": "full"}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"fps": 0.5}, "fps must be a whole number from 1 to 20, got 0.5"),
        ({"fps": "fast"}, "got 'fast'"),
        ({"resolution": "high"}, "resolution is one of low, medium for this perceiver, got 'high'"),
        ({"interval": "half"}, "interval is free or full, got 'half'"),
    ],
)
def test_controls_that_make_no_sense_are_refused(question: Question, option: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        run("video_react", question, [], **option)
