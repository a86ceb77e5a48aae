"""Files of a run that hold what models, people and broken disks put there."""

import errno
import json
import os
from pathlib import Path

import pytest
from tests.cli.cli import proofreel
from tests.judges.judge_world import JUDGE, make_data, make_run, perfect
from tests.runs.made import make_data as plain_data
from tests.runs.made import make_run as plain_run

from proofreel.core.errors import UserError
from proofreel.judges.audit import read_overrides
from proofreel.judges.rubric import RubricSettings
from proofreel.judges.validation.human import read_ratings
from proofreel.runs import RunError, RunFolder
from proofreel.runs._files import append_line
from proofreel.runs.judge_run import Wanted, judge_run
from proofreel.runs.judgements import read_judgements
from proofreel.runs.matrix import combinations
from proofreel.runs.milestone_run import make_milestones
from proofreel.runs.rescore import rescore
from proofreel.runs.start import gold_of
from proofreel.testing import OpenAIServer, Reply, Request, Text

BREAKS = "one\u2028two\x85three\x0bfour\x1cfive"
"""Characters at which Python's ``splitlines`` cuts, and JSON does not."""


def test_line_separators_inside_an_answer_do_not_cut_its_line(tmp_path: Path) -> None:
    run = plain_run(tmp_path / "run", plain_data(tmp_path / "data"), {"1": "right"})
    (result,) = run.results()
    answer = result.trajectory.answer.model_copy(update={"reason": BREAKS})
    changed = result.trajectory.model_copy(update={"answer": answer})
    with run.writing():
        run.add(result.model_copy(update={"item_id": "2", "trajectory": changed}))
        run.repair()
    first, second = RunFolder.open(run.path).results()
    assert first.item_id == "1"
    assert second.trajectory.answer.reason == BREAKS


@pytest.mark.parametrize(("said", "kept"), [(BREAKS, BREAKS), ("cut \ud83d here", "cut \ufffd here")])
def test_what_a_judge_says_is_kept_whatever_its_characters(tmp_path: Path, said: str, kept: str) -> None:
    run = make_run(tmp_path / "run", make_data(tmp_path / "data", questions=2, videos=1))

    def judge(request: Request) -> Reply:
        reply = perfect(request)
        assert isinstance(reply, Text)
        return Text(reply.text.replace('"as scripted"', json.dumps(said)))

    quiet = RubricSettings(config={"max_retries": 0})
    with OpenAIServer(judge) as server:
        done = judge_run(run, gold_of(run), Wanted(JUDGE, base_url=server.url, settings=quiet))
    lines = read_judgements(done.file.path).lines
    assert [line.judgement.status for line in lines] == ["judged", "judged"]
    assert all(line.judgement.summary == kept for line in lines)


@pytest.mark.parametrize(
    "reply", ['{"a":' * 3000 + "1" + "}" * 3000, '{"process_scores": ' + "9" * 5000 + "}"]
)
def test_json_that_python_refuses_is_a_failed_judgement(tmp_path: Path, reply: str) -> None:
    run = make_run(tmp_path / "run", make_data(tmp_path / "data", questions=2, videos=1))
    once = RubricSettings(config={"max_retries": 0}, attempts=1)
    with OpenAIServer(lambda request: Text(reply)) as server:
        done = judge_run(run, gold_of(run), Wanted(JUDGE, base_url=server.url, settings=once))
    assert {j.status for j in done.file.latest.values()} == {"judge_failed"}


def test_settings_nested_too_deep_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(RunError, match=r"run\.json: cannot be read \(.*\); restore"):
        RunFolder.open(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item_id,cause,epoch\n1,visual perception,²\n", "line 2: needs item_id, and epoch as a number"),
        (f"item_id,cause\n1,{'x' * 200_000}\n", r"line \d: is no CSV"),
        ("item_id,cause\n1,none of them,and,more\n", "line 2: cause 'none of them' is none of"),
    ],
)
def test_causes_that_make_no_sense_name_their_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "causes.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_overrides(file)


