"""The report of runs: files that can be read back, and a page that shows what they say."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from tests.cli.cli import proofreel
from tests.runs.made import make_data, make_run

from proofreel.report.errors import ReportError
from proofreel.report.run_page import write_run_report
from proofreel.runs.numbers_compare import compare_runs
from proofreel.runs.numbers_load import load_run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data")


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def text_of(page: str) -> str:
    body = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_files_say_what_was_counted_by_hand(tmp_path: Path, data: Path) -> None:
    endings = {"1": "right", "2": "wrong", "3": "abstained", "4": "judge_failed", "5": "unparsed"}
    make_run(tmp_path / "run", data, endings)
    page = write_run_report([load_run(tmp_path / "run")], tmp_path / "out").page
    (row,) = table(tmp_path / "out/runs.csv")
    assert (row["accuracy"], row["right"], row["asked"]) == ("0.25", "1", "4")
    ended = ("right", "wrong", "unparsed", "judge_failed", "not_run", "abstained")
    assert [row[k] for k in ended] == list("111111")
    assert row["mean_tiou"] == ""  # unknown is an empty cell, not a number
    items = {r["question"]: r for r in table(tmp_path / "out/items.csv")}
    assert items["6"]["ending"] == "not_run"
    assert items["2"]["letter"] == "C"
    slices = {(r["key"], r["value"]): r for r in table(tmp_path / "out/slices.csv")}
    assert slices["difficulty", "hard"]["right"] == "1"
    saved = json.loads((tmp_path / "out/numbers.json").read_text())["runs"][0]
    assert saved["counts"]["judge_failed"] == 1
    shown = text_of(page.read_text())
    assert "25.0 %" in shown
    assert "1 judge failed" in shown
    assert "1 not run" in shown
    assert "guessing, 25.0 %" in shown
    assert "AgentVidBench summary" in shown
    markdown = (tmp_path / "out/report.md").read_text()
    assert "| blind | agentvidbench | careful | 25.0 |" in markdown


def test_several_runs_are_compared_with_holm(tmp_path: Path, data: Path) -> None:
    right, wrong = dict.fromkeys("123456", "right"), dict.fromkeys("123456", "wrong")
    for name, endings in (("a", right), ("b", wrong), ("c", {**right, "1": "wrong"})):
        make_run(tmp_path / name, data, endings)
    runs = [load_run(tmp_path / n) for n in "abc"]
    pairs = {(p.a, p.b): p for p in compare_runs(runs)}
    assert set(pairs) == {(0, 1), (0, 2), (1, 2)}
    assert pairs[0, 1].paired.difference == -1.0
    # Three videos, all for a: 2 of 8 sign patterns are as extreme.
    assert pairs[0, 1].paired.by_video_p == pytest.approx(0.25)
    assert pairs[0, 1].holm_p == pytest.approx(0.75)
    write_run_report(runs, tmp_path / "out")
    assert len(table(tmp_path / "out/pairs.csv")) == 3


def test_what_runs_contain_is_escaped(tmp_path: Path, data: Path) -> None:
    text = (data / "questions.jsonl").read_text().replace("Question 1?", "<script>alert(1)</script>?")
    (data / "questions.jsonl").write_text(text)
    make_run(tmp_path / "run", data, {"1": "right"}, model="<b>bold</b>")
    page = write_run_report([load_run(tmp_path / "run")], tmp_path / "out").page.read_text()
    assert "<script>alert" not in page
    assert "<b>bold" not in page
    assert "\\u003cscript\\u003ealert(1)" in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_a_folder_that_cannot_be_written_and_nothing_to_report(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "run", data, {"1": "right"})
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="cannot be written"):
        write_run_report([load_run(tmp_path / "run")], tmp_path / "file")
    with pytest.raises(ReportError, match="nothing to report"):
        write_run_report([], tmp_path / "out")


def test_the_command(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, {"1": "right", "2": "wrong"})
    make_run(tmp_path / "b", data, dict.fromkeys("123456", "right"))
    done = proofreel("report", "a", "b", "--out", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "50.0 %" in done.out
    assert "100.0 %" in done.out
    assert "AgentVidBench official: 1 / 2" in done.out
    assert (tmp_path / "out/report.html").is_file()
    assert done.out.rstrip().endswith("report: out/report.html (open it in a browser)")
    assert "by question" in done.out and "(3 videos)" in done.out  # too few for an interval over videos
    as_json = proofreel("report", "a", "--out", "out", "--json", cwd=tmp_path)
    assert json.loads(as_json.out)["runs"][0]["accuracy"]["rate"] == 0.5
    missing = proofreel("report", "a", "--scores", "none", cwd=tmp_path)
    assert missing.code == 4
    assert "no such scoring" in missing.err
