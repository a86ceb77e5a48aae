"""Numbers of runs made by hand: six questions on three videos, counted on paper."""

from pathlib import Path

import pytest
from tests.runs.made import make_data, make_run, result, settings

from proofreel.core import Observation, Step, StopReason, TokenUse, ToolCall
from proofreel.runs import RunFolder
from proofreel.runs.numbers import numbers_of, run_numbers
from proofreel.runs.numbers_load import ScoredRun, load_run
from proofreel.runs.numbers_usage import spread
from proofreel.stats import wilson


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data")


def test_every_ending_is_counted_and_only_the_models_own_make_the_accuracy(
    tmp_path: Path, data: Path
) -> None:
    endings = {"1": "right", "2": "wrong", "3": "abstained", "4": "judge_failed", "5": "unparsed"}
    make_run(tmp_path / "run", data, endings)
    n = numbers_of(str(tmp_path / "run"))
    c = n.counts
    assert (c.right, c.wrong, c.unparsed, c.judge_failed, c.not_run, c.abstained) == (1, 1, 1, 1, 1, 1)
    assert c.total == 6
    # 1 right of right + wrong + abstained + unparsed; the judge's failure and the item not run are out.
    assert (n.accuracy.right, n.accuracy.asked, n.accuracy.rate) == (1, 4, 0.25)
    assert n.of_verdicts == pytest.approx(1 / 3)
    # Three of six have no verdict: between 1/6 and 4/6.
    assert n.bounds is not None
    assert (n.bounds.without_verdict, n.bounds.low, n.bounds.high) == (
        3,
        pytest.approx(1 / 6),
        pytest.approx(4 / 6),
    )
    assert n.chance == 0.25


@pytest.mark.parametrize(
    "failure", ["model_failed", "harness_failed", "judge_failed", "excluded", "unparsed"]
)
def test_what_a_failure_does_to_the_accuracy(tmp_path: Path, data: Path, failure: str) -> None:
    make_run(tmp_path / "run", data, {**dict.fromkeys("12345", "right"), "6": failure})
    n = numbers_of(str(tmp_path / "run"))
    assert n.accuracy.rate == pytest.approx(5 / 6 if failure in ("model_failed", "unparsed") else 1.0)
    assert n.bounds is not None
    assert n.bounds.items == (5 if failure == "excluded" else 6)
    assert n.bounds.low == pytest.approx(1.0 if failure == "excluded" else 5 / 6)


def test_the_headline_is_wilson_on_the_effective_size(tmp_path: Path) -> None:
    data = make_data(tmp_path / "d", videos=6, each=1)  # one question a video: plain Wilson
    make_run(tmp_path / "run", data, {str(i): "right" if i < 5 else "wrong" for i in range(1, 7)})
    n = numbers_of(str(tmp_path / "run"))
    plain = wilson(4, 6)
    assert n.accuracy.interval is not None
    assert (n.accuracy.interval.low, n.accuracy.interval.high) == pytest.approx((plain.low, plain.high))
    assert n.accuracy.by_question is not None
    assert n.accuracy.by_question.low < 4 / 6 < n.accuracy.by_question.high


def test_questions_on_one_video_are_not_independent(tmp_path: Path) -> None:
    data = make_data(tmp_path / "d", videos=6, each=2)  # both questions of a video end the same way
    make_run(tmp_path / "run", data, {str(i): "right" if i <= 6 else "wrong" for i in range(1, 13)})
    a = numbers_of(str(tmp_path / "run")).accuracy
    assert a.videos == 6
    assert a.effective is not None
    assert a.effective < 8  # twelve answers, six of them repetitions
    plain = wilson(6, 12)
    assert a.interval is not None
    assert a.interval.high - a.interval.low > (plain.high - plain.low) * 1.2
    assert a.by_question is not None
    assert a.by_video is None, "six videos are too few to resample"


def test_a_bootstrap_over_videos_needs_twenty_of_them(tmp_path: Path) -> None:
    data = make_data(tmp_path / "d", videos=20, each=2)
    ends = {str(i): "right" if i <= 20 else "wrong" for i in range(1, 41)}
    make_run(tmp_path / "run", data, ends)
    a = numbers_of(str(tmp_path / "run")).accuracy
    assert a.by_video is not None
    assert a.by_question is not None
    assert a.by_video.high - a.by_video.low > a.by_question.high - a.by_question.low
    make_run(tmp_path / "fewer", data, {k: v for k, v in ends.items() if int(k) > 2})
    assert numbers_of(str(tmp_path / "fewer")).accuracy.by_video is None


