"""The figures of the paper from a table counted by hand, and every table's own arithmetic."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.vzb_table import judged, make_table, predictions
from proofreel.benchmarks import RunView, ScoredItem, get_benchmark
from proofreel.benchmarks.videozerobench.aggregate import metrics, renormalised, score_question
from proofreel.benchmarks.videozerobench.loader import load_rows
from proofreel.benchmarks.videozerobench.marks import labels
from proofreel.benchmarks.videozerobench.tables import tables
from proofreel.core import Answer, Box, Evidence, Item, Outcome, Provenance, Table, TimedBox, Window
from proofreel.judges import Verdict
from proofreel.video import ClipRef, FramesRef, LedgerEntry, ShownFrame, Uniform


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_table(tmp_path_factory.mktemp("vzb") / "data")


@pytest.fixture(scope="module")
def items(root: Path) -> list[Item]:
    return list(get_benchmark("videozerobench").load(root).items)


@pytest.fixture(scope="module")
def view(items: list[Item]) -> RunView:
    return judged(items)


@pytest.fixture(scope="module")
def found(view: RunView) -> dict[str, Table]:
    return {t.id: t for t in tables([view])}


def test_the_published_figures_from_rows_as_the_table_writes_them(root: Path) -> None:
    scores = [score_question(r.scored(predictions(n)), None) for n, r in enumerate(load_rows(root))]
    told = metrics(scores)
    assert told["Total_questions"] == 500
    assert told["Level-3_acc"] == pytest.approx(24.8)  # 124 of 500
    assert told["Level-4_score"] == pytest.approx(14.2)  # 71 of 500
    assert told["Level-5_score"] == pytest.approx(1.8)  # 9 of 500
    assert told["Level-4_mean_tIoU"] == pytest.approx(100 * (71 + 48 * 0.3) / 442)
    assert told["Level-5_mean_vIoU"] == pytest.approx(100 * 9 / 372)
    both = renormalised(scores)
    four, five = both["Level-4"], both["Level-5"]
    assert (four.count, four.of, five.count, five.of) == (71, 442, 9, 320)
    assert four.percent is not None and round(four.percent, 1) == 16.1
    assert five.percent is not None and round(five.percent, 1) == 2.8
    assert four.bound == pytest.approx(88.4) and five.bound == pytest.approx(64.0)


def test_the_main_table_says_the_same(found: dict[str, Table], view: RunView) -> None:
    main = found["vzb_t2_main"]
    row = dict(zip([c.name for c in main.columns], main.rows[0], strict=True))
    assert row["questions"] == 500 and row["missing"] == 0 and row["failed"] == 0
    assert [row[n] for n in ("L1 Acc", "L2 Acc", "L3 Acc", "L4 Acc", "L5 Acc")] == pytest.approx(
        [24.8, 24.8, 24.8, 14.2, 1.8]
    )
    assert row["L4 tIoU"] == pytest.approx(100 * 85.4 / 442) and row["L5 vIoU"] == pytest.approx(
        100 * 9 / 372
    )
    human = main.rows[1]
    assert (human[0], human[2], human[8]) == ("human (50 questions)", "published", 67.6)
    outcomes = [s.verdict.outcome for s in view.scored if s.verdict]
    assert outcomes.count(Outcome.RIGHT) == 124 and outcomes.count(Outcome.WRONG) == 376


def test_renormalised_levels_and_their_bounds(found: dict[str, Table]) -> None:
    rows = {r[1]: r[2:] for r in found["vzb_t2_renormalised"].rows}
    assert rows["L4 Acc"] == pytest.approx((71, 442, 100 * 71 / 442, 14.2, 88.4))
    assert rows["L5 Acc"] == pytest.approx((9, 320, 100 * 9 / 320, 1.8, 64.0))


def test_coverage_is_the_published_one(found: dict[str, Table]) -> None:
    counts = [r for r in found["vzb_t6_coverage"].rows if r[1] is not None]
    assert [r[0] for r in counts] == [
        *("questions", "windows", "boxes", "both", "windows only", "boxes only", "neither", "task instances")
    ]
    assert all(r[1] == r[2] for r in counts)
    assert [r[3] for r in found["vzb_t6_coverage"].rows[-2:]] == pytest.approx([88.4, 64.0])


def test_thresholds_are_strict(found: dict[str, Table]) -> None:
    curve = {r[1]: (r[2], r[3]) for r in found["vzb_t8_curves"].rows}
    assert curve[0.25] == pytest.approx((23.8, 1.8))  # 71 + 48 of 500
    assert curve[0.3] == pytest.approx((14.2, 1.8))
    assert curve[0.95] == pytest.approx((14.2, 1.8))
    grid = found["vzb_t8_grid_1"]
    assert [r[0] for r in grid.rows] == ["0.1", "0.2", "0.3", "0.4", "0.5"]
    assert all(v == pytest.approx(1.8) for r in grid.rows for v in r[1:])


def test_guesses_without_looking_stand_beside(found: dict[str, Table]) -> None:
    rows = {r[1]: r[2:] for r in found["vzb_baselines"].rows}
    # 10 of 100 s; the middle third does not meet 0-10 s.
    assert rows["whole video"][:3] == pytest.approx((10.0, 0.0, 0.0))
    assert rows["middle third"][:3] == pytest.approx((0.0, 0.0, 0.0))
    assert rows["whole frame"][3] == pytest.approx(25.0)  # a quarter of the picture
    # The centre box and the upper left quarter share 1/16, and cover 1/4 each.
    assert rows["centre box"][3] == pytest.approx(100 * (1 / 16) / (1 / 2 - 1 / 16))
    assert rows["the run itself"][2] == pytest.approx(14.2)


def test_intervals_take_videos_as_clusters(found: dict[str, Table]) -> None:
    rows = {r[1]: r[2:] for r in found["vzb_t2_intervals"].rows}
    assert set(rows) == {"L1 Acc", "L2 Acc", "L3 Acc", "L4 tIoU", "L4 Acc", "L5 vIoU", "L5 Acc"}
    for value, low, high, _n, videos in rows.values():
        assert 0 <= low < value < high <= 100 and videos == 138
    assert [rows[k][3] for k in ("L3 Acc", "L4 tIoU", "L5 vIoU")] == [500, 442, 372]


def test_slices_count_every_question_once(found: dict[str, Table]) -> None:
    # Right ones stand at 0-76, at 320-361 and at 442-446.
    assert found["vzb_languages"].rows == (
        ("cn", 280, pytest.approx(100 * 77 / 280)),
        ("en", 220, pytest.approx(100 * 47 / 220)),
    )
    assert found["vzb_fig7_lengths"].rows == (("short", 500, pytest.approx(24.8)),)
    whole = {r[2]: r[3:] for r in found["vzb_slices"].rows}
    assert set(whole) == {"cn", "en", "short"}
    for value, low, high, _n in whole.values():
        assert 0 < low < value < high < 100
    assert dict(found["vzb_fig2_lengths"].rows)["60-120 s"] == 138  # type: ignore[call-overload]
    assert found["vzb_fig3_abilities"].rows == () and found["vzb_fig3_abilities"].missing


def test_a_question_of_several_abilities_counts_in_each(items: list[Item]) -> None:
    few = [
        i.model_copy(update={"metadata": i.metadata | {"abilities": names, "category": "Sports"}})
        for i, names in zip(
            items[75:79], (["counting", "OCR"], ["OCR"], ["counting"], ["counting"]), strict=True
        )
    ]
    view = judged(items)
    kept = replace(
        view, scored=tuple(replace(s, item=i) for s, i in zip(view.scored[75:79], few, strict=True))
    )
    found = {t.id: t for t in tables([kept])}
    # 75 and 76 are right.
    assert found["vzb_fig3_abilities"].rows == (("counting", 3, pytest.approx(100 / 3)), ("OCR", 2, 100.0))
    assert found["vzb_fig2_abilities"].rows[0] == ("Detailed Perception", "counting", 3)
    row = dict(
        zip(
            [c.name for c in found["vzb_t11_abilities"].columns],
            found["vzb_t11_abilities"].rows[0],
            strict=True,
        )
    )
    assert (
        row["overall"] == 50 and row["counting"] == pytest.approx(100 / 3) and row["audio perception"] is None
    )


# --- what is missing -----------------------------------------------------------------------------------------


def test_what_was_not_run_or_spoilt_by_the_harness_is_left_out_and_told(view: RunView) -> None:
    spoilt = Verdict(outcome=Outcome.HARNESS_FAILED, reason="no disk")
    scored = list(view.scored)
    scored[0] = ScoredItem(scored[0].item, 1)
    scored[1] = replace(scored[1], verdict=spoilt)
    main = next(t for t in tables([replace(view, scored=tuple(scored))]) if t.id == "vzb_t2_main")
    row = dict(zip([c.name for c in main.columns], main.rows[0], strict=True))
    assert (row["questions"], row["missing"]) == (498, 2)
    assert row["L3 Acc"] == pytest.approx(100 * 122 / 498)


def test_without_runs_every_table_says_what_would_fill_it() -> None:
    for table in tables([]):
        assert table.rows == () and table.missing


# --- repeats, joint, modes -----------------------------------------------------------------------------------


def _with(scored: ScoredItem, epoch: int, right: bool) -> ScoredItem:
    careful = {**scored.details["scores"]["careful"], "acc3": float(right)}
    return replace(
        scored, epoch=epoch, details={**scored.details, "scores": {"careful": careful, "official": careful}}
    )


def test_repeats_give_mean_and_sample_deviation(view: RunView) -> None:
    four = view.scored[:4]
    hits = {1: (1, 1, 0, 0), 2: (1, 0, 0, 0), 3: (1, 1, 1, 0)}
    scored = [_with(s, e, bool(h)) for e, row in hits.items() for s, h in zip(four, row, strict=True)]
    repeated = replace(view, scored=tuple(scored), epochs=3)
    table = next(t for t in tables([repeated]) if t.id == "vzb_t13_repeats")
    row = next(r for r in table.rows if r[1] == "L3 Acc")
    # 50, 25 and 75 percent: mean 50, sample standard deviation 25.
    assert row[2:] == pytest.approx((3, 50.0, 25.0, 25.0, 75.0))


def test_single_runs_of_equal_settings_are_passes_too(view: RunView) -> None:
    parts = [
        replace(view, path=f"r{n}", scored=(_with(view.scored[0], 1, bool(h)),)) for n, h in enumerate((1, 0))
    ]
    other = replace(parts[0], path="other", options={"preset": "96x256"})
    table = next(t for t in tables([*parts, other]) if t.id == "vzb_t13_repeats")
    row = next(r for r in table.rows if r[1] == "L3 Acc")
    assert row[0] == "levels made/model, 2 runs" and row[3] == 50
    assert row[4] == pytest.approx(70.710678, abs=1e-6)  # of 100 and 0 with n - 1


def test_separate_and_joint_are_compared_on_common_questions(view: RunView) -> None:
    separate = replace(view, scored=tuple(_with(s, 1, True) for s in view.scored[:4]), path="a")
    one = [replace(s, details={**s.details, "form": "joint"}) for s in view.scored[2:6]]
    joint = replace(view, scored=tuple(_with(s, 1, False) for s in one), path="b", options={"ask": "joint"})
    table = next(t for t in tables([separate, joint]) if t.id == "vzb_t12_joint")
    assert [(r[1], r[3], r[4]) for r in table.rows] == [("separate", 2, 100.0), ("joint", 2, 0.0)]
    assert next(t for t in tables([separate]) if t.id == "vzb_t12_joint").missing


def test_both_modes_stand_side_by_side(items: list[Item]) -> None:
    found = {t.id: t for t in tables([judged(items[:20], "official", lose_box_mode=True)])}
    rows = {r[1]: r[2:] for r in found["vzb_modes"].rows}
    # 9 of 20 right on all levels; the lost coordinate mode takes every box.
    assert rows["careful"][5:] == pytest.approx((45.0, 45.0)) and rows["official"][5:] == (0.0, 0.0)
    assert found["vzb_t2_main"].rows[0][4] == "official"


# --- was it ever on screen -----------------------------------------------------------------------------------


def _entry(*times: float, crop: tuple[float, float, float, float] | None = None) -> LedgerEntry:
    ref = FramesRef(video="v", sha256="0" * 64, plan=Uniform(1).to_dict(), crop=crop)
    frames = tuple(ShownFrame(time=t, index=0, sha256="0") for t in times)
    return LedgerEntry(call_id="c", model="m", role="main", ref_id="r", ref=ref, frames=frames)


def _clip(start: float, end: float) -> LedgerEntry:
    ref = ClipRef(video="v", sha256="0" * 64, start=start, end=end)
    return LedgerEntry(
        call_id="c", model="m", role="main", ref_id="r", ref=ref, clip_bytes=1, clip_sha256="0"
    )


def _audit(view: RunView, shown: tuple[LedgerEntry, ...], *evidence: dict[str, Any]) -> tuple[Table, Table]:
    pieces = tuple(Evidence(provenance=Provenance(claimed_by="m"), **e) for e in evidence)
    first = view.scored[0]
    assert first.trajectory is not None
    done = first.trajectory.model_copy(update={"answer": Answer(value="4", evidence=pieces)})
    one = replace(view, scored=(replace(first, trajectory=done),), shown=lambda item, epoch: shown)
    found = {t.id: t for t in tables([one])}
    return found["vzb_audit"], found["vzb_audit_unseen"]


def test_cited_evidence_that_was_never_shown_is_found(view: RunView) -> None:
    def box(time: float) -> dict[str, Any]:
        return {"boxes": (TimedBox(time=time, box=Box(x0=0.6, y0=0.6, x1=0.8, y1=0.8)),)}

    windows = [{"window": Window(start=a, end=b)} for a, b in ((2, 4), (4.5, 5.5), (20, 30))]
    shown = (_entry(1.0, 4.0), _clip(24, 26), _entry(9.0, crop=(0.0, 0.0, 0.5, 0.5)))
    counts, unseen = _audit(view, shown, *windows, box(4.4), box(5.0), box(9.0), box(25.0))
    rows = {r[1]: r[2:] for r in counts.rows}
    # The window 2-4 holds the frame at 4, 20-30 holds a clip; 4.5-5.5 holds nothing.
    assert rows["windows"] == (3, 1, 1, 1, pytest.approx(100 / 3))
    # The box at 4.4 has a frame 0.4 s away; at 5 none is near; at 9 it lay outside the crop; at 25 in a clip.
    assert rows["boxes"] == (4, 1, 1, 2, 50.0)
    assert [(r[3], r[4], r[6]) for r in unseen.rows] == [
        ("window", 4.5, 4.0),
        ("box", 5.0, 4.0),
        ("box", 9.0, 9.0),
    ]


# --- names ---------------------------------------------------------------------------------------------------


def test_runs_have_short_names_that_differ(view: RunView) -> None:
    def run(model: str | None, agent: str = "levels", path: str = "p", **options: Any) -> RunView:
        return replace(view, model=model, agent=agent, path=path, options=options)

    views = [run("a/x"), run("b/x"), run("a/y"), run("a/y", preset="96x256"), run("a/y", "video_react")]
    assert labels(views) == ["a/x", "b/x", "y", "y preset=96x256", "video_react y"]
    assert labels([run("a/y", path="one"), run("a/y", path="two")]) == ["y (one)", "y (two)"]
    assert labels([run(None, "retrieval")]) == ["retrieval"]


def test_the_set_and_its_grounding_in_one_row_each() -> None:
    from proofreel.benchmarks.hooks import RunView, ScoredItem
    from proofreel.benchmarks.videozerobench.tables_set import set_tables
    from proofreel.core import Box, Gold, Item, Question, TimedBox, Window

    def item(name: str, video: str, gold: Gold, language: str) -> Item:
        asked = Question.ask("what?", video, id=name, duration=100.0)
        return Item(question=asked, gold=gold, metadata={"language": language})

    half = Box(x0=0.0, y0=0.0, x1=0.5, y1=1.0)
    left = Box(x0=0.0, y0=0.0, x1=0.25, y1=1.0)
    first = Gold(
        answer="a",
        windows=(Window(start=0, end=10), Window(start=5, end=15)),
        boxes=(TimedBox(time=1, box=half), TimedBox(time=1, box=left), TimedBox(time=2, box=left)),
    )
    items = (item("1", "v", first, "en"), item("2", "v", Gold(answer="b"), "cn"))
    scored = tuple(ScoredItem(item=i, epoch=1) for i in items)
    view = RunView("r", "videozerobench", "levels", "m", "careful", None, scored)
    one, grounding = (t.rows[0] for t in set_tables([view]))
    assert one == ("VideoZeroBench", 1, 2, 100.0, "cn, en", "open", 1, 1)
    # Two windows cover 15 of 100 s; the boxes cover a half and a quarter of the picture at two moments.
    assert grounding == ("VideoZeroBench", 2.0, 15.0, 15.0, 2.0, 3.0, pytest.approx(37.5))
