"""STAR's visible frames, zooms and backends: geometry by hand, screen text on real pictures, optional models."""

import json
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from agents.test_star import ENOUGH, QA, Brain, Text, go
from agents.wire import run
from proofreel.agents._star_backends.lines import LineGrounder
from proofreel.agents._star_backends.transformers_models import FrameGrounder, ObjectDetector, span_of_scores
from proofreel.agents._star_scene import Scene, grid_side, patch, span_frames, thinned
from proofreel.agents._star_tools import TOOL_BOX
from proofreel.agents._star_tools.tracks import linked, overlap
from proofreel.core import Box, Question
from proofreel.core.errors import UserError
from proofreel.perception.index import VideoIndex
from proofreel.perception.records import SpeechLine
from proofreel.video import Numbered, read_frames


def written(path: Path, frames: int = 40, first: int = 20) -> Path:
    """So many frames at 4 fps, 320x180: EXIT 42 stands at the lower right from frame ``first`` on."""
    plain = np.full((180, 320, 3), 200, np.uint8)
    sign = Image.fromarray(plain)
    ImageDraw.Draw(sign).text((180, 120), "EXIT 42", fill=(0, 0, 0), font=ImageFont.load_default(28))
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=4)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for i in range(frames):
            picture = np.asarray(sign) if i >= first else plain
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Question:
    path = written(tmp_path_factory.mktemp("star_tools") / "sign.mp4")
    return Question.ask("Where is the exit sign?", str(path), ("left", "right"), id="sign")


def test_ten_tools_of_two_kinds() -> None:
    kinds = [(t.name, t.type) for t in TOOL_BOX]
    assert kinds == [
        ("frame-extraction-tool", "temporal"),
        ("temporal-grounding-tool", "temporal"),
        ("temporal-qa-tool", "temporal"),
        ("temporal-referring-tool", "temporal"),
        ("image-grid-select-tool", "temporal"),
        ("image-question-answering-tool", "spatial"),
        ("image-grid-qa-tool", "spatial"),
        ("relevant-patch-zooming-tool", "spatial"),
        ("image-caption-tool-llava", "spatial"),
        ("object-tracking-tool", "spatial"),
    ]


def test_visible_frames_come_and_go_and_keep_what_is_known(signs: Question) -> None:
    scene = Scene.of(signs.video, 10.0)
    # 40 frames: i * 39 / 15 = 2.6 i, rounded half to even
    assert [f.index for f in scene.visible] == [0, 3, 5, 8, 10, 13, 16, 18, 21, 23, 26, 29, 31, 34, 36, 39]
    assert (scene.total, scene.interval, scene.at(5.1), scene.at(99)) == (40, 4, 20, 39)
    scene.visible[1].answers["q"] = "yes"
    scene.replace([10, 11, 12])
    assert [f.index for f in scene.visible] == [10, 11, 12]
    assert [f.index for f in scene.known] == [3]
    scene.add([3])
    assert scene.visible[0].answers == {"q": "yes"}


def test_grids_and_spans() -> None:
    assert [grid_side(n) for n in (1, 4, 5, 9, 10, 16)] == [2, 2, 3, 3, 4, 4]
    assert span_frames(0, 150, 16, 200) == list(range(0, 151, 10))
    assert span_frames(50, 50, 4, 200) == [49, 50, 51, 52]  # three short: one before, two after
    assert span_frames(0, 0, 4, 200) == [0, 1, 2, 3]
    assert span_frames(199, 199, 4, 200) == [196, 197, 198, 199]
    assert span_frames(1, 1, 16, 5) == [0, 1, 2, 3, 4]
    scene = Scene("v", "0" * 64, 10.0, 1.0, [float(i) for i in range(10)])
    scene.add(range(10))
    assert [f.index for f in thinned(scene.visible, 4)] == [0, 3, 6, 9]


def test_patches_have_a_margin_and_nest() -> None:
    assert patch("A") == (0.0, 0.0, 0.55, 0.55)
    assert patch("D") == (0.45, 0.45, 1.0, 1.0)
    assert patch("E") == pytest.approx((0.2, 0.2, 0.8, 0.8))
    assert patch("B", patch("E")) == pytest.approx((0.2 + 0.6 * 0.45, 0.2, 0.8, 0.2 + 0.6 * 0.55))


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Question:
    """Six frames, all visible, the sign on the last three."""
    path = written(tmp_path_factory.mktemp("star_tools") / "short.mp4", 6, 3)
    return Question.ask("Where is the exit sign?", str(path), ("left", "right"), id="short")