def test_nothing_run_gives_no_number(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {})
    n = numbers_of(str(tmp_path / "run"))
    assert n.accuracy.rate is None
    assert n.accuracy.reason == "nothing was asked"
    assert n.usage.tokens is None
    assert n.usage.efficiency is None
    assert (n.bounds.low, n.bounds.high) == (0.0, 1.0)  # type: ignore[union-attr]


def test_slices_by_every_key_with_groups(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {"1": "right", "2": "wrong", "3": "right", "4": "wrong", "5": "wrong"})
    rows = {(r.key, r.value): r for r in numbers_of(str(tmp_path / "run")).slices}
    hard, easy = rows["difficulty", "hard"], rows["difficulty", "easy"]
    assert (hard.counts.right, hard.counts.total, hard.rate) == (2, 3, pytest.approx(2 / 3))
    assert (easy.counts.right, easy.counts.not_run, easy.rate) == (0, 1, 0.0)
    assert rows["skills", "event_ordering"].counts.total == 6  # in every label of a question
    assert rows["skills", "simple_counting"].counts.total == 3
    assert rows["video.genre", "a"].videos == 2
    # Names and keys with one value only are no slices.
    assert {k for k, _ in rows} == {"difficulty", "skills", "video.genre"}


def test_duration_bins(data: Path) -> None:
    run = ScoredRun(
        "x", settings(data), {}, load_items(data), durations={"1": 179.9, "2": 180, "3": 599, "4": 600}
    )
    rows = {r.value: r.counts.total for r in run_numbers(run).slices if r.key == "duration"}
    assert rows == {"short (under 3 min)": 1, "medium (3 to 10 min)": 2, "long (over 10 min)": 1}


