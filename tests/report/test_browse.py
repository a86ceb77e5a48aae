"""What the page's item browser is given: moments of steps, frames from the ledger, judgements, videos."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.report.made_report import make_agent_run, make_set
from tests.runs.made import make_data, make_run

from proofreel.core import Evidence, Observation, Provenance, Step, ToolCall, Window
from proofreel.judges.rubric import Judgement, MilestoneLabel
from proofreel.report._browse import ALL_TEXTS, LEAST_TEXT, STEP_TEXT, text_limit
from proofreel.report._moments import step_moment, ticks
from proofreel.report._videos import page_videos, relative_link
from proofreel.report.run_page import write_run_report
from proofreel.runs.judgements import JudgeHead, JudgementLine, trajectory_hash
from proofreel.runs.numbers_load import load_run

NOW = "2026-01-01T00:00:00Z"


def block(page: Path, name: str) -> Any:
    text = page.read_text()
    start = text.index(f'id="{name}">') + len(f'id="{name}">')
    return json.loads(text[start : text.index("</script>", start)])


@pytest.mark.parametrize(
    ("arguments", "moment"),
    [
        ({"start_time": 3, "end_time": 8.5}, (3.0, 8.5)),
        ({"start": 3}, (3.0, 3.0)),
        ({"start": 9, "end": 4}, (9.0, 9.0)),
        ({"window": [1, 2]}, (1.0, 2.0)),
        ({"start_time": "soon"}, None),
        ({"start_time": True, "query": "x"}, None),
        ({"start": -1}, None),
    ],
)
def test_a_call_names_its_moment(arguments: dict[str, Any], moment: tuple[float, float] | None) -> None:
    call = ToolCall(id="c", name="analyze_video", arguments=arguments)
    assert step_moment(Step(id=1, phase="tool_call", calls=(call,)), {}) == moment


def test_without_times_in_the_call_the_first_finding_is_the_moment() -> None:
    found = tuple(
        Evidence(window=Window(start=s, end=s + 2), provenance=Provenance(claimed_by="a")) for s in (7.0, 1.0)
    )
    seen = Observation(call_id="c", tool="search", ok=True, text="", evidence=found)
    assert step_moment(Step(id=1, phase="tool_result", observations=(seen,)), {}) == (7.0, 9.0)


def test_ticks_are_distinct_ordered_and_thinned() -> None:
    assert ticks([3.0, 1.0, 1.001, 2.0]) == [1.0, 2.0, 3.0]
    many = ticks(n / 10 for n in range(5000))
    assert len(many) <= 300 and many[0] == 0.0 and many[-1] > 490


def test_many_trajectories_get_shorter_texts() -> None:
    assert text_limit(1) == text_limit(400) == STEP_TEXT
    assert text_limit(4000) == ALL_TEXTS // 4000
    assert text_limit(10**6) == LEAST_TEXT


def test_small_videos_stand_inside_once_and_the_rest_are_linked(tmp_path: Path) -> None:
    data = make_set(tmp_path / "my data", questions=4, videos=2)
    paths = sorted(str(p) for p in (data / "videos").glob("*.mp4"))
    with paths_larger(paths[1]):
        sizes = [Path(p).stat().st_size for p in paths]
        room = (sizes[0] * 4 / 3 + 10) / 1e6
        found = page_videos([*paths, paths[0]], tmp_path / "out/report.html", room)
    assert [bool(found[p].data) for p in paths] == [True, False]
    assert found[paths[1]].poster.startswith("data:image/jpeg;base64,")
    assert found[paths[1]].src == "../my%20data/videos/video1.mp4"
    make_agent_run(tmp_path / "run", data, "avp", 1.0, looks=1)
    page = write_run_report([load_run(tmp_path / "run")], tmp_path / "out", figures=False).page
    assert page.read_text().count('<script type="text/plain" id="video-') == 2, "four questions, two videos"
    assert str(tmp_path) not in json.dumps([v["src"] for v in block(page, "report-data")["videos"]])


def paths_larger(path: str):
    """The second video made larger than the first by a tail that players ignore."""
    from contextlib import nullcontext

    with Path(path).open("ab") as file:
        file.write((8 + 5000).to_bytes(4, "big") + b"free" + bytes(5000))
    return nullcontext()


def test_links_are_relative_whatever_the_folders(tmp_path: Path) -> None:
    assert relative_link(tmp_path / "a #1/v.mp4", tmp_path / "out/x/report.html") == "../../a%20%231/v.mp4"


def test_frames_of_a_step_come_from_the_ledger(tmp_path: Path) -> None:
    data = make_set(tmp_path / "data", questions=1, videos=1)
    make_agent_run(tmp_path / "run", data, "avp", 1.0, looks=2)
    page = write_run_report([load_run(tmp_path / "run")], tmp_path / "out", figures=False).page
    (run,) = block(page, "q-0")["runs"]
    assert run["data"]["seen"] == [2 + n / 2 for n in range(12)]  # two looks, 3 s each, two frames a second
    assert [s["seen"] for s in run["steps"]] == [[], run["data"]["seen"][:6], [], run["data"]["seen"][6:]]
    assert [s["moment"] for s in run["steps"]] == [[2, 5], [2, 5], [5, 8], [5, 8]]
    assert run["data"]["duration"] == pytest.approx(24, abs=0.3) and run["data"]["known"]


def test_a_trajectory_judge_shows_on_the_question(tmp_path: Path) -> None:
    data = make_set(tmp_path / "data", questions=1, videos=1)
    run = make_agent_run(tmp_path / "run", data, "avp", 1.0, looks=1)
    judged_one = run.latest()["1", 1].trajectory
    said = Judgement(
        status="judged",
        judge="made/judge",
        scores={"P1": 2, "P4": None},
        traj=0.75,
        mc_rate=0.5,
        milestones=(
            MilestoneLabel(id="M1", status="covered", evidence="step 2"),
            MilestoneLabel(id="M2", status="missing"),
        ),
        failure_tags=("counting_error",),
        summary="It looked once.",
    )  # fmt: skip
    lines = [
        JudgeHead(created=NOW, proofreel="0", judge="made/judge", prompt="v1", prompt_sha256="0", system="s"),
        JudgementLine(item_id="1", at=NOW, judgement=said, trajectory=trajectory_hash(judged_one)),
    ]
    (run.path / "judgements").mkdir()
    (run.path / "judgements/judge.jsonl").write_text("".join(x.model_dump_json() + "\n" for x in lines))
    page = write_run_report([load_run(tmp_path / "run")], tmp_path / "out", figures=False).page
    judged = block(page, "q-0")["runs"][0]["judged"]
    assert [(m["id"], m["status"], m["text"]) for m in judged["milestones"]] == [
        ("M1", "covered", "Find the moment of the mark"),
        ("M2", "missing", "Count the stops before it"),
    ]
    assert dict(judged["scores"]) == {
        "P1 task understanding": "2", "P4 evidence completeness": "not applicable",
        "trajectory score": "0.75", "milestone coverage": "0.5",
    }  # fmt: skip
    assert judged["tags"] == ["counting error"]
    assert ["trajectory judge", "made/judge"] in judged["details"]


def test_runs_of_several_benchmarks_and_lost_data(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    make_run(tmp_path / "a", data, {("1", 1): "right", ("1", 2): "abstained"}, epochs=2)
    make_run(tmp_path / "b", data, {"1": "wrong"}, benchmark="folder")
    runs = [load_run(tmp_path / n, probe_videos=False) for n in "ab"]
    page = write_run_report(runs, tmp_path / "out", figures=False).page
    questions = block(page, "report-data")["questions"]
    assert len(questions) == 6 * 2 + 6, "questions of two benchmarks are not the same though their ids are"
    first = next(q for q in questions if (q["bench"], q["id"], q["epoch"]) == ("agentvidbench", "1", 2))
    assert first["cells"] == [{"e": "abstained", "a": ""}, None]
    (data / "questions.jsonl").unlink()
    page = write_run_report([load_run(tmp_path / "a")], tmp_path / "gone", figures=False).page
    assert block(page, "report-data")["questions"][0]["text"] == ""
    assert "The videos are not there any more." in page.read_text()