def box(x: float, y: float = 0.4, side: float = 0.2) -> Box:
    return Box(x0=x, y0=y, x1=x + side, y1=y + side)


def test_boxes_are_linked_into_tracks() -> None:
    assert overlap(box(0.0), box(0.1)) == pytest.approx(1 / 3)  # half of each is shared
    assert overlap(box(0.0), box(0.2)) == 0.0
    # two objects pass to the right, the second is missing once, a third comes in
    frames = [[box(0.0), box(0.6)], [box(0.62), box(0.05)], [box(0.1)], [box(0.64), box(0.12), box(0.3, 0.0)]]
    assert linked(frames) == [[1, 2], [2, 1], [1], [2, 1, 3]]
    assert linked([[box(0.0)], [], [], [], [box(0.0)]]) == [[1], [], [], [], [2]]  # gone for too long
    assert linked([]) == []


def test_each_track_is_evidence_of_its_own(signs: Question) -> None:
    two = Text('{"boxes": [[0, 0, 200, 200], [700, 700, 900, 900], "x", [5, 5, 5, 5]]}')
    brain = Brain([go("object-tracking-tool", "cup"), ENOUGH], {"detector": two})
    ran = run("star", signs, brain, detector="vlm", frames_per_tool=4)
    tracks = ran.results[0].evidence
    assert [(e.quote.text, len(e.boxes)) for e in tracks] == [("cup #1", 4), ("cup #2", 4)]
    assert tracks[1].boxes[0].box.values == (0.7, 0.7, 0.9, 0.9)
    assert "frame 0 (0.00 s): cup #2 at (0.70, 0.70, 0.90, 0.90)" in ran.results[0].text


def test_screen_text_is_tracked_by_the_embedded_reader(short: Question) -> None:
    pytest.importorskip("rapidocr")
    brain = Brain([go("object-tracking-tool", 'the sign "exit 42"'), go("temporal-qa-tool"), ENOUGH])
    ran = run("star", short, brain, detector="ocr", frame_height=180)
    (found,) = ran.results[0].evidence
    assert [b.time for b in found.boxes] == [0.75, 1.0, 1.25]
    assert found.provenance.claimed_by.startswith("ocr (rapidocr")
    assert all(b.box.x0 > 0.5 and b.box.y0 > 0.6 for b in found.boxes)
    shown = [e for e in ran.ledger.entries if e.role == "detector"]
    assert [len(e.frames) for e in shown] == [6]  # what the reader looked at is on record too
    assert ran.trajectory.frames_seen == 6 + 6
    assert "EXIT 42 at (0.5" in ran.results[0].text


def test_boxes_on_a_zoomed_frame_are_boxes_on_the_frame(short: Question) -> None:
    pytest.importorskip("rapidocr")
    from proofreel.agents._star_backends.ocr import TextDetector

    plans = [
        go("relevant-patch-zooming-tool", "x"),
        go("temporal-qa-tool"),
        go("object-tracking-tool", "exit"),
    ]
    ran = run("star", short, Brain([*plans, ENOUGH]), detector="ocr", frame_height=180)
    boxes = [b.box for b in ran.results[2].evidence[0].boxes]
    assert len(boxes) == 3
    picture = read_frames(short.video, Numbered([5])).images[0]
    (plain,) = TextDetector().find([picture], "exit")[0]
    assert all(zoomed.values == pytest.approx(plain.box.values, abs=0.03) for zoomed in boxes)


def speech(*lines: tuple[float, float, str]) -> VideoIndex:
    said = tuple(SpeechLine(text=t, start=s, end=e) for s, e, t in lines)
    from proofreel.perception.embeddings import NgramEmbedder

    vectors = NgramEmbedder().embed([t for *_, t in lines])
    return VideoIndex("v", "0" * 64, 10.0, (), said, (), NgramEmbedder.name, _vectors=vectors)


def test_grounding_by_what_is_said(signs: Question) -> None:
    index = speech((1.0, 3.0, "the weather will be fine"), (6.0, 8.5, "the dog runs through the door"))
    assert LineGrounder(index).span("dog runs through the door", "v", 10.0) == index.speech[1].window
    assert LineGrounder(index).span("quantum zeppelin", "v", 10.0) is None
    brain = Brain([go("temporal-grounding-tool", "the dog runs through the door"), go(QA), ENOUGH])
    ran = run("star", signs, brain, grounder="index", index=index, frames_per_tool=2)
    assert ran.results[0].evidence[0].window == index.speech[1].window
    assert {24, 28, 32} <= set(ran.results[0].data["visible"])  # 6, 7, 8 s at 4 fps
    assert ran.trajectory.settings["grounder"].startswith("index")
    assert brain.count("grounder") == 0


