"""People: means within a question before means over questions, blanks, thresholds, and the verb."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.vzb_table import judged, make_table
from proofreel.benchmarks import DataError, get_benchmark
from proofreel.benchmarks.videozerobench.human import aggregate, human_tables, read_replies
from proofreel.benchmarks.videozerobench.marks import level_runs
from proofreel.core import Item

# Question 0 has windows 0-10 s and a box, 320 windows only, 442 a box only (see vzb_table).
CSV = """participant,question_id,answer,windows,boxes,minutes
p1,0,4,0-10,"[{""time"": 5.0, ""bbox_2d"": [0, 0, 0.5, 0.5]}]",6
p2,0,4,From <0 seconds> to <3 seconds>.,,5
p3,0,,0-10,,1
p4,0,5,,"[{""time"": 5.0, ""bbox_2d"": [[0, 0, 0.5, 0.25]]}]",1
p1,320,4,0-8; 20-22,,7
p2,442,5,,,2
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_table(tmp_path_factory.mktemp("vzb") / "data")


@pytest.fixture(scope="module")
def items(root: Path) -> dict[str, Item]:
    return {i.question.id: i for i in get_benchmark("videozerobench").load(root).items}


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_participants_first_then_questions(tmp_path: Path, items: dict[str, Item]) -> None:
    found = aggregate(read_replies(study(tmp_path, CSV)), items)
    assert (found.participants, len(found.marks)) == (4, 3)
    # Answers: question 0 two of four, 320 right, 442 wrong.
    assert found.mean("acc3") == (pytest.approx(100 * (0.5 + 1 + 0) / 3), 3)
    # tIoU: question 0: 1, 0.3, 1, 0; 320: 8 of 12 seconds. 442 has no windows.
    assert found.mean("tiou") == (pytest.approx(100 * (2.3 / 4 + 8 / 12) / 2), 2)
    # Level 4: p1 alone on question 0 (p2 does not exceed 0.3, p3 is blank); 320; 442 cannot.
    assert found.mean("l4") == (pytest.approx(100 * (0.25 + 1 + 0) / 3), 3)
    # vIoU: question 0: 1, 0, 0, 1/2; 442: 0.
    assert found.mean("viou") == (pytest.approx(100 * (1.5 / 4 + 0) / 2), 2)
    assert found.mean("l5") == (pytest.approx(100 * (0.25 + 0 + 0) / 3), 3)
    assert found.notes == ("2 of 3 questions have one participant only",)


def test_tables_of_people_quote_the_published_row(tmp_path: Path, items: dict[str, Item]) -> None:
    levels, abilities, languages = human_tables(aggregate(read_replies(study(tmp_path, CSV)), items))
    assert levels.rows[0][:4] == ("human", 3, 4, pytest.approx(50.0))
    assert levels.rows[1][0] == "human (50 questions), published" and levels.rows[1][3] == 67.6
    assert [r[:2] for r in languages.rows] == [("cn", 1), ("en", 2)]  # questions 0-279 are Chinese
    assert [r[2] for r in languages.rows] == pytest.approx([50.0, 50.0])
    assert all(r[1] == 0 and r[2] is None for r in abilities.rows), (
        "no ability is named: no number is made up"
    )


def test_models_stand_beside_people_on_their_questions_only(tmp_path: Path, items: dict[str, Item]) -> None:
    runs = level_runs([judged(list(items.values()))])
    levels, *_ = human_tables(aggregate(read_replies(study(tmp_path, CSV)), items), runs)
    # Of 500 replies those to 0, 320 and 442 count: all right, two of them with their windows, one with its box.
    assert levels.rows[1] == (
        "model",
        3,
        None,
        100.0,
        100.0,
        pytest.approx(200 / 3),
        50.0,
        pytest.approx(100 / 3),
    )


def test_a_participant_with_too_many_questions_is_told(tmp_path: Path, items: dict[str, Item]) -> None:
    lines = "".join(f"busy,{n},4\n" for n in range(11))
    found = aggregate(read_replies(study(tmp_path, "participant,question_id,answer\n" + lines)), items)
    assert found.notes[0] == "busy: more than 10 questions"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("participant,answer\np,4\n", "no column question_id"),
        ("participant,question_id,answer\n", "no replies"),
        ("participant,question_id,answer\np,0,4\np,0,5\n", "line 3: p has question 0 twice"),
        ("participant,question_id,answer\n,0,4\n", "line 2: no participant"),
        ('participant,question_id,answer\np,0,"4\n', "line 2: not a row of a CSV file"),
    ],
)
def test_bad_files_are_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_replies(study(tmp_path, text))
    with pytest.raises(DataError, match="cannot be read"):
        read_replies(tmp_path / "none.csv")


def test_an_unknown_question_is_told(tmp_path: Path, items: dict[str, Item]) -> None:
    with pytest.raises(DataError, match="question 9999 of participant p"):
        aggregate(read_replies(study(tmp_path, "participant,question_id,answer\np,9999,4\n")), items)


def test_the_verb(tmp_path: Path, root: Path) -> None:
    out = tmp_path / "tables.json"
    command = [
        sys.executable,
        "-m",
        "proofreel",
        "human-study",
        str(study(tmp_path, CSV)),
        "--data",
        str(root),
    ]
    done = subprocess.run([*command, "--out", str(out)], check=True, capture_output=True, text=True)
    assert "67.6" in done.stdout and "Mean over participants" in done.stdout
    levels = json.loads(out.read_text())[0]
    assert levels["id"] == "vzb_human_levels" and levels["rows"][0][3] == pytest.approx(50.0)
