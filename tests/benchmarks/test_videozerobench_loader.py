"""The table, its evidence columns as JSON text, and what is said of rows that cannot be used."""

import json
from pathlib import Path

import pytest

from proofreel.benchmarks import DataError, get_benchmark

COLUMNS = ("question_id", "video", "question", "answer", "duration", "evidence_windows", "evidence_boxes")


def table(root: Path, *rows: dict[str, object]) -> Path:
    (root / "compressed").mkdir()
    (root / "compressed/a.mp4").write_bytes(b"x")
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        cells = [row.get(c, "") for c in COLUMNS]
        lines.append("\t".join(c if isinstance(c, str) else json.dumps(c) for c in cells))
    (root / "VideoZeroBench_500_v0.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def test_a_missing_folder_and_no_folder_are_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--data"):
        get_benchmark("videozerobench").load(None)
    with pytest.raises(DataError, match="none"):
        get_benchmark("videozerobench").load(tmp_path / "none")


def test_rows_with_and_without_their_video(tmp_path: Path) -> None:
    quoted = '"[{""start"": 2, ""end"": 5}]"'
    good = {"question_id": "1", "video": "a.mp4", "question": "How many?", "answer": "3", "duration": "9"}
    loaded = get_benchmark("videozerobench").load(
        table(
            tmp_path,
            {**good, "evidence_windows": quoted},
            {**good, "question_id": "2", "video": "gone.mp4"},
        )
    )
    assert [i.question.id for i in loaded.items] == ["1"]
    assert loaded.rows == 2
    assert [(w.start, w.end) for w in loaded.items[0].gold.windows] == [(2.0, 5.0)]
    assert loaded.items[0].gold.answer == "3"
    assert any("gone.mp4" in str(p) for p in loaded.problems)