def test_the_index_is_prepared_where_the_run_has_none(short: Question, tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    said = tmp_path / "said.srt"
    said.write_text("1\n00:00:00,500 --> 00:00:01,000\nThe dog runs through the door.\n", "utf-8")
    heard = short.model_copy(update={"transcript": str(said)})
    brain = Brain([go("temporal-grounding-tool", "dog runs through the door"), go(QA), ENOUGH])
    ran = run("star", heard, brain, grounder="index")
    assert (ran.results[0].evidence[0].window.start, ran.results[0].evidence[0].window.end) == (0.5, 1.0)


def test_span_of_scores() -> None:
    times = [0.0, 1.0, 2.0, 3.0, 4.0]
    found = span_of_scores(times, [0.1, 0.9, 0.6, 0.2, 0.7], 5.0)
    assert found is not None
    assert (found.start, found.end) == (1.0, 3.0)  # half way up is 0.5; frame 2 stands until 3 s
    last = span_of_scores(times, [0, 0, 0, 0, 1], 5.0)
    assert last is not None
    assert (last.start, last.end) == (4.0, 5.0)
    assert span_of_scores(times, [0.5] * 5, 5.0) is None
    assert span_of_scores([], [], 5.0) is None


STAND_IN = '''
"""Speaks the interface of pipelines: finds dark letters, scores dark pictures."""
import numpy


def pipeline(task, model):
    if model == "broken":
        raise OSError("no such model")

    def run(image, candidate_labels):
        dark = numpy.asarray(image.convert("L")) < 90
        if task == "zero-shot-image-classification":
            share = float(dark.any())
            return [{"label": candidate_labels[0], "score": share}, {"label": candidate_labels[1], "score": 1 - share}]
        assert task == "zero-shot-object-detection", task
        ys, xs = numpy.nonzero(dark)
        if not len(xs):
            return [{"label": candidate_labels[0], "score": 0.1, "box": {"xmin": 0, "ymin": 0, "xmax": 9, "ymax": 9}}]
        box = {"xmin": int(xs.min()), "ymin": int(ys.min()), "xmax": int(xs.max()), "ymax": int(ys.max())}
        return [{"label": candidate_labels[0], "score": 0.8, "box": box}]

    return run
'''


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "transformers.py").write_text(STAND_IN, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "transformers", raising=False)
    yield
    sys.modules.pop("transformers", None)


@pytest.mark.usefixtures("stand_in")
def test_optional_models_are_loaded_by_name(signs: Question) -> None:
    plans = [go("temporal-grounding-tool", "a sign"), go("object-tracking-tool", "sign"), ENOUGH]
    ran = run(
        "star", signs, Brain(plans), detector="transformers:some/owl", grounder="transformers:some/clip"
    )
    ground, track = ran.results
    assert (ground.evidence[0].window.start, ground.evidence[0].window.end) == (5.0, 10.0)
    box = track.evidence[0].boxes[0].box
    assert 0.54 < box.x0 < 0.62
    assert all(b.time >= 5 for b in track.evidence[0].boxes)
    assert ran.trajectory.settings["detector"] == "transformers:some/owl"
    assert ran.trajectory.settings["not_offered"] == {}
    with pytest.raises(UserError, match="detector=transformers:broken cannot be loaded"):
        ObjectDetector("broken")


def test_without_the_package_one_line_says_what_to_do() -> None:
    if "transformers" in sys.modules:
        pytest.skip("the package is here")
    with pytest.raises(UserError, match="grounder=transformers:m needs the package transformers") as caught:
        FrameGrounder("m")
    assert "\n" not in str(caught.value)


def test_foreseen_calls_are_the_calls_made(signs: Question) -> None:
    from proofreel.agents._planned import PlanSetting
    from proofreel.agents._star_plan import plan_calls
    from proofreel.models.estimate import facts_of

    class Fact:
        path, duration, height = signs.video, facts_of(signs.video).duration, 180

    setting = PlanSetting(options={}, limits={}, names={"main": "m", "perceiver": "p"})
    foreseen = [c.role for c in plan_calls(signs, Fact(), setting, "low")]
    brain = Brain([go("image-grid-select-tool"), go(QA), ENOUGH])
    ran = run("star", signs, brain)
    made = ["perceiver" if k in ("grid_select", "qa") else "main" for k in brain.asked]
    # the plan has no last turn that only says that it is enough
    assert (foreseen.count("perceiver"), foreseen.count("main")) == (
        made.count("perceiver"),
        made.count("main") - 1,
    )
    assert json.loads(ran.trajectory.model_dump_json())["frames_seen"] == 32
