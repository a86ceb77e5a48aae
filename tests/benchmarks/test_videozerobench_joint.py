"""Asked once: an agent's own answer, windows and boxes on levels 3 to 5, and the joint reply of a model."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.vzb_runs import ask_directly, means, run_levels
from benchmarks.vzb_world import Seen, looker, make_data, truths
from proofreel.benchmarks import JudgeContext, get_benchmark
from proofreel.benchmarks.videozerobench.evidence import at_key_times
from proofreel.core import (
    Answer,
    Box,
    Evidence,
    Item,
    Outcome,
    Provenance,
    StopReason,
    TimedBox,
    Trajectory,
    Window,
)
from proofreel.testing import Reply, Request, Text

MADE = Provenance(claimed_by="test")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("vzb") / "data", videos=2)


@pytest.fixture(scope="module")
def items(data: Path) -> list[Item]:
    return list(get_benchmark("videozerobench").load(data).items)


# --- any agent -----------------------------------------------------------------------------------------------


def judged(item: Item, answer: Answer, mode: str = "careful", **options: Any) -> Any:
    own = get_benchmark("videozerobench").judge
    assert own is not None
    done = Trajectory(question_id=item.question.id, agent="some_agent", model="m", answer=answer)
    ctx = JudgeContext(mode="official" if mode == "official" else "careful", options=options)
    return asyncio.run(own(done, item, ctx))


def cited(item: Item, miss: float = 0.0) -> Answer:
    """The truth as an agent's answer, its boxes ``miss`` seconds late."""
    windows = [Evidence(window=w, provenance=MADE) for w in item.gold.windows]
    boxes = tuple(TimedBox(time=b.time + miss, box=b.box) for b in item.gold.boxes)
    return Answer(value=item.gold.answer, evidence=(*windows, Evidence(boxes=boxes, provenance=MADE)))


def test_an_agent_s_evidence_counts_on_levels_4_and_5(items: list[Item]) -> None:
    found = judged(items[0], cited(items[0]))
    values = found.details["scores"]["careful"]
    assert found.verdict.outcome is Outcome.RIGHT and found.details["form"] == "joint"
    assert (values["acc1"], values["acc2"]) == (None, None), "levels with hints were not asked"
    assert (values["acc3"], values["tiou"], values["viou"]) == pytest.approx((1, 1, 1))
    assert (values["level4"], values["level5"]) == (True, True)
    assert found.details["failed"] == {}


@pytest.mark.parametrize(
    ("miss", "options", "careful", "official"),
    [(0.4, {}, 1, 0), (0.5, {}, 1, 0), (0.6, {}, 0, 0), (0.6, {"box_tolerance": 1}, 1, 0), (0.0, {}, 1, 1)],
)
def test_boxes_near_a_key_time_count_carefully_exact_ones_officially(
    items: list[Item], miss: float, options: dict[str, Any], careful: float, official: float
) -> None:
    scores = judged(items[0], cited(items[0], miss), **options).details["scores"]
    assert scores["careful"]["viou"] == pytest.approx(careful)
    assert scores["official"]["viou"] == pytest.approx(official)


def test_the_nearest_moment_counts_with_all_its_boxes_and_no_other() -> None:
    gold = [{"time": 2.0, "box": [0, 0, 1, 1]}, {"time": 3.0, "box": [0, 0, 1, 1]}]
    a, b, c = [0.0, 0.0, 0.1, 0.1], [0.2, 0.2, 0.3, 0.3], [0.5, 0.5, 0.6, 0.6]
    mapped = at_key_times({1.9: [a, b], 2.3: [c], 2.5: [a]}, gold, 0.5)
    # 2.0 takes 1.9; 3.0 takes 2.5, which is exactly at the tolerance.
    assert mapped == {2.0: [a, b], 3.0: [a]}
    assert at_key_times({1.75: [a], 2.25: [b]}, gold[:1], 0.5) == {2.0: [a]}, "the earlier of two"
    assert at_key_times({}, gold, 0.5) == {}


def test_an_answer_without_evidence_is_right_on_level_3_alone(items: list[Item]) -> None:
    found = judged(items[0], Answer(value=items[0].gold.answer))
    values = found.details["scores"]["careful"]
    assert (values["acc3"], values["tiou"], values["viou"], values["level4"]) == (1, 0, 0, False)
    assert found.details["predictions"]["level-4"]["error"] == "nothing cited"
    assert found.details["failed"] == {}, "citing nothing is the agent's choice, not a failure"


@pytest.mark.parametrize(
    ("answer", "outcome", "failed"),
    [
        (Answer(stop=StopReason.OVERFLOW, reason="too long"), Outcome.MODEL_FAILED, 3),
        (Answer(stop=StopReason.HARNESS_ERROR, reason="bug"), Outcome.HARNESS_FAILED, 3),
        (Answer(stop=StopReason.ABSTAINED, abstained=True), Outcome.WRONG, 0),
        (Answer(stop=StopReason.UNPARSED, reason="no answer line"), Outcome.UNPARSED, 3),
        (Answer(value="  "), Outcome.UNPARSED, 0),
    ],
)
def test_no_answer_is_told_apart_from_a_wrong_one(
    items: list[Item], answer: Answer, outcome: Outcome, failed: int
) -> None:
    found = judged(items[0], answer)
    assert found.verdict.outcome is outcome
    assert len(found.details["failed"]) == failed
    if outcome is Outcome.HARNESS_FAILED:
        assert set(found.details["scores"]["careful"].values()) == {None}


