import pytest

from proofreel.core import Answer, Evidence, Gold, Outcome, Provenance, StopReason, Trajectory, Window
from proofreel.judges import judge_choice, window_score


def ended(**answer: object) -> Trajectory:
    return Trajectory(question_id="1", agent="a", answer=Answer.model_validate(answer))


GOLD = Gold(answer="C", windows=(Window(start=10, end=20),))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"letter": "C"}, Outcome.RIGHT),
        ({"letter": "D"}, Outcome.WRONG),
        ({"letter": "C", "stop": "forced"}, Outcome.RIGHT),
        ({"value": "I think so", "stop": "unparsed"}, Outcome.UNPARSED),
        ({"abstained": True, "stop": "abstained"}, Outcome.WRONG),
        ({"letter": "C", "stop": "truncated"}, Outcome.MODEL_FAILED),
        ({"letter": "C", "stop": "overflow"}, Outcome.MODEL_FAILED),
        ({"stop": "filtered"}, Outcome.MODEL_FAILED),
        ({"stop": "empty"}, Outcome.MODEL_FAILED),
        ({"stop": "model_error", "reason": "server gone"}, Outcome.MODEL_FAILED),
        ({"stop": "harness_error"}, Outcome.HARNESS_FAILED),
        ({"stop": "budget"}, Outcome.UNPARSED),
    ],
)
def test_every_ending_has_one_outcome(answer: dict[str, object], outcome: Outcome) -> None:
    assert judge_choice(ended(**answer), GOLD).outcome is outcome


def test_every_stop_reason_is_judged() -> None:
    for stop in StopReason:
        assert judge_choice(ended(stop=stop), GOLD).outcome is not Outcome.RIGHT


def test_abstention_is_counted_apart() -> None:
    assert judge_choice(ended(abstained=True), GOLD).abstained


def test_windows_by_hand() -> None:
    proof = Evidence(window=Window(start=15, end=25), provenance=Provenance(claimed_by="a"))
    # 5 s shared of 15 s covered.
    assert window_score(ended(letter="C", evidence=(proof,)), GOLD) == pytest.approx(1 / 3)
    assert window_score(ended(letter="C"), GOLD) == 0.0
    assert window_score(ended(letter="C"), Gold(answer="C")) is None
