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


OTTER, *OTHERS = item(1).gold.milestones


def test_a_cut_takes_call_result_and_mentions_of_one_milestone() -> None:
    what = trajectory(1)
    cut = cut_milestone(
        what, OTTER, "The otter stands beside the river.", item(1).question.text, [(m, "") for m in OTHERS]
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


KILN_SEEN = """\
**Focus Answer:** three blue bowls are lifted out before a green one.
**Observations:**
- 254 s: she starts unloading the kiln.
- 255 s: a blue bowl
- 271 s: a blue bowl
- 280 s: a green bowl
- two bowls stand on the table from before.
**Coverage:** rich"""
KILN = {
    "M1": (
        "Find the remark that the kiln is cool",
        'at 4:10 she says "Okay, I think it is cool enough now."',
    ),
    "M2": ("Locate the unloading that follows the remark", "From 4:14 she starts unloading the kiln"),
    "M3": (
        "Count the blue bowls lifted before the first green bowl as three",
        "bowls at 4:15, 4:31 are blue",
    ),
    "M4": ("Leave out bowls already on the table", "two bowls on the table from before are ignored"),
}


@pytest.mark.parametrize(
    ("which", "gone", "left"),
    [
        ("M1", ["cool enough"], ["starts unloading", "a blue bowl", "on the table"]),
        ("M2", ["starts unloading", "then unloads"], ["I think it is cool", "a blue bowl", "on the table"]),
        (
            "M3",
            ["a blue bowl", "three blue", "Three blue"],
            ["cool enough", "starts unloading", "on the table"],
        ),
        ("M4", ["on the table"], ["cool enough", "starts unloading", "a blue bowl", "Three blue"]),
    ],
)
def test_one_of_four_milestones_of_a_usual_trajectory(which: str, gone: list[str], left: list[str]) -> None:
    said = "250.2-252.9 Okay, I think it is cool enough now.\n300.0 Look at that glaze."
    calls = (
        ToolCall(id="a", name="get_transcript", arguments={}),
        ToolCall(id="b", name="analyze_video", arguments={}),
    )
    seen = (
        Observation(call_id="a", tool="get_transcript", ok=True, text=said),
        Observation(call_id="b", tool="analyze_video", ok=True, text=KILN_SEEN),
    )
    why = (
        "She says it is cool enough at 250 s. She then unloads. Three blue bowls come before the green one. "
        "Bowls that stand on the table already are ignored."
    )
    steps = (
        Step(id=1, phase="tool_call", calls=calls),
        Step(id=2, phase="tool_result", observations=seen),
        Step(id=3, phase="answer", text=why),
    )
    question = "After the potter says the kiln is cool, how many blue bowls are lifted out before the first green one?"
    every = {i: (Milestone(id=i, type="counting", description=d), e) for i, (d, e) in KILN.items()}
    cut = cut_milestone(
        Trajectory(question_id="7", agent="a", steps=steps),
        *every[which],
        question,
        [pair for i, pair in every.items() if i != which],
    )
    assert cut is not None
    text = cut.trajectory.model_dump_json()
    assert [w for w in gone if w in text] == []
    assert [w for w in left if w not in text] == []


def test_nothing_is_cut_where_nothing_speaks_of_it() -> None:
    ghost = Milestone(id="M1", type="counting", description="Count the violins in the orchestra pit")
    assert cut_milestone(trajectory(1), ghost, "", "Which animals come?") is None
