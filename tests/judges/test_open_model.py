"""The judge of open answers over a real socket: what it is shown, how its reply is read, when the fallback is due."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from proofreel.core import Answer, Gold, Outcome, Question, StopReason, Trajectory
from proofreel.judges._open_exact_words import plain_words, same_words
from proofreel.judges._open_prompt import read_verdict
from proofreel.judges.open_canaries import CANARIES, try_canaries
from proofreel.judges.open_model import OpenVerdict, judge_open_answer, open_verdict
from proofreel.models import resolve_model
from proofreel.testing import (
    DropMidBody,
    Empty,
    Filtered,
    LengthStop,
    MalformedJson,
    OpenAIServer,
    Refused,
    Request,
    ServerError,
    Text,
)

QUESTION = Question.ask(
    "In which year did the railway on the plate open its first line?", "v.mp4", id="vdr_1"
)
GOLD = Gold(answer="1847", aliases=("eighteen forty-seven",))


def says(correct: Any, reason: str = "same year") -> Text:
    return Text(json.dumps({"correct": correct, "reason": reason}))


def model(server: OpenAIServer, name: str = "primary") -> Any:
    return resolve_model(f"openai-api/local/{name}", base_url=server.url, max_retries=0)


def judged(
    script: list[Any],
    value: str | None = "1847",
    *,
    second: list[Any] | None = None,
    stop: StopReason = StopReason.ANSWERED,
    gold: Gold = GOLD,
    **settings: Any,
) -> tuple[Any, OpenVerdict | None, list[Request], list[Request]]:
    trajectory = Trajectory(question_id="vdr_1", agent="a", model="m", answer=Answer(value=value, stop=stop))
    with OpenAIServer(script) as first, OpenAIServer(second or []) as other:
        verdict, record = asyncio.run(
            judge_open_answer(
                trajectory,
                QUESTION,
                gold,
                model(first),
                fallback=None if second is None else model(other, "second"),
                **{"pause": 0.01} | settings,
            )
        )
        assert first.overrun == other.overrun == 0
        return verdict, record, list(first.requests), list(other.requests)


def test_the_judge_sees_question_reference_aliases_and_answer() -> None:
    verdict, record, sent, _ = judged([says(True)], "The year was 1847.")
    shown = sent[0].json["messages"][-1]["content"]
    for part in (
        QUESTION.text,
        "1847",
        "or: eighteen forty-seven",
        "The year was 1847.",
        '{"correct": true or false',
    ):
        assert part in shown
    assert sent[0].json["temperature"] == 0
    assert verdict.outcome is Outcome.RIGHT
    assert verdict.reason == "same year (judged by openai-api/local/primary)"
    assert record is not None
    assert (record.decided_by, record.fell_back, record.prompt) == (
        "openai-api/local/primary",
        False,
        "open-1",
    )
    assert (record.exact, record.disagrees) == (False, True)
    assert record.tokens.calls == 1


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"correct": true, "reason": "x"}', (True, "x")),
        ('{"correct": false}', (False, "")),
        (
            'Thinking {"correct": false} ... so:\n```json\n{"correct": true, "reason": "a\\nb"}\n```',
            (True, "a b"),
        ),
        ('{"correct": true} {"note": 1}', None),  # the last object counts, and it has no verdict
        ('{"answer": {"correct": true}}', None),  # an inner object is not the reply
        ('{"correct": "true"}', None),
        ('{"correct": 1}', None),
        ('{"correct": null}', None),
        ("correct: true", None),
        ("", None),
        ("{" * 3000, None),
        ('{"correct": true', None),
        ('[{"correct": true}]', (True, "")),
    ],
)
def test_reading_a_reply(reply: str, found: tuple[bool, str] | None) -> None:
    assert read_verdict(reply) == found


# Kinds of answers and what a scripted judge says of them: the verdict is the judge's, the rule stands beside it.
ANSWERS = [
    ("1847", "1847", True, True),
    ("1,847", "1847", True, True),
    ("1847.", "1847", True, True),
    ("1874", "1847", False, False),
    ("4 July 1894", "July 4, 1894", True, False),
    ("2500 metres", "2.5 km", True, False),
    ("3.5", "35", False, False),
    ("-5 °C", "5 °C", False, False),
    ("The Golden Gate Bridge", "golden gate bridge", True, True),
    ("Wien", "Vienna", True, False),
    ("武汉长江大桥", "Wuhan Yangtze River Bridge", True, False),
    ("Elbe", "Elbe and Saale", False, False),
    ("Saale, Elbe", "Elbe and Saale", True, False),
    ("Elbe or Saale", "Elbe", False, False),
    ("I cannot answer this.", "Elbe", False, False),
    ("O'Neil", "ONeil", True, True),
    ("the U.S.", "US", True, True),
]


@pytest.mark.parametrize(("answer", "reference", "correct", "exact"), ANSWERS)
def test_answers_of_all_kinds(answer: str, reference: str, correct: bool, exact: bool) -> None:
    verdict, record, _, _ = judged([says(correct)], answer, gold=Gold(answer=reference))
    assert record is not None
    assert verdict.outcome is (Outcome.RIGHT if correct else Outcome.WRONG)
    assert record.exact is exact
    assert record.disagrees is (correct is not exact)


def test_an_alias_is_equal_too() -> None:
    assert same_words("Eighteen forty-seven!", "1847", ("eighteen forty-seven",))
    assert not same_words("", "", ())
    assert plain_words("  The  Café, “No. 3.5” – a 1,894-m bridge ") == "café no 3.5 1894 m bridge"


@pytest.mark.parametrize("value", [None, "", "  \n"])
@pytest.mark.parametrize("stop", [StopReason.BUDGET, StopReason.ANSWERED, StopReason.UNPARSED])
def test_an_empty_prediction_is_wrong_without_a_call(value: str | None, stop: StopReason) -> None:
    verdict, record, sent, other = judged([], value, stop=stop, second=[])
    assert (verdict.outcome, sent, other) == (Outcome.WRONG, [], [])
    assert record is not None and record.decided_by == "rule"
    assert record.tokens.calls == 0


def test_abstaining_is_wrong_without_a_call_and_counted_apart() -> None:
    trajectory = Trajectory(
        question_id="q",
        agent="a",
        answer=Answer(value="not shown", abstained=True, stop=StopReason.ABSTAINED),
    )
    with OpenAIServer([]) as server:
        verdict, _ = asyncio.run(judge_open_answer(trajectory, QUESTION, GOLD, model(server)))
        assert server.count == 0
    assert (verdict.outcome, verdict.abstained) == (Outcome.WRONG, True)


def test_a_failing_model_has_no_verdict_carefully_and_an_empty_prediction_officially() -> None:
    verdict, record, sent, _ = judged([], None, stop=StopReason.OVERFLOW)
    assert (verdict.outcome, record, sent) == (Outcome.MODEL_FAILED, None, [])
    verdict, _, sent, _ = judged([], None, stop=StopReason.OVERFLOW, mode="official")
    assert (verdict.outcome, sent) == (Outcome.WRONG, [])
    for mode in ("careful", "official"):
        verdict, _, _, _ = judged([], None, stop=StopReason.HARNESS_ERROR, mode=mode)
        assert verdict.outcome is Outcome.HARNESS_FAILED


TROUBLES = [
    ServerError(500),
    ServerError(503),
    Empty(),
    Filtered(),
    MalformedJson(),
    DropMidBody(),
    LengthStop(),
]
BAD_REPLIES = [Text("I think it is right."), Text('{"correct": "yes"}'), Text('{"correct": tru')]


@pytest.mark.parametrize("trouble", [*TROUBLES, *BAD_REPLIES], ids=lambda t: type(t).__name__)
def test_trouble_that_passes_is_retried_and_the_fallback_stays_unasked(trouble: Any) -> None:
    verdict, record, sent, other = judged([trouble] * 5 + [says(True)], second=[])
    assert verdict.outcome is Outcome.RIGHT
    assert record is not None
    assert (len(sent), len(other), record.fell_back, len(record.failures)) == (6, 0, False, 5)


@pytest.mark.parametrize(
    "trouble", [ServerError(500), Empty(), Text("no verdict")], ids=lambda t: type(t).__name__
)
def test_trouble_that_stays_hands_over_to_the_fallback(trouble: Any) -> None:
    verdict, record, sent, other = judged([trouble] * 6, second=[says(False, "another year")])
    assert (len(sent), len(other)) == (6, 1)
    assert verdict.outcome is Outcome.WRONG
    assert record is not None
    assert (record.decided_by, record.fell_back) == ("openai-api/local/second", True)
    assert "the fallback" in verdict.reason
    assert len(record.failures) == 6 and all("primary" in f for f in record.failures)
    assert other[0].json["messages"][-1]["content"] == sent[0].json["messages"][-1]["content"]


def test_a_verdict_against_the_model_is_not_a_reason_for_a_second_opinion() -> None:
    verdict, _, sent, other = judged([says(False)], second=[])
    assert (verdict.outcome, len(sent), other) == (Outcome.WRONG, 1, [])


def test_a_refused_request_is_not_repeated() -> None:
    verdict, record, sent, other = judged([Refused("content policy")], second=[says(True)])
    assert (len(sent), len(other), verdict.outcome) == (1, 1, Outcome.RIGHT)
    assert record is not None and record.fell_back


def test_a_wrong_key_is_a_mistake_to_mend_and_no_case_for_the_fallback() -> None:
    verdict, record, sent, other = judged([Refused("invalid key", 401)], second=[])
    assert (len(sent), other, verdict.outcome) == (1, [], Outcome.JUDGE_FAILED)
    assert record is not None and record.correct is None


def test_nobody_decides() -> None:
    verdict, record, sent, other = judged([Empty()] * 3, second=[ServerError(500)] * 3, retries=2)
    assert (len(sent), len(other)) == (3, 3)
    assert verdict.outcome is Outcome.JUDGE_FAILED
    assert record is not None
    assert (record.correct, record.decided_by, record.disagrees) == (None, None, False)
    assert record.failure is not None and "second" in record.failure
    official = open_verdict(Trajectory(question_id="q", agent="a"), record, "official")
    assert official.outcome is Outcome.WRONG
    assert official.reason.startswith("unjudged, counted incorrect")


def test_without_a_judge_the_exact_rule_decides_and_says_so() -> None:
    for value, outcome in (("1847", Outcome.RIGHT), ("in 1847", Outcome.WRONG)):
        trajectory = Trajectory(question_id="q", agent="a", answer=Answer(value=value))
        verdict, record = asyncio.run(judge_open_answer(trajectory, QUESTION, GOLD, None))
        assert (verdict.outcome, record) == (outcome, None)
        assert "no judge was given" in verdict.reason


def test_a_long_answer_is_shown_at_its_ends() -> None:
    _, _, sent, _ = judged([says(False)], "START " + "x " * 9000 + "END OF IT")
    shown = sent[0].json["messages"][-1]["content"]
    assert "START" in shown and "END OF IT" in shown and len(shown) < 7000


def by_key(wrong: set[str]) -> Any:
    """A judge that knows the canaries and errs on some."""

    def reply(request: Request) -> Text:
        shown = request.json["messages"][-1]["content"]
        for text, reference, _, prediction, correct in CANARIES:
            if text in shown and f"BEGINS\n{prediction}\n" in shown and f"\n{reference}\n" in shown:
                return says(correct is not (prediction in wrong))
        raise AssertionError(shown)

    return reply


def test_canaries() -> None:
    for wrong, fit in ((set(), True), ({"25 km"}, True), ({"25 km", "Wien"}, False)):
        with OpenAIServer(by_key(wrong)) as server:
            report = asyncio.run(try_canaries(model(server), pause=0.01))
            assert server.count == report.asked == len(CANARIES) == 11
        assert (len(report.missed), report.fit) == (len(wrong), fit)
        assert report.tokens.calls == 11
        for text in wrong:
            assert any(repr(text) in line for line in report.missed)
    assert {c for *_, c in CANARIES} == {True, False}


def test_a_judge_that_says_yes_to_everything_is_not_fit() -> None:
    with OpenAIServer(lambda request: says(True)) as server:
        assert not asyncio.run(try_canaries(model(server), pause=0.01)).fit
