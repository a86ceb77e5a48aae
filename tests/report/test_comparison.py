from pathlib import Path

import pytest

from proofreel.benchmarks import get_benchmark
from proofreel.core import Answer, Evidence, Outcome, Provenance, StopReason, Trajectory, Window
from proofreel.judges import judge_choice, window_score
from proofreel.report import ReportError, tally, write_comparison
from proofreel.runs import Result

ITEMS = get_benchmark("mini").load(None).items


def result(n: int, agent: str = "a", **answer: object) -> Result:
    item = ITEMS[n]
    trajectory = Trajectory(question_id=item.question.id, agent=agent, answer=Answer.model_validate(answer))
    return Result(
        item_id=item.question.id,
        agent=agent,
        trajectory=trajectory,
        verdict=judge_choice(trajectory, item.gold),
        tiou=window_score(trajectory, item.gold),
    )


def everything() -> list[Result]:
    gold = [i.gold.answer for i in ITEMS]
    proof = Evidence(window=ITEMS[0].gold.windows[0], provenance=Provenance(claimed_by="a"))
    half = Evidence(window=Window(start=26, end=31.5), provenance=Provenance(claimed_by="a"))
    return [
        result(0, letter=gold[0], evidence=(proof,)),
        result(1, letter=gold[1], evidence=(half,)),
        result(2, letter="A" if gold[2] != "A" else "B"),
        result(3, abstained=True, stop="abstained"),
        result(4, stop="unparsed"),
        result(5, stop="model_error", reason="gone"),
        result(6, stop="harness_error"),
    ]


def test_every_ending_is_counted_once_by_hand() -> None:
    (t,) = tally(everything(), ITEMS)
    assert (t.right, t.wrong, t.abstained, t.unparsed, t.failed, t.total) == (2, 1, 1, 1, 2, 7)
    assert (t.asked, t.accuracy) == (6, 2 / 6)  # the fault of the harness says nothing about the agent
    # Answer 1 cites its window exactly; answer 2 cites 26-31.5 against 17-26: they only touch; five cite nothing.
    assert t.tiou_of == 7
    assert t.tiou == pytest.approx(1 / 7)


def test_the_page_shows_them_all_and_escapes(tmp_path: Path) -> None:
    rs = [*everything(), result(0, agent="<img src=x>", letter="B")]
    page = write_comparison("Mini", ITEMS, rs, tmp_path / "x/r.html", proofs={("a", "1"): "p.html"})
    text = page.read_text(encoding="utf-8")
    assert "<img src=x>" not in text
    for word in (
        "abstained",
        "unparsed",
        "model failed",
        "harness failed",
        "not run",
        'href="p.html"',
        "2 of 6",
    ):
        assert word in text
    assert not list(tmp_path.rglob("*.tmp"))


def test_nothing_to_show_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no item has been run"):
        write_comparison("x", ITEMS, [], tmp_path / "r.html")


def test_outcomes_come_from_stops() -> None:
    assert {r.verdict.outcome for r in everything()} == {
        Outcome.RIGHT, Outcome.WRONG, Outcome.UNPARSED, Outcome.MODEL_FAILED, Outcome.HARNESS_FAILED,
    }  # fmt: skip
    assert StopReason.ABSTAINED
