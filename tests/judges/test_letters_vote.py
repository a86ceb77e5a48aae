"""Letter extraction by vote, over a real socket."""

import asyncio
import json
from typing import Any

import pytest

from proofreel.benchmarks.agentvidbench.extraction import judge_letter
from proofreel.core import Answer, Gold, Item, Outcome, Question, Step, StopReason, Trajectory
from proofreel.judges import LettersVote, judge_vote, vote_letter
from proofreel.judges.letters_vote import extractors
from proofreel.models import resolve_model
from proofreel.testing import Empty, Filtered, OpenAIServer, RateLimited, Refused, ServerError, Text

GOLD = Gold(answer="B")


def said(letter: str | None) -> Text:
    return Text(json.dumps({"letter": letter, "reason": "it says so at the end"}))


def run(
    script: list[Any], text: str = "I weigh A. FINAL ANSWER: B", **settings: Any
) -> tuple[LettersVote, Any]:
    with OpenAIServer(script) as server:
        model = resolve_model("openai-api/local/reader", base_url=server.url, max_retries=0)
        vote = asyncio.run(vote_letter(text, model, **{"candidates": 3} | settings))
        return vote, [r.json for r in server.requests]


def test_a_server_that_gives_one_candidate_a_call_is_asked_for_the_rest() -> None:
    vote, sent = run([said("B"), said("A"), said("B")])
    assert (vote.letter, vote.votes, vote.agreement, vote.n_null) == ("B", ("B", "A", "B"), 0.667, 0)
    assert [r.get("n") for r in sent] == [3, 2, None]
    assert {r["temperature"] for r in sent} == {0.3}
    assert vote.tokens.calls == 3
    assert vote.extractor == "openai-api/local/reader"
    assert vote.settings["prompt"] == "letters-1"


def test_only_the_ends_of_a_long_text_are_shown() -> None:
    text = "START" + "x" * 9000 + "the answer is B"
    _, sent = run([said("B")], text, candidates=1)
    shown = sent[0]["messages"][0]["content"]
    assert "START" in shown
    assert "the answer is B" in shown
    assert 5000 < len(shown) < 7000


def test_nulls_that_outnumber_the_top_letter_win() -> None:
    vote, _ = run([said(None), said("B"), said(None)])
    assert (vote.letter, vote.n_null) == (None, 2)
    assert judge_vote(vote, GOLD, "ABC").outcome is Outcome.UNPARSED
    assert judge_vote(vote, GOLD, "ABC", "official").outcome is Outcome.WRONG


@pytest.mark.parametrize("trouble", [RateLimited(), ServerError(500), Refused(), Empty(), Filtered()])
def test_a_failed_extraction_is_the_judges_failure_and_officially_a_wrong_answer(trouble: Any) -> None:
    vote, _ = run([said("B"), trouble])
    assert vote.letter is None
    assert vote.failure
    verdict = judge_vote(vote, GOLD, "ABC")
    assert verdict.outcome is Outcome.JUDGE_FAILED
    assert "openai-api/local/reader" in verdict.reason
    assert judge_vote(vote, GOLD, "ABC", "official").outcome is Outcome.WRONG


def test_blank_text_asks_nobody() -> None:
    vote, sent = run([], "  \n")
    assert sent == []
    assert (vote.extractor, vote.votes) == (None, ())


def test_a_letter_the_question_does_not_have_is_unparsed() -> None:
    vote, _ = run([said("Z")], candidates=1)
    assert judge_vote(vote, GOLD, "ABC").outcome is Outcome.UNPARSED


def test_a_fallback_is_named() -> None:
    with OpenAIServer([RateLimited()]) as bad, OpenAIServer([said("B")]) as good:
        first = resolve_model("openai-api/local/first", base_url=bad.url, max_retries=0)
        second = resolve_model("openai-api/local/second", base_url=good.url, max_retries=0)
        vote = asyncio.run(vote_letter("B", first, candidates=1, fallback=second))
    assert (vote.letter, vote.extractor, vote.fell_back) == ("B", "openai-api/local/second", True)
    assert "fallback" in judge_vote(vote, GOLD, "ABC").reason
    other, _ = run([said("B")], candidates=1)
    assert extractors([vote, other]) == {"openai-api/local/second": 1, "openai-api/local/reader": 1}


ITEM = Item(question=Question.ask("Which?", "v.mp4", ("x", "y", "z")), gold=GOLD)


def wrote(text: str, agent: str = "single_turn", **answer: Any) -> Trajectory:
    steps = (Step(id=1, phase="thinking", text=text),)
    return Trajectory(question_id="ask", agent=agent, steps=steps, answer=Answer(**answer))


def judged(trajectory: Trajectory, **how: Any) -> Outcome:
    return asyncio.run(judge_letter(trajectory, ITEM, **how))[0].outcome


def test_local_rules_of_both_modes_differ() -> None:
    # The published rules take the last letter of a line; the careful ones see no commitment.
    vague = wrote("I was looking at plan B", stop=StopReason.UNPARSED)
    assert judged(vague) is Outcome.UNPARSED
    assert judged(vague, mode="official") is Outcome.RIGHT
    clear = wrote("FINAL ANSWER: B", letter="B")
    assert judged(clear) is judged(clear, mode="official") is Outcome.RIGHT
    react = wrote('{"answer": "C", "reasoning": ""}', "video_react", letter="C")
    assert judged(react) is judged(react, mode="official") is Outcome.WRONG


def test_a_failed_model_is_not_sent_to_the_extractor() -> None:
    dead = wrote("FINAL ANSWER: B", stop=StopReason.TRUNCATED)
    assert judged(dead, how="vote", extractor=None) is Outcome.MODEL_FAILED
    with pytest.raises(ValueError, match="needs an extractor"):
        judged(wrote("B", letter="B"), how="vote")