def test_lengths_come_from_the_data_folder_when_the_files_tell_none(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", duration="~4:10")  # its videos are no media
    make_run(tmp_path / "run", data, {"1": "right"})
    assert set(load_run(tmp_path / "run").durations.values()) == {250.0}


def load_items(data: Path) -> dict:
    from proofreel.benchmarks import get_benchmark

    return {i.question.id: i for i in get_benchmark("agentvidbench").load(data).items}


def test_tokens_money_and_efficiency(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {str(i): "right" if i <= 3 else "wrong" for i in range(1, 7)})
    use = numbers_of(str(tmp_path / "run")).usage
    assert (use.tokens.mean, use.million_tokens) == (1000, pytest.approx(0.006))  # type: ignore[union-attr]
    assert use.efficiency == pytest.approx(0.5 / 0.006)
    assert use.paid == pytest.approx(0.06)
    assert use.cost_per_question == pytest.approx(0.01)


def test_tokens_of_a_pass_are_for_all_questions_though_some_were_not_run(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {"1": "right", "2": "wrong"})
    use = numbers_of(str(tmp_path / "run")).usage
    assert use.million_tokens == pytest.approx(6 * 1000 / 1e6)
    assert use.efficiency == pytest.approx(0.5 / 0.006)


def test_one_unknown_price_makes_the_money_unknown(tmp_path: Path, data: Path) -> None:
    run = RunFolder.create(tmp_path / "run", settings(data))
    with run.writing():
        run.add(result("1", "right"))
        run.add(result("2", "right", tokens=TokenUse(prompt=5, completion=5, calls=1, cost_usd=None)))
    use = numbers_of(str(tmp_path / "run")).usage
    assert use.paid is None
    assert use.cost_per_question is None


def test_tools_frames_and_seconds(tmp_path: Path, data: Path) -> None:
    calls = tuple(ToolCall(id=str(i), name="look") for i in range(3))
    seen = (Observation(call_id="0", tool="look", ok=False, text="", failure_kind="error"),)
    steps = (Step(id=1, phase="tool_call", calls=calls), Step(id=2, phase="tool_result", observations=seen))
    run = RunFolder.create(tmp_path / "run", settings(data))
    with run.writing():
        run.add(result("1", "right", steps=steps, frames=30, seconds=2.0))
        run.add(result("2", "right", frames=10, seconds=4.0))
    use = numbers_of(str(tmp_path / "run")).usage
    (row,) = use.tools
    assert (row.tool, row.calls, row.failed, row.questions, row.per_question, row.most) == (
        "look",
        3,
        1,
        1,
        1.5,
        3,
    )
    assert (use.frames.mean, use.frames.total) == (20, 40)  # type: ignore[union-attr]
    assert use.seconds.mean == 3.0  # type: ignore[union-attr]
    assert use.calls_histogram == ((0, 1), (3, 1))


def test_epochs(tmp_path: Path, data: Path) -> None:
    first = dict(zip("123456", ["right", "right", "wrong", "wrong", "right", "right"], strict=True))
    second = dict(zip("123456", ["right", "wrong", "wrong", "right", "right", "judge_failed"], strict=True))
    endings = {(i, 1): e for i, e in first.items()} | {(i, 2): e for i, e in second.items()}
    make_run(tmp_path / "run", data, endings, epochs=2)
    n = numbers_of(str(tmp_path / "run"))
    assert n.epochs is not None
    assert n.epochs.rates == (pytest.approx(4 / 6), pytest.approx(3 / 5))
    assert n.epochs.mean == pytest.approx((4 / 6 + 3 / 5) / 2)
    e = n.epochs
    assert (e.complete, e.always, e.sometimes, e.never) == (5, 2, 2, 1)
    assert e.same == pytest.approx(3 / 5)
    assert (n.accuracy.right, n.accuracy.asked) == (7, 11)


def test_the_official_summary_drops_failed_inferences_and_the_careful_one_does_not(
    tmp_path: Path, data: Path
) -> None:
    run = RunFolder.create(tmp_path / "run", settings(data))
    broken = result("3", "model_failed")
    answer = broken.trajectory.answer.model_copy(update={"stop": StopReason.MODEL_ERROR})
    broken = broken.model_copy(update={"trajectory": broken.trajectory.model_copy(update={"answer": answer})})
    with run.writing():
        for one in (result("1", "right"), result("2", "wrong"), broken):
            run.add(one)
    official, careful = numbers_of(str(tmp_path / "run")).official
    assert (official.n, official.n_correct, official.accuracy) == (2, 1, 0.5)
    assert (careful.n, careful.n_correct, careful.accuracy) == (6, 1, 0.167)


def test_data_that_are_gone_are_said_not_guessed(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {"1": "right", "2": "wrong"})
    (data / "questions.jsonl").unlink()
    n = numbers_of(str(tmp_path / "run"))
    assert n.accuracy.rate == 0.5
    assert n.slices == ()
    assert n.chance is None
    assert "cannot be loaded" in n.notes[0]


def test_changed_questions_are_said(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {"1": "right"})
    text = (data / "questions.jsonl").read_text()
    (data / "questions.jsonl").write_text(text.replace("Question 1?", "Question one?"))
    assert "have changed" in numbers_of(str(tmp_path / "run")).notes[0]


def test_a_later_scoring_takes_the_place_of_the_first(tmp_path: Path, data: Path) -> None:
    from proofreel.judges import Verdict

    make_run(tmp_path / "run", data, {"1": "unparsed", "2": "wrong"})
    run = load_run(tmp_path / "run").replace_verdicts(
        {("1", 1): Verdict(outcome="right", letter="B")}, "votes"
    )
    n = run_numbers(run)
    assert (n.counts.right, n.counts.unparsed, n.scored_by) == (1, 0, "votes")


def test_spread() -> None:
    assert spread([]) is None
    s = spread([1, 2, 3, 4, 5, 6, 7, 8, 9, 100])
    assert s is not None
    assert (s.mean, s.median, s.p90, s.most) == (14.5, 5.5, 9, 100)


def test_two_snapshots_in_one_run_are_said(tmp_path: Path, data: Path) -> None:
    from proofreel.runs.journal import CallLine

    run = make_run(tmp_path / "run", data, {"1": "right"})
    for served in ("m-2026-01", "m-2026-02", "m-2026-02"):
        base = {"item_id": "1", "epoch": 1, "attempt": 1, "call_id": "c", "model": "m", "role": "main"}
        run.journal.add(CallLine(**base, tokens=TokenUse(calls=1), seconds=0, elapsed=0, served=served))
    n = numbers_of(str(tmp_path / "run"))
    assert n.served == {"main": ["m-2026-01", "m-2026-02"]}
    assert any("several models answered as main" in note for note in n.notes)
