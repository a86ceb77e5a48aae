"""Presets, families, overrides, and what is shown: frames by both policies, the video itself, lost key frames."""

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from benchmarks.vzb_runs import ask_directly, means
from benchmarks.vzb_world import Seen, looker, truths, write_video
from media_maker import make_clip
from proofreel.benchmarks import get_benchmark
from proofreel.benchmarks.videozerobench.modes import CoordinateMode, frame_cap, group_of
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.benchmarks.videozerobench.sight import look, under
from proofreel.core import Gold, Item, Question, TimedBox, Window
from proofreel.core.errors import UserError
from proofreel.testing import GeminiServer, Reply, Request, Text
from proofreel.video import ClipRef, FramesRef, expand_frames, probe, read_frames


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("vzb") / "v0.mp4", 0)


# --- settings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "mode", "patch"),
    [
        ("vllm/Qwen/Qwen3-VL-8B-Instruct", "normalized 0-1000", 16),
        ("openai-api/local/Qwen3.5-397B-A17B", "normalized 0-1000", 16),
        ("vllm/Qwen/Qwen2.5-VL-7B-Instruct", "absolute", 14),
        ("openai/gpt-5.2", "normalized 0-1", 16),
    ],
)
def test_families_have_their_own_coordinates(model: str, mode: str, patch: int) -> None:
    found = ExamSettings.of({}, model)
    assert (found.box_mode, found.patch) == (mode, patch)
    assert ExamSettings.of({"box_mode": "absolute"}, model).box_mode is CoordinateMode.ABSOLUTE


@pytest.mark.parametrize(
    ("model", "cap"),
    [
        ("volcano/seed-2.0-pro", 160),
        ("x/Qwen3.5-397B-A17B", 250),
        ("openai/gpt-5.6-sol", 96),
        ("x/other", 384),
    ],
)
def test_caps_of_the_paper(model: str, cap: int) -> None:
    assert frame_cap(model) == cap
    assert ExamSettings.of({}, model).max_frames == cap


def test_groups_of_the_main_table() -> None:
    names = (
        "google/gemini-3-pro",
        "openai/gpt-5.2",
        "vllm/Video-R1-7B",
        "vllm/Qwen/Qwen3-VL-8B",
        "x/gpt2-xl",
        None,
    )
    groups = ["proprietary", "proprietary", "video-specific", "open-source", "open-source", "none"]
    assert [group_of(n) for n in names] == groups


@pytest.mark.parametrize(
    ("preset", "frames", "height", "patch", "thinking"),
    [
        ("384x128", 384, 128, 16, False),
        ("96x256", 96, 256, 16, False),
        ("96x280", 96, 280, 14, False),
        ("96x280-think", 96, 280, 14, True),
    ],
)
def test_published_presets(preset: str, frames: int, height: int, patch: int, thinking: bool) -> None:
    s = ExamSettings.of({"preset": preset}, "vllm/Qwen/Qwen3-VL-8B")
    assert (s.sampling, s.max_frames, s.height, s.patch, s.thinking) == (
        "uniform_n",
        frames,
        height,
        patch,
        thinking,
    )
    assert ExamSettings.of({"preset": preset, "height": 64}, "m").height == 64, (
        "what is set by hand goes first"
    )


def test_few_frames_are_shown_higher() -> None:
    assert ExamSettings.of({"max_frames": 96}, "vllm/Qwen3-VL-8B").height == 256
    assert ExamSettings.of({"max_frames": 96}, "vllm/Qwen2.5-VL-7B").height == 280
    assert ExamSettings.of({"max_frames": 97}, "vllm/Qwen3-VL-8B").height == 128