def test_windows_keep_their_fractions_on_the_way_to_the_scorer(items: list[Item]) -> None:
    gold = items[0].gold.windows[0]
    half = Evidence(window=Window(start=gold.start, end=gold.start + gold.length / 8), provenance=MADE)
    values = judged(items[0], Answer(value="x", evidence=(half,))).details["scores"]
    assert values["careful"]["tiou"] == values["official"]["tiou"] == pytest.approx(1 / 8)


def test_single_turn_runs_on_the_benchmark(data: Path, tmp_path: Path) -> None:
    def model(request: Request) -> Reply:
        seen = Seen.of(request)
        there = [t for n, t in enumerate(seen.times) if seen.squares(n, seen.colour)]
        count = len(seen.squares(seen.times.index(there[0]), seen.colour))
        return Text(f"From {there[0]:.1f}s to {there[-1] + 1:.1f}s they are seen.\nFINAL ANSWER: {count}")

    options = {"retry_waits": [0.01, 0.01]}
    view = run_levels(data, tmp_path / "run", model, "single_turn", options=options, limit=4)
    assert [s.verdict.outcome for s in view.scored if s.verdict] == [Outcome.RIGHT] * 4
    assert means(view)["acc3"] == 100 and means(view)["acc1"] is None
    assert {s.details["form"] for s in view.scored} == {"joint"}


# --- the joint reply -----------------------------------------------------------------------------------------


def joint(text: str | None = None, key_miss: float = 0.0) -> Any:
    def model(request: Request) -> Reply:
        if text is not None:
            return Text(text)
        seen = Seen.of(request)
        truth = next(
            t for v in range(2) for t in truths(v) if t.colour == seen.colour and _is_in(t.start, seen)
        )
        boxes = [[1000 * v for v in b] for b in truth.boxes]
        said = {
            "answer": truth.answer,
            "windows": [[truth.start, truth.end]],
            "boxes": [{"time": truth.key + key_miss, "bbox_2d": boxes}],
        }
        return Text(f"Here it is: {json.dumps(said)}")

    return model


def _is_in(start: int, seen: Seen) -> bool:
    return bool(seen.squares(seen.times.index(float(start)), seen.colour)) and not seen.squares(
        seen.times.index(float(start) - 1) if start else -1, seen.colour
    )


def test_one_reply_for_everything(items: list[Item]) -> None:
    view, server = ask_directly(items, joint(), ask="joint", box_mode="0-1000")
    assert server.count == len(items)
    assert all("Times:" not in Seen.of(r).text for r in server.requests), "key times are not told"
    found = means(view)
    assert (found["acc1"], found["acc3"], found["l4"], found["l5"]) == (None, 100, 100, 100)
    late, _ = ask_directly(items[:2], joint(key_miss=0.7), ask="joint", box_mode="0-1000")
    assert (means(late)["l4"], means(late)["l5"]) == (100, 0)


@pytest.mark.parametrize("said", ["I think it is 4.", '{"answer": ""}', "[]"])
def test_a_reply_without_the_object_is_unparsed(items: list[Item], said: str) -> None:
    view, _ = ask_directly(items[:1], joint(said), ask="joint")
    verdict = view.scored[0].verdict
    assert verdict is not None and verdict.outcome is Outcome.UNPARSED


def test_one_bad_box_or_window_does_not_void_the_reply(items: list[Item]) -> None:
    said = {
        "answer": items[0].gold.answer,
        "windows": [[5, 2], ["a", 3], 7, [items[0].gold.windows[0].start, items[0].gold.windows[0].end]],
        "boxes": [{"time": "x"}, {"time": 3, "bbox_2d": [[0.1, 0.1, 0.2, 0.2]]}],
    }
    view, _ = ask_directly(items[:1], joint(json.dumps(said)), ask="joint", box_mode="0-1")
    done = view.scored[0].trajectory
    assert done is not None
    assert [e.window for e in done.answer.evidence if e.window] == list(items[0].gold.windows)
    assert [b for e in done.answer.evidence for b in e.boxes] == [
        TimedBox(time=3, box=Box(x0=0.1, y0=0.1, x1=0.2, y1=0.2))
    ]


def test_levels_outside_a_benchmark_with_levels_says_what_to_do(items: list[Item]) -> None:
    from proofreel.agents import AgentContext, run_agent
    from proofreel.core.errors import UserError

    with pytest.raises(UserError, match="single_turn"):
        asyncio.run(run_agent("levels", items[0].question, AgentContext(model=object())))


def test_replies_of_level_calls_become_evidence_of_the_answer(items: list[Item]) -> None:
    view, _ = ask_directly(items[:1], looker(), levels="3,4,5", box_mode="0-1")
    done = view.scored[0].trajectory
    assert done is not None and done.answer.value == items[0].gold.answer
    truth = truths(0)[0]
    window, boxes = done.answer.evidence
    assert window.window == Window(start=truth.start, end=truth.end)
    # One picture a second, the ends of the window included.
    assert window.provenance.frames == tuple(float(t) for t in range(truth.start, truth.end + 1))
    assert boxes.boxes[0].time == truth.key and truth.key in boxes.provenance.frames