@pytest.mark.parametrize("cells", ["1,2,2,2,2,2,²", "1,2,2,2,2,2," + "9" * 5000])
def test_ratings_with_a_wrong_epoch_name_their_row(tmp_path: Path, cells: str) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(f"item_id,P1,P2,P3,P4,P5,epoch\n{cells}\n", encoding="utf-8")
    with pytest.raises(UserError, match="row 1: epoch .* is no number"):
        read_ratings(file)


def test_a_rating_may_have_a_line_break_in_quotes(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text('item_id,P1,rater\n1,2,"Ann\nBee"\n', encoding="utf-8")
    (rating,) = read_ratings(file)
    assert (rating.item_id, rating.rater) == ("1", "Ann\nBee")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"options": 7}, "line 1: options must be a list"),
        ({"options": "ab"}, "line 1: options must be a list"),
        ({"answer": 5}, "line 1: answer: Input should be a valid string"),
    ],
)
def test_questions_for_milestones_name_the_wrong_field(tmp_path: Path, change: dict, said: str) -> None:
    row = {"question_id": 1, "question_text": "q?", "options": ["a", "b"], "answer": "A"}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({**row, **change}) + "\n")
    with pytest.raises(UserError, match=said):
        make_milestones(file, tmp_path / "out.jsonl", JUDGE)


def test_a_broken_state_is_one_line(tmp_path: Path) -> None:
    run = plain_run(tmp_path / "run", plain_data(tmp_path / "data"), {"1": "right"})
    (run.path / "state.json").write_text('{"state": "flying"}')
    with pytest.raises(RunError, match=r"state\.json: .*; delete it, then: proofreel resume"):
        _ = run.state


@pytest.mark.parametrize("name", ["", ".", "../../x", "a/b", "/tmp/x", "x" * 81, "a\0b", "a\n"])
def test_a_scoring_stays_in_the_folder_of_its_run(tmp_path: Path, name: str) -> None:
    run = plain_run(tmp_path / "run", plain_data(tmp_path / "data"), {"1": "right"})
    with pytest.raises(UserError, match="--name"):
        rescore(run, gold_of(run), mode="careful", name=name)
    assert not (run.path / "scores").exists()


def test_merged_milestones_never_replace_the_extractions_that_were_paid(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question_id": 1, "question_text": "q?", "answer": "A"}\n')
    (tmp_path / "out.jsonl").write_text("paid\n")
    words = ["milestones", "q.jsonl", "--model", JUDGE, "--out", "out.jsonl", "--merged", "out.jsonl"]
    ran = proofreel(*words, cwd=tmp_path)
    assert ran.code == 2
    assert ran.error_lines == [
        "error: out.jsonl: is the file of the questions or of --out; choose another --merged"
    ]
    assert (tmp_path / "out.jsonl").read_text() == "paid\n"


@pytest.mark.parametrize(
    ("inside", "then"), [(".", "then: proofreel resume"), ("judgements", "then give the same")]
)
def test_a_line_for_which_there_is_no_room_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str, then: str
) -> None:
    (tmp_path / "run.json").write_text("{}")
    file = tmp_path / inside / "lines.jsonl"
    file.parent.mkdir(exist_ok=True)
    append_line(file, "first")
    real = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) > 3:
            return real(handle, data[:3])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RunError, match=f"No space left on device.*{then}"):
        append_line(file, "second")
    assert file.read_text() == "first\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("limit: lots", "limit: Input should be a valid integer"),
        ("limit: .nan", "limit: Input should be a finite number"),
        ("limit: 0", "limit must be more than 0"),
        ("epochs: 0", "epochs must be more than 0"),
        ("max_cost: -1", "max_cost must be more than 0"),
        ("max_cost: .nan", "max_cost must be more than 0"),
        ("roles: 5", "roles: Input should be a valid dictionary"),
        ("set: [1]", "set: Input should be a valid dictionary"),
        ("set: " + "[" * 5000, "is no YAML"),
    ],
)
def test_a_matrix_with_a_wrong_value_names_its_key(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "matrix.yaml"
    file.write_text(f"benchmarks: [mini]\nagents: [blind]\n{line}\n")
    with pytest.raises(UserError, match=f"matrix.yaml: {said}"):
        combinations(file)
