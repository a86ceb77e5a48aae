"""Panels counted by hand, masks, and the cut of one milestone."""

import pytest
from tests.judges.judge_world import item, trajectory

from proofreel.core import Milestone, Observation, Step, ToolCall, Trajectory
from proofreel.judges._mask import mask_text
from proofreel.judges.panel import agreement_of, consistency_of, ensemble_of, pair_of
from proofreel.judges.rubric import Judgement, MilestoneLabel
from proofreel.judges.validation._cut import cut_milestone


def said(grade: float, label: str = "covered", p4: float | None = None) -> Judgement:
    scores: dict[str, float | None] = {"P1": grade, "P2": grade, "P3": grade, "P4": p4, "P5": grade}
    known = [s for s in scores.values() if s is not None]
    labels = (MilestoneLabel(id="M1", status=label),)
    return Judgement(status="judged", scores=scores, traj=sum(known) / len(known) / 2, milestones=labels)


A = {
    ("1", 1, 1): said(2),
    ("2", 1, 1): said(1, "partial"),
    ("3", 1, 1): said(0, "missing"),
    ("4", 1, 1): said(2),
}
B = {("1", 1, 1): said(2), ("2", 1, 1): said(0, "missing"), ("3", 1, 1): said(0, "missing")}


def test_two_judges_on_what_both_judged() -> None:
    p = pair_of("a", A, "b", B)
    # Traj a 1, .5, 0; b 1, 0, 0
    assert p.n == 3
    assert p.difference == pytest.approx(0.5 / 3)
    assert p.bias == pytest.approx(-0.5 / 3)
    # r of (1, .5, 0) and (1, 0, 0): covariance .5, sums of squares .5 and 2/3
    assert p.pearson == pytest.approx(0.5 / (0.5 * 2 / 3) ** 0.5)
    # labels: covered/covered, partial/missing, missing/missing: agree 2/3; chance 1/9 + 0 + 2/9
    assert p.labels == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    # axes (4 of each): (2,2) (1,0) (0,0); quadratic: observed 1/3, expected mean of all (i-j)^2 = (0+4+4+1+1+1+4+0+0)/9
    assert p.kappa == pytest.approx(1 - (1 / 3) / (15 / 9))


def test_failed_judgements_take_no_part() -> None:
    broken = {**B, ("1", 1, 1): Judgement(status="judge_failed", reason="x")}
    assert pair_of("a", A, "b", broken).n == 2


def test_agreement_of_a_judge_with_itself_is_one() -> None:
    rows = {a.what: a for a in agreement_of({"a": A, "b": dict(A)})}
    assert rows["P1"].alpha == pytest.approx(1.0)
    assert rows["P1"].fleiss == pytest.approx(1.0)
    assert rows["milestone label"].alpha == pytest.approx(1.0)
    assert rows["P4"].alpha is None  # nobody scored it
    assert agreement_of({"a": A}) == []


def test_steadiness_over_repeats() -> None:
    judge = {
        ("1", 1, 1): said(2),
        ("1", 1, 2): said(1),
        ("2", 1, 1): said(1),
        ("2", 1, 2): said(1),
        ("3", 1, 1): said(0),
    }
    c = consistency_of("a", judge)
    assert c.trajectories == 2
    assert c.difference == pytest.approx(0.25)  # .5 and 0
    assert c.deviation == pytest.approx(0.125)
    assert (c.flipped, c.label_flips) == (0.5, 0.0)
    assert consistency_of("b", B).difference is None


def test_the_ensemble_is_over_what_every_judge_judged() -> None:
    assert ensemble_of({"a": A, "b": B}) == {("1", 1): 1.0, ("2", 1): 0.25, ("3", 1): 0.0}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("so it is three. FINAL ANSWER: C", "so it is three. FINAL ANSWER: [option hidden]"),
        ('{"answer": "C", "reasoning": "three"}', '{"answer": "[option hidden]", "reasoning": "three"}'),
        ('{\\"answer\\": \\"C\\"}', '{\\"answer\\": \\"[option hidden]\\"}'),
        ("**Answer:** (C)", "**Answer:** ([option hidden])"),
        ("I choose option C because", "I choose option [option hidden] because"),
        ("C) three bowls", "[option hidden]) three bowls"),
        ("done\nC", "done\n[option hidden]"),
        ("Vitamin C is named and a CD lies there", "Vitamin C is named and a CD lies there"),
    ],
)
def test_masks_take_committed_letters_and_nothing_else(text: str, masked: str) -> None:
    assert mask_text(text) == masked


OTTER, FALCON = item(1).gold.milestones[0], item(1).gold.milestones[1]


def test_a_cut_takes_call_result_and_mentions_of_one_milestone() -> None:
    what = trajectory(1)
    cut = cut_milestone(
        what, OTTER, "The otter stands beside the river.", item(1).question.text, [(FALCON, "")]
    )
    assert cut is not None
    assert (cut.calls, cut.observations) == (1, 1)
    left = cut.trajectory.model_dump_json()
    assert "otter" not in left
    assert left.count("falcon") == what.model_dump_json().count("falcon")
    assert [s.id for s in cut.trajectory.steps] == list(range(1, len(cut.trajectory.steps) + 1))


def test_a_result_that_holds_two_milestones_loses_its_sentences_only() -> None:
    look = ToolCall(id="c", name="look", arguments={})
    seen = Observation(
        call_id="c",
        tool="look",
        ok=True,
        text="A grey heron lands on the roof. The baker lifts three blue bowls.",
    )
    what = Trajectory(
        question_id="1",
        agent="a",
        steps=(
            Step(id=1, phase="tool_call", calls=(look,), observations=(seen,)),
            Step(id=2, phase="answer", text="Three bowls were lifted. The heron came first."),
        ),
    )
    heron = Milestone(id="M1", type="visual_recognition", description="Recognise the grey heron on the roof")
    bowls = Milestone(id="M2", type="counting", description="Count the blue bowls the baker lifts as three")
    cut = cut_milestone(what, heron, "", "What happens?", [(bowls, "")])
    assert cut is not None
    assert cut.trajectory.steps[0].observations[0].text == "The baker lifts three blue bowls."
    assert cut.trajectory.steps[0].calls
    assert "heron" not in cut.trajectory.model_dump_json()
    assert "Three bowls were lifted." in cut.trajectory.steps[1].text


def test_nothing_is_cut_where_nothing_speaks_of_it() -> None:
    ghost = Milestone(id="M1", type="counting", description="Count the violins in the orchestra pit")
    assert cut_milestone(trajectory(1), ghost, "", "Which animals come?") is None