def test_a_card_lowers_the_cap_and_it_is_said() -> None:
    s = ExamSettings.of({}, "x/other", max_images=100)
    assert s.max_frames == 100
    assert s.notes == ("384 frames asked for, x/other takes 100 images in one request",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": "3,6"}, "levels=3,4,5"),
        ({"levels": []}, "numbers from 1 to 5"),
        ({"preset": "384x129"}, "preset is one of"),
        ({"box_mode": "0-100"}, "box_mode is one of"),
        ({"max_frames": 0}, "max_frames must be"),
        ({"max_frames": 9.5}, "max_frames must be"),
        ({"sampling": "uniform"}, "sampling is one of"),
        ({"media": "video"}, "media=frames"),
        ({"thinking": "yes"}, "true or false"),
        ({"max_frame": 96}, "did you mean max_frames"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(options: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said) as error:
        ExamSettings.of(options, "m")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [3, "3", [3], "3,3"])
def test_levels_may_be_written_in_any_way(given: object) -> None:
    assert ExamSettings.of({"levels": given}, "m").levels == (3,)


# --- frames --------------------------------------------------------------------------------------------------


def test_one_frame_a_second_until_the_cap(video: Path) -> None:
    ref = look(str(video), ExamSettings()).refs[0]
    assert isinstance(ref, FramesRef)
    assert expand_frames(ref).times == [float(t) for t in range(24)]
    few = look(str(video), ExamSettings(max_frames=5)).refs[0]
    assert isinstance(few, FramesRef)
    # 24 seconds at both ends, truncated: 0, 5.75, 11.5, 17.25, 23.
    assert expand_frames(few).times == [0, 5, 11, 17, 23]


def test_the_published_policy_takes_n_frames_of_the_file(video: Path) -> None:
    sight = look(str(video), ExamSettings(sampling="uniform_n", max_frames=4))
    ref = sight.refs[0]
    assert isinstance(ref, FramesRef)
    # 96 frames at 4 a second: 0, 31.67, 63.33, 95 truncated.
    assert expand_frames(ref).indices == [0, 31, 63, 95]
    assert sight.shown.frames == sight.frames == 4


def test_the_size_that_is_told_is_the_size_that_is_sent(tmp_path: Path) -> None:
    tall = make_clip(tmp_path / "tall.mp4", count=8, fps=4, size=(32, 480))
    wide = make_clip(tmp_path / "wide.mp4", count=8, fps=4, size=(480, 64))
    # 32x480 at 128 rows is 9 wide: two patches stay. 480x64 is 960 wide: a multiple of 28 is 952.
    assert look(str(tall), ExamSettings(height=128, patch=16)).shown.resized_hw == (128, 32)
    assert look(str(wide), ExamSettings(height=128, patch=14)).shown.resized_hw == (128, 952)
    ref = look(str(wide), ExamSettings(height=128, patch=14)).refs[0]
    assert isinstance(ref, FramesRef)
    plan, multiple = ref.sampling, ref.width_multiple
    assert read_frames(wide, plan, height=128, width_multiple=multiple).images.shape[1:3] == (128, 952)


def test_key_frames_over_the_cap_are_lost_and_named(video: Path) -> None:
    keys = [1.25, 4.5, 9.75, 14.25, 20.5]
    sight = look(str(video), ExamSettings(max_frames=3), keys)
    ref = sight.refs[0]
    assert isinstance(ref, FramesRef)
    # Three of five, both ends and the middle: the protocol's even choice.
    assert expand_frames(ref).times == [1.25, 9.75, 20.5]
    assert sight.lost == (4.5, 14.25)
    assert look(str(video), ExamSettings(max_frames=5), keys).lost == ()


def test_lost_key_frames_stand_in_the_record(video: Path) -> None:
    boxes = tuple(
        TimedBox(time=t, box=b)
        for t in (1.25, 2.25, 2.5)
        for b in _item(video).gold.boxes[0:1]
        for b in [b.box]
    )
    item = _item(video).model_copy(update={"gold": _item(video).gold.model_copy(update={"boxes": boxes})})
    view, _ = ask_directly([item], looker(), max_frames=2, levels=5)
    step = view.scored[0].trajectory.steps[0]  # type: ignore[union-attr]
    assert step.data["lost_key_frames"] == [2.25]


def test_a_key_time_past_the_end_is_flagged(video: Path) -> None:
    assert look(str(video), ExamSettings(), [30.0]).flagged == 1
    assert look(str(video), ExamSettings(), [23.0]).flagged == 0


# --- nothing, and the video itself ---------------------------------------------------------------------------


def _item(video: Path) -> Item:
    truth = truths(0)[0]
    from proofreel.core import Box

    boxes = tuple(TimedBox(time=truth.key, box=Box(x0=a, y0=b, x1=c, y1=d)) for a, b, c, d in truth.boxes)
    question = Question.ask("How many red squares are there? Answer with a number only.", str(video), id="q")
    gold = Gold(answer=truth.answer, windows=(Window(start=truth.start, end=truth.end),), boxes=boxes)
    return Item(question=question, gold=gold)


def test_a_blind_run_sends_no_picture_and_says_so(video: Path) -> None:
    view, server = ask_directly([_item(video)], lambda r: Text("7"), media="none")
    assert all(b"image_url" not in r.raw for r in server.requests)
    assert all("is not shown" in Seen.of(r).text for r in server.requests)
    assert means(view)["acc3"] == 0


def test_gemini_gets_the_file_and_the_key_frames_beside_it(
    video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "test-key-not-real")
    seen: list[list[str]] = []

    def model(request: Request) -> Reply:
        parts = request.json["contents"][-1]["parts"]
        kinds = [p.get("inlineData", p.get("inline_data", {})) for p in parts]
        seen.append([k.get("mimeType", k.get("mime_type")) for k in kinds if k])
        return Text("1")

    name = "google/gemini-2.5-flash"
    view, _ = ask_directly([_item(video)], model, name=name, server=GeminiServer)
    assert seen == [["video/mp4"]] * 4 + [["video/mp4", "image/jpeg"]]
    entries = view.shown("q", 1)
    clips = [e.ref for e in entries if isinstance(e.ref, ClipRef)]
    assert [(c.start, c.end, c.fps, c.audio) for c in clips] == [(0, 24, 1, True)] * 5
    assert [f.time for e in entries for f in e.frames] == [truths(0)[0].key]
    predictions = view.scored[0].details["predictions"]
    assert predictions["level-5"]["box_mode"] == "normalized 0-1"
    assert predictions["level-5"]["resized_hw"] == [96, 160]


def test_a_gemini_name_on_a_route_without_video_gets_frames() -> None:
    assert ExamSettings.of({}, "openai-api/local/gemini-3-pro").media == "frames"
    assert ExamSettings.of({}, "google/gemini-3-pro", takes_video=True).media == "video"
    assert ExamSettings.of({}, "vllm/Qwen3-VL-8B", takes_video=True).media == "frames", "as in the paper"


def noise(path: Path) -> Path:
    """Two seconds that do not compress."""
    random = np.random.default_rng(1)
    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream("libx264", rate=10, options={"crf": "18"})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for _ in range(20):
            picture = random.integers(0, 256, (240, 320, 3), np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode(None))
    return path


def test_a_large_file_is_made_small_once_and_keeps_its_length(tmp_path: Path) -> None:
    big = noise(tmp_path / "big.mp4")
    limit = big.stat().st_size // 3
    small = Path(under(str(big), limit))
    assert small.stat().st_size <= limit
    assert probe(small).duration == pytest.approx(probe(big).duration, abs=0.1)
    stamp = small.stat().st_mtime_ns
    assert under(str(big), limit) == str(small) and small.stat().st_mtime_ns == stamp
    assert under(str(big), 10**9) == str(big)


def test_a_folder_of_your_own_is_asked_on_all_levels(tmp_path: Path) -> None:
    truth = truths(0)[0]
    write_video(tmp_path / "v0.mp4", 0)
    boxes = ", ".join(f'{{"time": {truth.key}, "box": {list(b)}}}' for b in truth.boxes)
    asked = "How many red squares are there? Answer with a number only."
    (tmp_path / "questions.jsonl").write_text(
        f'{{"video": "v0.mp4", "question": "{asked}", "answer": "{truth.answer}", '
        f'"windows": [[{truth.start}, {truth.end}]], "boxes": [{boxes}]}}\n'
        '{"video": "v0.mp4", "question": "Who?", "answer": null}\n'
    )
    loaded = get_benchmark("videozerobench").load(tmp_path)
    assert [i.question.id for i in loaded.items] == ["1"]
    assert any("no answer" in str(p) for p in loaded.problems)
    found = means(ask_directly(list(loaded.items), looker())[0])
    assert (found["acc1"], found["acc3"], found["l4"], found["l5"]) == (100, 100, 100, 100)
