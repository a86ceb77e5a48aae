"""Data that rot, rows that point nowhere, requests no provider takes."""

import json
from pathlib import Path

import pytest
from tests.cli.cli import proofreel
from tests.media_maker import make_clip
from tests.models.wire import ask
from tests.runs.made import make_data, make_run

from proofreel.models import FailureKind, ModelFailure, media_message, resolve_model
from proofreel.runs.numbers import numbers_of
from proofreel.runs.plan import make_plan
from proofreel.runs.setup import Wanted
from proofreel.testing import OpenAIServer, Text
from proofreel.video import FramesRef, Uniform


def rows(root: Path, *changes: dict) -> Path:
    base = {"video": "a.mp4", "question": "q?", "options": ["x", "y"], "answer": "A"}
    text = "".join(json.dumps({**base, "id": n, **c}) + "\n" for n, c in enumerate(changes, 1))
    (root / "questions.jsonl").write_text(text)
    return root


def test_lvbench_2_a_video_is_gone_and_the_score_names_its_subset(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")  # six questions on three videos
    (data / "videos/video1.mp4").unlink()
    plan = make_plan(Wanted("agentvidbench", data, "blind"))
    assert (plan.usable, plan.rows) == (4, 6)
    assert [f.where for f in plan.findings if "missing" in f.message] == ["question 3", "question 4"]
    make_run(tmp_path / "run", data, {"1": "right", "2": "right", "5": "wrong", "6": "wrong"}, ids=None)
    numbers = numbers_of(str(tmp_path / "run"))
    assert numbers.named_subset == "4 of 6 questions (2 not usable)"
    assert numbers.accuracy.asked == 4


def test_video_mme_20_384_images_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=400, fps=1, size=(64, 48))
    with OpenAIServer([Text("ok")]) as server:
        model = resolve_model("openai-api/local/gpt-4o", base_url=server.url)
        with pytest.raises(ModelFailure, match="at most 250") as refused:
            ask(model, [media_message("look", [FramesRef.of(clip, Uniform(384))])])
        assert refused.value.kind is FailureKind.PAYLOAD
        assert not [r for r in server.requests if r.method == "POST"]
    wanted = Wanted("folder", rows(tmp_path, {}), "single_turn", "openai/gpt-4o", options={"max_frames": 384})
    plan = make_plan(wanted)
    assert plan.exit_code == 2
    assert plan.proposal == "--set max_frames=250"


# Of the same kind, not among the starred ones.


def test_longvideobench_16_rows_that_name_files_outside_the_release(tmp_path: Path) -> None:
    make_clip(tmp_path / "a.mp4", count=10, fps=10)
    plan = make_plan(Wanted("folder", rows(tmp_path, {}, {"video": "b.mp4"}), "blind"))
    assert plan.exit_code == 1
    assert "question 2: video b.mp4 is missing" in str([str(f) for f in plan.findings])


def test_streamingbench_10_a_time_past_the_end_of_the_video(tmp_path: Path) -> None:
    make_clip(tmp_path / "a.mp4", count=20, fps=10)
    plan = make_plan(Wanted("folder", rows(tmp_path, {"windows": [[1, 2.5]]}), "blind"))
    assert plan.exit_code == 1
    assert "window 1 to 2.5 s ends beyond the video (2.00 s)" in str(plan.findings)


def test_vlmevalkit_532_a_misspelt_benchmark_stops(tmp_path: Path) -> None:
    done = proofreel("plan", "agentvidbnch", cwd=tmp_path)
    assert done.code == 2
    assert "agentvidbench" in done.err  # offered, not taken
    assert len(done.error_lines) == 1
