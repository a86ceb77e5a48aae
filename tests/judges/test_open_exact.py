import pytest

from proofreel.core import Answer, Gold, Outcome, StopReason, Trajectory
from proofreel.judges import judge_open
from proofreel.judges.open_exact import normal_answer


def ended(**answer: object) -> Trajectory:
    return Trajectory(question_id="1", agent="a", answer=Answer.model_validate(answer))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Red", "red."),
        ("the red door", "Red Door"),
        ("“Gate 4”", "gate 4"),
        ("1,000", "1000"),
        ("3.0", "3"),
        ("-3", "-3"),
        ("**12**", "12"),
        ("ＡＢＣ", "abc"),
        ("红色。", "红色"),
        ("100", "100.00"),
    ],
)
def test_equal_after_clean_up(one: str, other: str) -> None:
    assert normal_answer(one) == normal_answer(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3", "-3"),
        ("3 times", "3"),
        ("1,00", "100"),
        ("a", "b"),
        ("an", "a"),
        ("10", "1"),
        ("red", "red door"),
    ],
)
def test_not_equal(one: str, other: str) -> None:
    assert normal_answer(one) != normal_answer(other)


RED = Gold(answer="red", aliases=("crimson",))


@pytest.mark.parametrize(
    ("answer", "gold", "outcome"),
    [
        ({"value": "Red."}, RED, Outcome.RIGHT),
        ({"value": "crimson"}, RED, Outcome.RIGHT),
        ({"value": "blue"}, RED, Outcome.WRONG),
        ({"value": ""}, RED, Outcome.UNPARSED),
        ({"value": " . "}, RED, Outcome.UNPARSED),
        ({"stop": "unparsed"}, RED, Outcome.UNPARSED),
        ({"value": "red", "stop": "truncated"}, RED, Outcome.MODEL_FAILED),
        ({"stop": "harness_error"}, RED, Outcome.HARNESS_FAILED),
        ({"abstained": True, "stop": "abstained"}, RED, Outcome.WRONG),
        ({"abstained": True, "stop": "abstained"}, Gold(answer=None), Outcome.RIGHT),
        ({"value": "red"}, Gold(answer=None), Outcome.WRONG),
    ],
)
def test_every_ending(answer: dict[str, object], gold: Gold, outcome: Outcome) -> None:
    assert judge_open(ended(**answer), gold).outcome is outcome


@pytest.mark.parametrize("stop", list(StopReason))
def test_without_a_text_nothing_is_right(stop: StopReason) -> None:
    assert judge_open(ended(stop=stop), RED).outcome is not Outcome.RIGHT
    assert judge_open(ended(stop=stop), Gold(answer="")).outcome is not Outcome.RIGHT
