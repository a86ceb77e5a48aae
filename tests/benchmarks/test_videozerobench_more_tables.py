"""Tables 3, 4, 5, 7 and 10 from runs made by hand, their numbers counted by hand."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.vzb_runs import run_levels
from benchmarks.vzb_world import Seen, looker, make_data
from proofreel.benchmarks import RunView, ScoredItem
from proofreel.benchmarks.videozerobench.tables import tables
from proofreel.benchmarks.videozerobench.tables_more import more_tables
from proofreel.core import Gold, Item, Outcome, Question, Table, Trajectory, Window
from proofreel.judges import Verdict
from proofreel.testing import Reply, Request, Text

N = 8


def item(n: int, windows: bool = True, abilities: tuple[str, ...] = ("counting",)) -> Item:
    gold = Gold(answer="3", windows=(Window(start=1, end=2),) if windows else ())
    question = Question(id=str(n), text="How many?", video=f"v{n // 2}.mp4", duration=60.0)
    return Item(question=question, gold=gold, metadata={"abilities": list(abilities)})


def run(
    right: Any,
    *,
    agent: str = "levels",
    model: str = "m",
    epochs: int = 1,
    settings: dict[str, Any] | None = None,
    tiou: float | None = None,
    items: list[Item] | None = None,
    **options: Any,
) -> RunView:
    """``right`` has a value for each (epoch, item): 1, 0 or None for not run; a list of them for one epoch."""
    passes = right if epochs > 1 else [right]
    scored = []
    for number, one in enumerate(items or [item(n) for n in range(N)]):
        for epoch in range(1, epochs + 1):
            value = passes[epoch - 1][number]
            if value is None:
                scored.append(ScoredItem(one, epoch))
                continue
            values = {"acc1": value, "acc2": value, "acc3": value, "tiou": tiou, "viou": None}
            trajectory = Trajectory(question_id=one.question.id, agent=agent, settings=settings or {})
            outcome = Outcome.RIGHT if value else Outcome.WRONG
            details = {"mode": "careful", "scores": {"careful": values}, "form": "separate"}
            scored.append(ScoredItem(one, epoch, trajectory, Verdict(outcome=outcome), details))
    return RunView(
        path="p",
        benchmark="videozerobench",
        agent=agent,
        model=model,
        mode="careful",
        judge=None,
        scored=tuple(scored),
        epochs=epochs,
        options=options,
    )


def named(views: list[RunView], name: str) -> Table:
    return {t.id: t for t in more_tables(views)}[name]


def told(table: Table) -> list[dict[str, Any]]:
    names = [c.name for c in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_without_runs_every_table_names_its_command() -> None:
    found = more_tables([])
    assert [t.id for t in found] == [
        "vzb_t3_rounds",
        "vzb_t4_evidence_input",
        "vzb_t5_modality",
        "vzb_t7_scaling",
        "vzb_t10_sampling",
    ]
    for table in found:
        assert table.rows == () and table.plot is None
        assert "proofreel run videozerobench --data DIR --model MODEL --agent" in table.missing
    assert {t.id for t in found} <= {t.id for t in tables([])}  # a report has them


def test_rounds_add_what_they_add_on_common_questions() -> None:
    one = run([1, 0, 0, 0, 0, 0, 0, None], agent="videochat_r15", rounds=1, levels="1,2,3,4", tiou=0.2)
    three = run([1, 1, 1, 0, 0, 0, 0, 1], agent="videochat_r15", levels="1,2,3,4", tiou=0.4)
    first, second, gain, published = told(named([one, three], "vzb_t3_rounds"))
    assert (first["rounds"], first["questions"]) == ("1", 7)
    assert first["L3 Acc"] == pytest.approx(100 / 7) and second["L3 Acc"] == pytest.approx(300 / 7)
    assert gain["rounds"] == "3 minus 1" and gain["L3 Acc"] == pytest.approx(200 / 7)
    # level 4: right and tIoU above 0.3: none of seven with 0.2, three with 0.4
    assert gain["L4 Acc"] == pytest.approx(300 / 7) and gain["L4 tIoU"] == pytest.approx(20)
    assert (published["L1 Acc"], published["L2 Acc"], published["L3 Acc"], published["L4 Acc"]) == (
        1.4,
        1.0,
        1.8,
        None,
    )
    assert named([one], "vzb_t3_rounds").rows == ()


def test_evidence_input_counts_questions_with_windows_only() -> None:
    items = [item(n, windows=n < 6) for n in range(N)]
    full = run([1, 0, 0, 0, 0, 0, 1, 1], items=items, settings={"media": "frames"})
    near = run([1, 1, 1, 0, 0, 0, 0, 0], items=items, input="segments")
    crops = run([1, 1, 1, 1, 0, None, 0, 0], items=items, input="segments_crops")
    rows = told(named([crops, near, full], "vzb_t4_evidence_input"))
    assert [r["input"] for r in rows] == ["frames", "annotated segments", "segments and key regions"]
    assert {r["questions"] for r in rows} == {5}  # question 5 was not run everywhere, 6 and 7 have no windows
    assert [r["L3 Acc"] for r in rows] == pytest.approx([20, 60, 80])
    assert [r["missing"] for r in rows] == [0, 0, 1]
    assert named([full], "vzb_t4_evidence_input").rows == ()


def test_modality_overall_and_by_ability() -> None:
    abilities = [("small-object perception",)] * 3 + [("audio perception",)] * 3 + [("counting",)] * 2
    items = [item(n, abilities=a) for n, a in enumerate(abilities)]
    nothing = run([0] * 7 + [1], items=items, settings={"media": "none"})
    frames = run([1, 1, 0, 0, 0, 0, 1, 1], items=items, settings={"media": "frames"})
    video = run([1, 0, 0, 1, 1, 0, 1, 0], items=items, settings={"media": "video"})
    rows = told(named([video, frames, nothing], "vzb_t5_modality"))
    assert [r["input"] for r in rows[:3]] == ["nothing", "frames", "video with sound"]
    assert [r["L3 Acc"] for r in rows[:3]] == pytest.approx([12.5, 50, 50])
    assert [r["small object"] for r in rows[:3]] == pytest.approx([0, 200 / 3, 100 / 3])
    assert [r["audio"] for r in rows[:3]] == pytest.approx([0, 0, 200 / 3])
    assert rows[0]["audio questions"] == 3
    assert [(r["input"], r["L3 Acc"], r["audio"]) for r in rows[3:]] == [
        ("nothing", 6.8, None),
        ("frames", 17.0, 7.4),
        ("video with sound", 17.0, 25.9),
    ]
    assert named([frames], "vzb_t5_modality").rows == ()


def test_scaling_any_all_and_two_rounds() -> None:
    greedy = run([1, 0, 0, 0, 0, 0, 0, 0], settings={"media": "frames"})
    sampled = run(
        [[1, 1, 0, 0, 0, 0, 0, None], [1, 0, 0, 0, 0, 0, 0, 0]], epochs=2, settings={"media": "frames"}
    )
    twice = run([0] * 8, agent="localize_then_answer")
    rows = {
        (r["method"], r["run"] == "published"): r
        for r in told(named([greedy, sampled, twice], "vzb_t7_scaling"))
    }
    assert rows["one answer", False]["L3 Acc"] == 12.5
    any_, all_ = rows["any of K", False], rows["all of K", False]
    assert (any_["K"], any_["questions"], any_["undecided"], all_["undecided"]) == (2, 8, 1, 0)
    assert any_["L3 Acc"] == pytest.approx(200 / 7)  # questions 0 and 1 of the seven that are decided
    assert all_["L3 Acc"] == 12.5  # question 7 was wrong once: it is decided
    assert any_["low"] < 200 / 7 < any_["high"]
    # one of K: 1, 1/2, 0, 0, 0, 0, 0, 0 (one answer)
    assert rows["one of K, mean", False]["L3 Acc"] == pytest.approx(100 * 1.5 / 8)
    assert rows["localize, then answer", False]["L3 Acc"] == 0
    assert rows["any of K", True]["L3 Acc"] == 15.0 and rows["localize, then answer", True]["L3 Acc"] == 7.0
    assert named([greedy], "vzb_t7_scaling").rows == ()


def test_frame_caps_are_lines() -> None:
    def with_cap(cap: int, fps: float, right: int) -> RunView:
        settings = {"media": "frames", "sampling": "fps_cap", "fps": fps, "max_frames": cap, "height": 128}
        return run([1] * right + [0] * (N - right), settings=settings, fps=fps, max_frames=cap)

    views = [with_cap(384, 1.0, 2), with_cap(96, 1.0, 4), with_cap(768, 2.0, 1)]
    table = named(views, "vzb_t10_sampling")
    rows = told(table)
    assert [(r["fps"], r["cap"], r["L3 Acc"]) for r in rows] == [
        (1.0, 96, 50.0),
        (1.0, 384, 25.0),
        (2.0, 768, 12.5),
    ]
    assert [r["series"] for r in rows] == ["m, 1 fps", "m, 1 fps", "m, 2 fps"]
    assert table.plot is not None and (table.plot.x, table.plot.series) == ("cap", "series")
    fixed = run([1] * N, settings={"media": "frames", "sampling": "uniform_n", "fps": 1.0, "max_frames": 32})
    assert named([views[0], fixed], "vzb_t10_sampling").rows == ()


def test_five_sampled_answers_through_a_whole_run(tmp_path: Path) -> None:
    """Each question is answered right once in three times: any is 100, all is 0, one of K a third."""
    data = make_data(tmp_path / "data", videos=2)
    seen: Counter[str] = Counter()
    temperatures = set()
    look, lock = looker(), threading.Lock()

    def model(request: Request) -> Reply:
        temperatures.add(request.json["temperature"])
        colour, video = Seen.of(request).colour, request.raw[-60000:-30000]
        with lock:
            seen[f"{colour} {hash(video)}"] += 1
            right = seen[f"{colour} {hash(video)}"] == 2
        return look(request) if right else Text("99")

    options = {"levels": 3, "max_frames": 24}
    generate = {"max_retries": 0, "temperature": 0.7}
    view = run_levels(data, tmp_path / "run", model, epochs=3, generate=generate, options=options)
    assert temperatures == {0.7} and set(seen.values()) == {3} and len(seen) == 8
    rows = {r["method"]: r for r in told(named([view], "vzb_t7_scaling")) if r["run"] != "published"}
    assert rows["any of K"]["L3 Acc"] == 100 and rows["all of K"]["L3 Acc"] == 0
    assert rows["one of K, mean"]["L3 Acc"] == pytest.approx(100 / 3)
    assert rows["any of K"]["undecided"] == 0 and rows["any of K"]["K"] == 3
