import json
from pathlib import Path

import pytest

from proofreel.benchmarks import DataError, get_benchmark, list_benchmarks
from proofreel.benchmarks.agentvidbench.loader import load_folder
from proofreel.tools import UnknownNameError

ROW = {
    "question_id": 7,
    "video_path": "videos/video5.mp4",
    "question_text": "How many blue bowls?",
    "options": [str(n) for n in range(26)],
    "answer": "D",
    "answer_explanation": "SECRET: three bowls",
    "milestones": [
        {"id": "M1", "type": "audio_visual_evidence", "description": "Find the remark"},
        {"id": "M2", "type": "counting", "description": "Count three bowls"},
    ],
    "ecom_required": True,
    "difficulty": "hard",
    "skills": ["Speech Grounding", "OCR/text reading"],
    "a_new_key": 1,
}


def folder(tmp_path: Path, *rows: object) -> Path:
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos/video5.mp4").write_bytes(b"x")
    text = "\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows)
    (tmp_path / "questions.jsonl").write_text(text + "\n", encoding="utf-8")
    return tmp_path


def test_a_row_becomes_an_item(tmp_path: Path) -> None:
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts/video5.srt").write_text("")
    item = load_folder(folder(tmp_path, ROW), name="x").items[0]
    assert (item.question.id, item.gold.answer) == ("7", "D")
    assert item.question.option_text("Z") == "25"
    assert item.question.transcript == str(tmp_path / "transcripts/video5.srt"), (
        "fallback by the video's name"
    )
    assert item.metadata["skills"] == ["speech_grounding", "ocr_text_reading"]
    assert item.metadata["sweep_required"] == "yes"
    seen = item.question.model_dump_json()
    assert "SECRET" not in seen
    assert "hard" not in seen


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "d"}, "answer"),
        ({"options": ["1", "2"]}, "beyond the 2 options"),
        ({"video_path": "videos/none.mp4"}, "videos/none.mp4 is missing"),
        ({"question_text": ""}, "question_text"),
        ({"difficulty": "impossible"}, "difficulty"),
        ({"windows": [[5, 1]]}, "ends before it starts"),
    ],
)
def test_a_bad_row_is_named_and_the_good_one_kept(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    loaded = load_folder(folder(tmp_path, {**ROW, **change, "question_id": 1}, ROW), name="x")
    assert [i.question.id for i in loaded.items] == ["7"]
    assert loaded.rows == 2
    assert len(loaded.problems) == 1
    assert message in str(loaded.problems[0])
    assert "1 of 2 questions usable" in loaded.summary


def test_broken_json_and_double_ids(tmp_path: Path) -> None:
    loaded = load_folder(folder(tmp_path, ROW, '{"question_id": 8,', ROW), name="x")
    assert len(loaded.items) == 2 - 1
    assert "line 2" in str(loaded.problems[0])
    assert "twice" in str(loaded.problems[1])


def test_doubts_do_not_drop_a_row(tmp_path: Path) -> None:
    odd = {**ROW, "milestones": [{"id": "M2", "type": "magic", "description": "x"}]}
    loaded = load_folder(folder(tmp_path, odd), name="x")
    assert len(loaded.items) == 1
    assert {p.fatal for p in loaded.problems} == {False}


def test_missing_folder_file_and_empty_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_folder(tmp_path / "no", name="x")
    with pytest.raises(DataError, match="questions.jsonl"):
        load_folder(tmp_path, name="x")
    (tmp_path / "questions.jsonl").write_text("\n")
    with pytest.raises(DataError, match="no usable question"):
        load_folder(tmp_path, name="x")
    (tmp_path / "questions.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        load_folder(tmp_path, name="x")


def test_registry_offers_but_never_guesses() -> None:
    assert {"agentvidbench", "mini"} <= {b.name for b in list_benchmarks()}
    with pytest.raises(UnknownNameError, match="did you mean agentvidbench"):
        get_benchmark("agentvidbnch")
    with pytest.raises(DataError, match="--data"):
        get_benchmark("agentvidbench").load(None)


def test_the_shipped_set_is_whole() -> None:
    loaded = get_benchmark("mini").load(None)
    assert len(loaded.items) == loaded.rows == 10
    assert not loaded.problems
    for item in loaded.items:
        assert len(item.question.options) == 26
        assert 3 <= len(item.gold.milestones) <= 7
        assert item.gold.windows
