"""Wrong frames and wrong times: one test a starred report, and some others of the kind."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.agents.wire import run as run_agent_on
from tests.cli.cli import proofreel
from tests.media_maker import make_clip, read_number
from tests.models.wire import ask
from tests.pain.seen import shown

from proofreel.core import Question, Window, tiou
from proofreel.models import media_message, resolve_model
from proofreel.runs.plan import make_plan
from proofreel.runs.setup import Wanted
from proofreel.testing import OpenAIServer, Text
from proofreel.video import At, BadRequest, FrameFlag, FramesRef, Numbered, Rate, Uniform, probe, read_frames
from proofreel.video.sample import Plan

DONE = "FINAL ANSWER: A"


def send(path: Path, plan: Plan) -> list[tuple[float, int | None]]:
    with OpenAIServer([Text("ok")]) as server:
        model = resolve_model("openai-api/local/m", base_url=server.url)
        ask(model, [media_message("look", [FramesRef.of(path, plan)])])
        return shown(server.requests[0].json)


def test_lmms_eval_1244_two_ways_in_say_the_same_times(tmp_path: Path) -> None:
    make_clip(tmp_path / "a.mp4", count=90, fps=10)
    row = {"id": 1, "video": "a.mp4", "question": "Which?", "options": ["x", "y"], "answer": "A"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n")
    with OpenAIServer([Text(DONE), Text(DONE)]) as server:
        words = ("--agent", "single_turn", "--model", "openai-api/local/m", "--base-url", server.url)
        one = proofreel("ask", "a.mp4", "Which?", "--options", "x|y", *words, cwd=tmp_path)
        assert one.code == 0, one.err
        many = proofreel("run", "folder", "--data", ".", "--out", "r", *words, cwd=tmp_path)
        assert many.code == 0, many.err
        first, second = (shown(r.json) for r in server.requests)
    assert first == second
    assert [t for t, _ in first] == [float(t) for t in range(9)]


def test_lmms_eval_674_frames_are_sampled_once(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=600, fps=10)  # 60 s; 120 requests thinned to 32
    pairs = send(clip, Rate(2.0, cap=32))
    assert len(pairs) == 32
    for second, number in pairs:
        assert number is not None
        assert second == pytest.approx(number / 10, abs=0.005)
    assert pairs[-1][0] > 57  # the tail is not cut off


def test_qwen3_vl_1403_the_last_stamp_is_the_last_frame(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=480, fps=1, size=(96, 64))  # eight minutes
    pairs = send(clip, Uniform(8))
    assert pairs[0] == (0.0, 0)
    assert pairs[-1] == (479.0, 479)
    assert [s for s, _ in pairs] == [float(n or 0) for _, n in pairs]


def test_tstar_9_seconds_are_not_frame_numbers(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=98, fps=1, size=(96, 64))
    with pytest.raises((TypeError, AttributeError)):
        tiou([(90, 97)], [Window(start=90, end=97)])  # type: ignore[list-item]
    with pytest.raises(BadRequest):
        Numbered([97.5])  # type: ignore[list-item]
    # Frame number 2937 handed over as a second lies past the end, and that is said.
    late = read_frames(clip, At([2937]))
    assert late.flags[0] & FrameFlag.CLAMPED
    row = {"video": "a.mp4", "question": "q", "answer": "a", "windows": [[2900, 2937]]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n")
    plan = make_plan(Wanted("folder", tmp_path, "retrieval"))
    assert "lies wholly beyond the video (98.00 s)" in str(plan.findings)


def test_torchcodec_1339_backwards_after_the_end_in_hevc(tmp_path: Path) -> None:
    options = {"x265-params": "log-level=none:bframes=3"}
    clip = make_clip(tmp_path / "a.mp4", count=90, fps=30, gop=30, codec="libx265", options=options)
    order = [89, 3, 88, 0, 59, 87, 31, 30, 29]
    order += random.Random(4).sample(range(90), 20)
    for number in order:  # one by one: each call seeks anew
        frames = read_frames(clip, At([number / 30 + 1e-3]))
        assert read_number(frames.images[0]) == number
    together = read_frames(clip, Numbered(order))
    assert [read_number(i) for i in together.images] == order


# Of the same kind, not among the starred ones.


def test_lmms_eval_1404_no_picture_without_a_time(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=80, fps=10)
    question = Question.ask("Which?", str(clip), ("x", "y"), id="q", duration=8.0)
    ran = run_agent_on("single_turn", question, [Text(DONE)])
    assert len(shown(ran.server.requests[0].json)) == 8


@pytest.mark.parametrize("fps", [1, 24, 29.97, 60])
def test_vllm_47736_spacing_follows_the_clip(tmp_path: Path, fps: float) -> None:
    from fractions import Fraction

    rate = Fraction(30000, 1001) if fps == 29.97 else Fraction(int(fps))
    clip = make_clip(tmp_path / "a.mp4", count=48, fps=rate, size=(96, 64))
    frames = read_frames(clip, Uniform(5))
    assert np.allclose(frames.times, frames.indices / float(rate), atol=1e-3)


def test_qwen3_vl_1739_the_length_is_the_clips(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=170, fps=1, size=(96, 64))
    assert probe(clip).duration == pytest.approx(170.0, abs=0.05)


def test_decord_91_every_index_of_a_webm_is_its_own_frame(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.webm", count=60, fps=30, codec="libvpx")
    order = random.Random(1).sample(range(60), 25)
    assert [read_number(i) for i in read_frames(clip, Numbered(order)).images] == order
