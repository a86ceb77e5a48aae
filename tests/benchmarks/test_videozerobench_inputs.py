"""What a model is given: the annotated evidence at the budget of the whole video; levels asked of other agents."""

import asyncio
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from benchmarks.vzb_runs import ask_directly, means, run_levels
from benchmarks.vzb_world import SIZE, Seen, looker, make_data, truths
from proofreel.benchmarks import get_benchmark
from proofreel.benchmarks.videozerobench.inputs import (
    budget,
    crop_parts,
    crop_pixels,
    evidence_parts,
    spread,
    with_input,
)
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.core import Item, Window
from proofreel.core.errors import UserError
from proofreel.models.estimate import Facts
from proofreel.testing import Request, Text
from proofreel.video import ClipRef

WIDE = Facts(duration=600.0, width=1280, height=720, frames=18000)
"""Ten minutes at 30 frames a second."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("vzb") / "data", videos=2)


@pytest.fixture(scope="module")
def items(data: Path) -> list[Item]:
    return list(get_benchmark("videozerobench").load(data).items)


def case(windows: list[Any], boxes: list[Any]) -> Case:
    told = [{"start": a, "end": b} for a, b in windows]
    return Case("?", "en", told, [{"time": t, "box": list(b)} for t, b in boxes])


def pixels_of(parts: list[Any], facts: Facts, patch: int = 16) -> int:
    total = crop_pixels(parts, facts)
    for part in parts:
        if part.crop is None:
            width = max(2 * patch, round(facts.width * part.rows / facts.height) // (2 * patch) * 2 * patch)
            total += len(part.times) * part.rows * width
    return total


def test_times_lie_evenly_on_the_stretches_laid_end_to_end() -> None:
    windows = [Window(start=10, end=12), Window(start=20, end=26)]
    # eight seconds, four parts of two: centres at 1, 3, 5, 7 of them
    assert spread(windows, 4) == (11.0, 21.0, 23.0, 25.0)
    assert spread([Window(start=5, end=5.1)], 1) == (pytest.approx(5.05),)
    assert spread(windows, 1) == (22.0,)  # the middle, at 4 of 8


def test_the_budget_is_that_of_the_whole_video() -> None:
    settings = ExamSettings(max_frames=384, height=128)
    # 1280/720 * 128 = 227.6 -> 228, floored to 224; 384 frames of 128 x 224
    assert budget(WIDE, settings) == (384, 384 * 128 * 224)
    assert budget(Facts(60.0, 1280, 720, 1800), settings)[0] == 60
    assert budget(Facts(60.0, 1280, 720, 1800), ExamSettings(sampling="uniform_n"))[0] == 384


@pytest.mark.parametrize("kind", ["segments", "segments_crops"])
@pytest.mark.parametrize("seconds", [0.2, 3.0, 60.0, 500.0])
@pytest.mark.parametrize("count", [1, 7, 900])
def test_evidence_never_costs_more_than_the_whole_video(kind: str, seconds: float, count: int) -> None:
    settings = ExamSettings(max_frames=96, height=256)
    boxes = [(50 + 0.01 * n, (0.2, 0.1, 0.6, 0.7)) for n in range(count)]
    parts = evidence_parts(case([(50, 50 + seconds)], boxes), kind, WIDE, settings)
    frames, pixels = budget(WIDE, settings)
    assert sum(len(p.times) for p in parts) <= frames
    assert pixels_of(parts, WIDE) <= pixels
    whole = [p for p in parts if p.crop is None]
    assert all(50 <= t <= 50 + seconds for p in whole for t in p.times)
    assert all(p.rows <= 720 for p in whole)
    assert any(p.crop for p in parts) == (kind == "segments_crops")


def test_zoom_in_spends_the_budget() -> None:
    settings = ExamSettings(max_frames=96, height=256)
    (long,) = evidence_parts(case([(0, 500)], []), "segments", WIDE, settings)
    assert len(long.times) == 96 and long.rows == 256  # as the whole video, but all of it inside
    (short,) = evidence_parts(case([(10, 10.5)], []), "segments", WIDE, settings)
    assert len(short.times) == 15  # half a second holds no more
    # 96 * 256 * 448 / 15 = 734003 pixels a frame: 647 rows are 1150 -> 1120 wide, 648 would be 1152
    assert short.rows == 647


def test_key_regions_are_cut_with_a_margin_at_their_own_size() -> None:
    (part,) = crop_parts([(3.0, (0.2, 0.4, 0.4, 0.6))], WIDE, 10, 10**9, 16)
    assert part.times == (3.0,) and part.crop == pytest.approx((0.18, 0.38, 0.42, 0.62))
    assert part.rows == 172  # 0.24 * 720 = 172.8
    (tiny,) = crop_parts([(3.0, (0.5, 0.5, 0.51, 0.51))], WIDE, 10, 10**9, 16)
    assert tiny.rows == 32  # two patches, or a model sees nothing
    (edge,) = crop_parts([(3.0, (0.0, 0.0, 1.0, 1.0))], WIDE, 10, 10**9, 16)
    assert edge.crop == (0, 0, 1, 1) and edge.rows == 720
    assert len(crop_parts([(float(t), (0.1, 0.1, 0.2, 0.2)) for t in range(30)], WIDE, 7, 10**9, 16)) == 7


def test_questions_without_windows_have_no_evidence_to_show() -> None:
    settings = ExamSettings()
    boxes = [(1.0, (0.1, 0.1, 0.2, 0.2))]
    assert evidence_parts(case([], boxes), "segments_crops", WIDE, settings) == []
    assert evidence_parts(case([(700, 800), (5, 5)], []), "segments", WIDE, settings) == []
    flat = evidence_parts(case([(1, 2)], [(1.0, (0.3, 0.3, 0.3, 0.5))]), "segments_crops", WIDE, settings)
    assert len(flat) == 1  # a box without an area is no region


def test_input_is_said_in_the_words_of_the_exam() -> None:
    assert with_input({"fps": 1}) == {"fps": 1}
    assert with_input({"input": "none"}) == {"input": "none", "media": "none"}
    assert with_input({"input": "segments"})["levels"] == "3"
    assert with_input({"input": "segments", "levels": "1,2,3"})["levels"] == "1,2,3"
    for bad in (
        {"input": "film"},
        {"input": "segments", "levels": "3,4"},
        {"input": "segments", "ask": "joint"},
        {"input": "none", "media": "frames"},
    ):
        with pytest.raises(UserError, match="input"):
            with_input(bad)


def test_evidence_makes_right_what_two_frames_of_the_video_cannot(items: list[Item]) -> None:
    poor = {"max_frames": 2, "height": 96}
    # frames at 0 and 23 s: of the eight windows only that of red in the second video holds one
    assert means(ask_directly(items, looker(), input="frames", levels=3, **poor)[0])["acc3"] == 12.5
    view, server = ask_directly(items, looker(), input="segments", **poor)
    assert means(view)["acc3"] == 100 and server.count == len(items)
    for scored in view.scored:
        (entry,) = view.shown(scored.item.question.id, 1)
        (window,) = scored.item.gold.windows
        assert len(entry.frames) == 2 and all(window.contains(f.time) for f in entry.frames)
    assert b"hold the evidence" in server.requests[0].raw


def test_key_regions_are_shown_last_and_cut_out(items: list[Item]) -> None:
    view, server = ask_directly(items, looker(), input="segments_crops", max_frames=12, height=96)
    assert means(view)["acc3"] == 100
    full = 12 * 96 * 160
    for scored in view.scored:
        first, *crops = view.shown(scored.item.question.id, 1)
        truth = truths(int(scored.item.question.id) // 4)[int(scored.item.question.id) % 4]
        assert len(crops) == len(truth.boxes) and all(e.ref.crop for e in crops)
        assert {f.time for e in crops for f in e.frames} == {truth.key}
        spent = sum(len(e.frames) * e.width * e.height for e in (first, *crops))
        assert len(first.frames) + len(crops) <= 12 and spent <= full
    colours = [Seen.of(r) for r in server.requests]
    for seen in colours:  # every enlarged part holds the square it is about
        crops = [n for n, image in enumerate(seen.images) if image.shape[1] != 160]
        assert crops and all(seen.squares(n, seen.colour) for n in crops)
    assert SIZE == (160, 96)


def test_no_input_shows_nothing(items: list[Item]) -> None:
    view, server = ask_directly(items[:2], lambda request: Text("1"), input="none", levels=3)
    assert view.shown("0", 1) == () and b"image_url" not in server.requests[0].raw
    with pytest.raises(UserError, match="input is one of"):
        ask_directly(items[:1], looker(), input="smell")


def test_sound_alone(items: list[Item], tmp_path: Path) -> None:
    view, server = ask_directly(items[:1], lambda request: Text("1"), input="audio", levels=3)
    assert b"has no sound either" in server.requests[0].raw and view.shown("0", 1) == ()
    loud = items[0].model_copy(
        update={"question": items[0].question.model_copy(update={"video": str(with_sound(tmp_path))})}
    )
    view, server = ask_directly([loud], lambda request: Text("1"), input="audio", levels=3)
    (entry,) = view.shown("0", 1)
    assert isinstance(entry.ref, ClipRef) and not entry.ref.pictures and entry.frames == ()
    parts = server.requests[0].json["messages"][-1]["content"]
    assert [p["type"] for p in parts] == ["text", "input_audio", "text"]
    assert "its pictures are not" in parts[-1]["text"]


def with_sound(folder: Path) -> Path:
    path = folder / "loud.mp4"
    with av.open(str(path), "w") as out:
        video: Any = out.add_stream("libx264", rate=5)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio: Any = out.add_stream("aac", rate=16000, layout="mono")
        out.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        tone = 0.5 * np.sin(np.arange(16000) / 5)
        frame = av.AudioFrame.from_ndarray(tone[None].astype(np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16000
        out.mux(audio.encode(frame))
        out.mux(video.encode(None))
        out.mux(audio.encode(None))
    return path


def test_agents_that_look_for_themselves_are_asked_level_by_level(data: Path, tmp_path: Path) -> None:
    asked: list[Request] = []

    def model(request: Request) -> Text:
        asked.append(request)
        return looker()(request)  # type: ignore[return-value]

    options = {"levels": "1,2,3,4,5", "rounds": 2, "box_mode": "0-1000"}
    view = run_levels(data, tmp_path / "run", model, "videochat_r15", options=options, limit=4)
    found = means(view)
    assert {k: found[k] for k in ("acc1", "acc2", "acc3", "l4", "l5")} == dict.fromkeys(
        ("acc1", "acc2", "acc3", "l4", "l5"), 100.0
    )
    assert len(asked) == 4 * 5 * 2
    words = [r.raw.decode() for r in asked]
    assert sum("The evidence for the answer lies here" in w for w in words) == 2 * 2 * 4
    assert sum("The evidence stands in these boxes" in w for w in words) == 2 * 4
    trajectory = view.scored[0].trajectory
    assert trajectory is not None and trajectory.agent == "videochat_r15"
    steps = {s.id for s in trajectory.steps}
    for piece in trajectory.answer.evidence:
        assert piece.provenance.step in steps
        if piece.window is not None:
            assert piece.provenance.frames and all(piece.window.contains(t) for t in piece.provenance.frames)
    assert any(e.boxes for e in trajectory.answer.evidence)
    # the key frame is in both rounds of level 5
    key = truths(0)[0].key
    shown = [{f.time for f in e.frames} for e in view.shown("0", 1)]
    assert len(shown) == 10 and all(key in times for times in shown[-2:])


def test_a_failing_level_is_kept_as_a_failure(items: list[Item]) -> None:
    from proofreel.agents import AgentContext, Budget
    from proofreel.models import resolve_model
    from proofreel.testing import OpenAIServer, Refused
    from proofreel.video import Ledger

    own = get_benchmark("videozerobench")
    assert own.exam is not None

    async def one(url: str, agent: str, budget: Budget, **options: Any) -> Any:
        main = resolve_model("openai-api/local/some-vlm", base_url=url, max_retries=0)
        ctx = AgentContext(model=main, budget=budget, ledger=Ledger(), options=options)
        return await own.exam(items[0], ctx, agent)  # type: ignore[misc]

    with OpenAIServer(lambda r: Refused("no")) as server:
        dead = asyncio.run(one(server.url, "video_o3", Budget(), levels="3,4"))
    stored = {s.data["level"]: s.data["prediction"] for s in dead.steps if "prediction" in s.data}
    assert set(stored) == {"level-3", "level-4"} and all(p["model_answer"] is None for p in stored.values())
    assert dead.answer.stop.value == "model_error" and "no" in stored["level-3"]["error"]
    with OpenAIServer(looker()) as server:
        both = asyncio.run(one(server.url, "localize_then_answer", Budget(), levels="1,3"))
        # named in the first round of level 3, behind two rounds of level 1 and its mark
        (piece,) = both.answer.evidence
        assert piece.provenance.step == 4 and both.steps[3].data["level"] == "level-3"
        assert both.answer.value == items[0].gold.answer
        assert [s.phase for s in both.steps].count("answer") == 1
        asked = [r.raw.decode() for r in server.requests]
        assert "Name one or several" in asked[2] and "Name one or several" not in asked[3]  # level 4's words
    with OpenAIServer(looker()) as server:
        tight = asyncio.run(one(server.url, "localize_then_answer", Budget.of(turns=2), levels="3,4"))
        stored = {s.data["level"]: s.data["prediction"] for s in tight.steps if "prediction" in s.data}
        assert server.count == 2 and stored["level-4"]["error"] == "budget: turns used up"
        with pytest.raises(UserError, match="box_mode=absolute"):
            asyncio.run(one(server.url, "video_o3", Budget(), levels="5", box_mode="absolute"))
