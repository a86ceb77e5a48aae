"""Five levels end to end: a model that looks at its pictures, a late one, one with swapped axes, one that fails."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.vzb_runs import ask_directly, means, read, run_levels
from benchmarks.vzb_world import MODES, Seen, looker, make_data, truths
from proofreel.benchmarks import RunView, get_benchmark
from proofreel.benchmarks.videozerobench.tables import tables
from proofreel.core import Item, Outcome
from proofreel.testing import (
    Empty,
    Filtered,
    LengthStop,
    Overflow,
    Reply,
    Request,
    ServerError,
    Text,
)

ALL_RIGHT = {"acc1": 100.0, "acc2": 100.0, "acc3": 100.0, "l4": 100.0, "l5": 100.0}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("vzb") / "data")


@pytest.fixture(scope="module")
def items(data: Path) -> list[Item]:
    return list(get_benchmark("videozerobench").load(data).items)


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, RunView]]:
    """All 40 questions on all levels, through the engine."""
    out = tmp_path_factory.mktemp("vzb") / "run"
    yield out, run_levels(data, out, looker(), options={"box_mode": "0-1000"})


def levels_of(view: RunView, number: int = 0) -> dict[str, Any]:
    return dict(view.scored[number].details["predictions"])


def test_a_model_that_looks_is_right_on_all_levels(whole: tuple[Path, RunView]) -> None:
    found = means(whole[1])
    assert {k: v for k, v in found.items() if k in ALL_RIGHT} == ALL_RIGHT
    # Windows begin and end on whole seconds, where a picture is shown: nothing is lost. Boxes lose a pixel or so.
    assert found["tiou"] == pytest.approx(100)
    assert found["viou"] is not None and found["viou"] > 85
    assert len(whole[1].scored) == 40
    assert {s.verdict.outcome for s in whole[1].scored if s.verdict} == {Outcome.RIGHT}


@pytest.mark.parametrize("mode", MODES[1:])
def test_every_way_of_writing_boxes_ends_the_same(items: list[Item], mode: str) -> None:
    view, _ = ask_directly(items, looker(), box_mode=mode)
    found = means(view)
    assert {k: v for k, v in found.items() if k in ALL_RIGHT} == ALL_RIGHT
    assert found["viou"] is not None and found["viou"] > 85
    assert {levels_of(view, n)["level-5"]["box_mode"] for n in range(40)} == {mode}


def test_a_level_that_was_not_asked_has_no_value(items: list[Item]) -> None:
    found = means(ask_directly(items[:4], looker(), levels="1,3,4,5")[0])
    assert found["acc2"] is None
    assert (found["acc1"], found["acc3"]) == (100, 100)


def test_late_windows_fail_levels_4_and_5_and_nothing_else(items: list[Item]) -> None:
    found = means(ask_directly(items[:8], looker(shift=6.0))[0])
    assert (found["acc3"], found["tiou"], found["l4"], found["l5"]) == (100, 0, 0, 0)
    assert found["viou"] is not None and found["viou"] > 85


def test_late_boxes_fail_level_5_alone(items: list[Item]) -> None:
    found = means(ask_directly(items[:8], looker(box_shift=0.01), levels="3,4,5")[0])
    assert (found["acc3"], found["l4"], found["viou"], found["l5"]) == (100, 100, 0, 0)


def test_swapped_axes_fail_level_5_alone(items: list[Item]) -> None:
    found = means(ask_directly(items[:8], looker(swap=True), levels="3,4,5")[0])
    assert (found["acc3"], found["l4"], found["l5"]) == (100, 100, 0)
    assert found["viou"] == pytest.approx(0, abs=1e-9)


def test_boxes_read_on_another_scale_fail_level_5_alone(items: list[Item]) -> None:
    def always_thousandths(request: Request) -> Reply:
        said = looker()(request)
        if "bbox_2d" not in Seen.of(request).text or not isinstance(said, Text):
            return said
        boxes = json.loads(said.text)
        for entry in boxes:
            entry["bbox_2d"] = [[1000 * v for v in quad] for quad in entry["bbox_2d"]]
        return Text(json.dumps(boxes))

    found = means(ask_directly(items[:4], always_thousandths, box_mode="0-1", levels="3,4,5")[0])
    assert (found["acc3"], found["l4"], found["viou"], found["l5"]) == (100, 100, 0, 0)


# --- what goes over the wire --------------------------------------------------------------------------------


def test_hints_stand_where_the_protocol_puts_them(items: list[Item]) -> None:
    _, server = ask_directly(items[:1], looker(), box_mode="0-1")
    texts = [Seen.of(r).text for r in server.requests]
    truth = truths(0)[0]
    window = f"From <{truth.start:.2f} seconds> to <{truth.end:.2f} seconds>"
    box = ", ".join(f"{v:.4f}" for v in truth.boxes[0])
    assert [window in t for t in texts] == [True, True, False, False, False]
    assert [box in t for t in texts] == [True, False, False, False, False]
    assert [f"<{truth.key:.2f} seconds>" in t for t in texts] == [True, False, False, False, True]
    assert all("24.000 seconds" in t for t in texts)
    answers = [r.json["messages"][0]["content"] for r in server.requests]
    assert len(set(answers)) == 1 and "understand videos" in answers[0]
    assert {r.json["temperature"] for r in server.requests} == {0}


def test_key_frames_are_in_view_on_level_5_only_and_in_their_place(items: list[Item]) -> None:
    _, server = ask_directly(items[:1], looker(), max_frames=6)
    times = [Seen.of(r).times for r in server.requests]
    key = truths(0)[0].key
    assert [key in t for t in times] == [False] * 4 + [True]
    assert [len(t) for t in times] == [6] * 5
    assert all(t == sorted(t) for t in times)
    assert "6 frames" in Seen.of(server.requests[4]).text


def test_the_run_says_how_frames_were_shown(whole: tuple[Path, RunView]) -> None:
    entry = levels_of(whole[1])["level-5"]
    # 160x96 at height 128 is 213 wide, floored to a multiple of 32.
    assert entry["resized_hw"] == [128, 192]
    assert set(entry) == {"task", "model_answer", "error", "resized_hw", "box_mode"}
    settings = whole[1].scored[0].trajectory.settings  # type: ignore[union-attr]
    assert (settings["sampling"], settings["max_frames"], settings["box_mode"]) == ("fps_cap", 384, MODES[0])


def test_the_thinking_form_is_asked_on_levels_1_to_3_and_read(items: list[Item]) -> None:
    def model(request: Request) -> Reply:
        said = looker()(request)
        assert isinstance(said, Text)
        if "<think>" not in Seen.of(request).text:
            return said
        return Text(f"<think>not <answer>9</answer>, is it?</think><answer>{said.text}</answer>")

    view, server = ask_directly(items[:1], model, thinking=True)
    assert ["<think>" in Seen.of(r).text for r in server.requests] == [True, True, True, False, False]
    assert means(view)["acc3"] == 100
    # The published scorer takes the first pair, inside the thinking, and the published run keeps the thinking.
    assert means(ask_directly(items[:1], model, thinking=True, mode="official")[0], "official")["acc3"] == 0


def test_the_closing_is_in_the_language_of_the_question(items: list[Item]) -> None:
    _, server = ask_directly(items[:2], looker(), levels=3)
    assert sorted("只回答最终答案" in Seen.of(r).text for r in server.requests) == [False, True]


def test_a_temperature_of_the_run_is_kept(items: list[Item]) -> None:
    _, own = ask_directly(items[:1], looker(), levels=3, temperature=0.7)
    _, given = ask_directly(items[:1], looker(), levels=3, route={"temperature": 0.5})
    assert [s.requests[0].json["temperature"] for s in (own, given)] == [0.7, 0.5]


# --- failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Overflow(), "overflow"),
        (Filtered(), "filtered"),
        (Empty(), "empty"),
        (ServerError(500), "bad_response"),
        (LengthStop("From <1"), "truncated"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_failed_level_is_told_and_is_no_empty_answer(items: list[Item], trouble: Reply, kind: str) -> None:
    def model(request: Request) -> Reply:
        return trouble if "From <X seconds>" in Seen.of(request).text else looker()(request)

    view, _ = ask_directly(items[:1], model)
    entry = levels_of(view)["level-4"]
    assert entry["model_answer"] is None
    assert entry["error"].startswith(f"{kind}:")
    assert view.scored[0].details["failed"].keys() == {"level-4"}
    assert view.scored[0].verdict is not None and view.scored[0].verdict.outcome is Outcome.RIGHT
    found = means(view)
    assert (found["acc3"], found["l4"], found["l5"]) == (100, 0, 0)
    failed = next(t for t in tables([view]) if t.id == "vzb_failures")
    assert [row[1:] for row in failed.rows] == [("level-4", kind, 1)]


def test_a_failed_level_3_is_a_failed_question(items: list[Item]) -> None:
    def model(request: Request) -> Reply:
        text = Seen.of(request).text
        asked = "evidence" not in text and "bbox_2d" not in text and "From <" not in text
        return Overflow() if asked else looker()(request)

    view, _ = ask_directly(items[:1], model)
    verdict = view.scored[0].verdict
    assert verdict is not None and verdict.outcome is Outcome.MODEL_FAILED
    assert levels_of(view)["level-2"]["model_answer"] == truths(0)[0].answer


def test_a_broken_file_is_no_wrong_answer(items: list[Item], tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no video at all")
    item = items[0].model_copy(
        update={"question": items[0].question.model_copy(update={"video": str(broken)})}
    )
    view, server = ask_directly([item], looker())
    verdict = view.scored[0].verdict
    assert verdict is not None and verdict.outcome is Outcome.HARNESS_FAILED
    assert server.count == 0
    assert all(e["error"].startswith("media:") for e in levels_of(view).values())
    assert read(view).missing == 1 and means(view)["acc3"] is None


def test_a_used_up_budget_stops_before_the_next_level(items: list[Item]) -> None:
    view, server = ask_directly(items[:1], looker(), budget={"turns": 3})
    assert server.count == 3
    assert levels_of(view)["level-4"]["error"] == "budget: turns used up"
    assert means(view)["acc3"] == 100 and means(view)["l4"] == 0


def test_a_call_over_the_budget_of_frames_is_not_made(items: list[Item]) -> None:
    view, server = ask_directly(items[:1], looker(), budget={"frames": 60}, levels="3,4,5")
    assert server.count == 2, "24 frames each, and 25 are too many"
    assert levels_of(view)["level-5"]["error"] == "budget: 25 frames, 12 are left"


def test_levels_without_a_reference_are_skipped_not_asked(items: list[Item]) -> None:
    bare = items[0].model_copy(
        update={
            "gold": items[0].gold.model_copy(update={"windows": (), "boxes": ()}),
            "metadata": items[0].metadata | {"evidence": {"windows": [], "boxes": []}},
        }
    )
    view, server = ask_directly([bare], looker())
    assert server.count == 3
    errors = {k: e["error"] for k, e in levels_of(view).items()}
    assert (errors["level-4"], errors["level-5"]) == ("missing evidence_windows", "missing evidence_boxes")
    found = means(view)
    assert (found["tiou"], found["viou"]) == (None, None)
    assert (found["l4"], found["l5"]) == (0, 0), "as published: no success is possible"
    assert view.scored[0].details["failed"] == {}


def test_the_plan_foresees_the_calls(data: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "proofreel",
        "plan",
        "videozerobench",
        "--data",
        str(data),
        "--agent",
        "levels",
    ]
    command += ["--model", "openai/gpt-4o", "--set", "levels=3,4,5", "--limit", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    assert {row["calls"] for row in told["roles"]} == {6}
    assert told["frames"] == {"low": 144, "typical": 144, "high": 144}, "24 frames in each of six calls"


def test_unusable_windows_are_asked_officially_and_skipped_carefully(items: list[Item]) -> None:
    kept = items[0].metadata["evidence"] | {"windows": [{"start": 5, "end": 4}]}
    item = items[0].model_copy(update={"metadata": items[0].metadata | {"evidence": kept}})
    careful, few = ask_directly([item], looker(), levels=4)
    official, asked = ask_directly([item], looker(), levels=4, mode="official")
    assert (few.count, asked.count) == (0, 1)
    assert levels_of(careful)["level-4"]["error"] == "missing evidence_windows"
    # Asked and never scored, as published.
    assert means(official, "official")["tiou"] is None
    assert levels_of(official)["level-4"]["model_answer"] is not None


def test_key_times_that_print_alike_are_listed_once_carefully(items: list[Item]) -> None:
    key = truths(0)[0].key
    boxes = [{"time": key, "box": [0, 0, 1, 1]}, {"time": key + 0.002, "box": [0, 0, 1, 1]}]
    kept = items[0].metadata["evidence"] | {"boxes": boxes}
    item = items[0].model_copy(update={"metadata": items[0].metadata | {"evidence": kept}})
    for mode, times in (("careful", 1), ("official", 2)):
        _, server = ask_directly([item], looker(), levels=5, mode=mode)
        assert Seen.of(server.requests[0]).text.count(f"<{key:.2f} seconds>") == times


# --- scoring again ------------------------------------------------------------------------------------------


def test_scoring_in_a_new_process_ends_the_same(whole: tuple[Path, RunView]) -> None:
    out, view = whole
    command = [sys.executable, "-m", "proofreel", "score", str(out), "--name", "again"]
    subprocess.run(command, check=True, capture_output=True)
    again = json.loads((out / "scores/again.json").read_text())["items"]
    kept = {(s.item.question.id, s.epoch): s for s in view.scored}
    assert len(again) == 40
    for row in again:
        first = kept[row["item_id"], row["epoch"]]
        assert row["details"] == json.loads(json.dumps(first.details))
        assert first.verdict is not None and row["verdict"] == first.verdict.model_dump(mode="json")
    assert means(view, "official") == means(view, "careful")


def test_the_published_loss_of_the_coordinate_mode_is_official_and_asked_for(items: list[Item]) -> None:
    view, _ = ask_directly(items[:4], looker(), mode="official", lose_box_mode=True, levels="3,4,5")
    assert means(view, "official")["viou"] == 0
    assert means(view, "careful")["l5"] == 100
    kept, _ = ask_directly(items[:4], looker(), mode="official", levels="3,4,5")
    assert means(kept, "official")["l5"] == 100
