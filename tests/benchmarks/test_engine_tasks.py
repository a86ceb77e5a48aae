"""Benchmarks as engine tasks: asked and judged in their own way, as ``proofreel run`` does."""

import json
from pathlib import Path

import pytest

from agents.wire import write_clip
from proofreel.benchmarks import engine as tasks
from proofreel.models import resolve_model
from proofreel.testing import OpenAIServer, Reply, Request, Text

MODEL = "openai-api/local/some-vlm"


def folder(root: Path) -> Path:
    (root / "videos").mkdir(parents=True)
    write_clip(root / "videos" / "v.mp4", seconds=4, fps=5)
    row = {
        "id": "q1",
        "video": "videos/v.mp4",
        "question": "What is written?",
        "answer": "seven",
        "windows": [[1.0, 2.0]],
        "boxes": [{"time": 1.5, "box": [0.2, 0.2, 0.6, 0.6]}],
    }
    (root / "questions.jsonl").write_text(json.dumps(row) + "\n")
    return root


def registered(name: str):
    from inspect_ai._util.registry import registry_find, registry_info

    found = [o for o in registry_find(lambda i: i.type == "task") if registry_info(o).name.endswith(name)]
    return found[-1]


def run(name: str, reply, tmp_path: Path, **words):
    from inspect_ai import eval

    assert tasks  # registers the tasks
    with OpenAIServer(reply) as server:
        model = resolve_model(MODEL, base_url=server.url)
        task = registered(name)(data=str(folder(tmp_path / "data")), **words)
        (log,) = eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", log_realtime=False)
        return log, server.requests


def levels(request: Request) -> Reply:
    said = request.raw.decode()
    if "bbox_2d" in said:
        return Text('[{"time": 1.5, "bbox_2d": [[0.2, 0.2, 0.6, 0.6]]}]')
    return Text("From <1 seconds> to <2 seconds>." if "Write one sentence for each" in said else "seven")


def test_an_exam_is_put_and_judged_as_the_benchmark_says(tmp_path: Path) -> None:
    log, requests = run("videozerobench", levels, tmp_path, agent="levels", options={"box_mode": "0-1"})
    assert log.status == "success", log.error
    assert len(requests) == 5
    score = log.samples[0].scores["benchmark_verdict"]
    assert score.value == "C"
    kept = score.metadata["details"]["scores"]["careful"]
    assert (kept["acc3"], kept["tiou"], kept["viou"]) == (1, 1.0, 1.0)


@pytest.mark.parametrize(("said", "value"), [("FINAL ANSWER: Seven", "C"), ("FINAL ANSWER: eight", "I")])
def test_an_open_answer_is_judged_as_one(tmp_path: Path, said: str, value: str) -> None:
    log, _ = run("folder", [Text(said)], tmp_path, agent="single_turn")
    assert log.status == "success", log.error
    assert log.samples[0].scores["benchmark_verdict"].value == value
