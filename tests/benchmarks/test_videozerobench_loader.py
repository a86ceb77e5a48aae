"""The table with all its quirks, the archive, and what is said of rows that cannot be used."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from proofreel.benchmarks import DataError, LoadedSet, get_benchmark
from proofreel.benchmarks.videozerobench.loader import load_rows

COLUMNS = ("question_id", "video", "question", "answer", "duration", "evidence_windows", "evidence_boxes")
GOOD = {"question_id": "1", "video": "a.mp4", "question": "How many?", "answer": "3", "duration": "9"}


def write(root: Path, text: str, encoding: str = "utf-8") -> Path:
    """A data folder with one video and this text as its table."""
    (root / "compressed").mkdir(parents=True, exist_ok=True)
    (root / "compressed/a.mp4").write_bytes(b"x")
    (root / "VideoZeroBench_500_v0.tsv").write_bytes(text.encode(encoding))
    return root


def table(root: Path, *rows: dict[str, object], columns: tuple[str, ...] = COLUMNS) -> Path:
    lines = ["\t".join(columns)]
    for row in rows:
        cells = [row.get(c, "") for c in columns]
        lines.append("\t".join(c if isinstance(c, str) else json.dumps(c) for c in cells))
    return write(root, "\n".join(lines) + "\n")


def load(root: Path) -> LoadedSet:
    return get_benchmark("videozerobench").load(root)


def test_a_missing_folder_and_no_folder_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="--data"):
        load(None)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="none"):
        load(tmp_path / "none")
    with pytest.raises(DataError, match=r"must hold VideoZeroBench_500_v0\.tsv"):
        load(tmp_path)
    monkeypatch.setenv("VideoZeroBench", str(table(tmp_path / "named", GOOD)))
    assert len(load(None).items) == 1  # type: ignore[arg-type]


def test_rows_with_and_without_their_video(tmp_path: Path) -> None:
    quoted = '"[{""start"": 2, ""end"": 5}]"'
    loaded = load(
        table(
            tmp_path,
            {**GOOD, "evidence_windows": quoted},
            {**GOOD, "question_id": "2", "video": "gone.mp4"},
        )
    )
    assert [i.question.id for i in loaded.items] == ["1"]
    assert loaded.rows == 2
    assert [(w.start, w.end) for w in loaded.items[0].gold.windows] == [(2.0, 5.0)]
    assert loaded.items[0].gold.answer == "3"
    assert any("gone.mp4" in str(p) for p in loaded.problems)


# --- cells ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", ["007", "3.0", "1e5", "NA", "nan", "None", "null", "TRUE", "-0", "1,000", "三", "红色"]
)
def test_answers_stay_as_they_are_written(tmp_path: Path, answer: str) -> None:
    assert load(table(tmp_path, {**GOOD, "answer": answer})).items[0].gold.answer == answer


@pytest.mark.parametrize("answer", ["", "  ", "　"])
def test_a_blank_answer_is_no_question(tmp_path: Path, answer: str) -> None:
    loaded = load(table(tmp_path, {**GOOD, "answer": answer}, {**GOOD, "question_id": "2"}))
    assert [i.question.id for i in loaded.items] == ["2"]
    assert any("answer" in str(p) and p.fatal for p in loaded.problems)


@pytest.mark.parametrize(
    "cell", ["", "null", "NaN", "nonsense", "[", "3", "{}", "[]", '["x"]', '[{"start": "a"}]']
)
def test_evidence_that_is_no_list_of_windows_is_empty(tmp_path: Path, cell: str) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    item = load(table(tmp_path, {**GOOD, "evidence_windows": quoted, "evidence_boxes": quoted})).items[0]
    assert item.gold.windows == () and item.gold.boxes == ()


def test_byte_order_mark_windows_lines_and_separators_inside_cells(tmp_path: Path) -> None:
    text = "question_id\tvideo\tquestion\tanswer\r\n1\ta.mp4\tOne\u2028two\x85three?\t3\r\n2\ta.mp4\tNext?\t4\r\n"
    loaded = load(write(tmp_path, text, "utf-8-sig"))
    assert [i.question.text for i in loaded.items] == ["One\u2028two\x85three?", "Next?"]
    assert [i.gold.answer for i in loaded.items] == ["3", "4"]


def test_quoted_cells_may_hold_tabs_lines_and_quotes(tmp_path: Path) -> None:
    text = 'question_id\tvideo\tquestion\tanswer\n1\ta.mp4\t"He said ""a\tb""\nand left?"\t"""x"""\n'
    item = load(write(tmp_path, text)).items[0]
    assert item.question.text == 'He said "a\tb"\nand left?'
    assert item.gold.answer == '"x"'


def test_a_table_without_quoting_may_begin_a_cell_with_a_quotation_mark(tmp_path: Path) -> None:
    text = (
        "question_id\tvideo\tquestion\tanswer\tevidence_windows\n"
        '1\ta.mp4\t"Stop" stands on which sign?\t"3\t[{"start": 1, "end": 2}]\n'
        "2\ta.mp4\tNext?\t4\t\n"
    )
    loaded = load(write(tmp_path, text))
    assert loaded.items[0].question.text == '"Stop" stands on which sign?'
    assert [(w.start, w.end) for w in loaded.items[0].gold.windows] == [(1, 2)]
    assert len(loaded.items) == 2


def test_a_table_that_is_neither_is_refused_with_its_line(tmp_path: Path) -> None:
    text = 'question_id\tvideo\tquestion\tanswer\n1\ta.mp4\t"Stop" x\t3\textra\n'
    with pytest.raises(DataError, match="line 2: not a tab-separated row"):
        load(write(tmp_path, text))
    with pytest.raises(DataError, match="no column answer"):
        load(write(tmp_path, "question_id\tvideo\tquestion\n1\ta.mp4\tx\n"))
    with pytest.raises(DataError, match="UTF-8"):
        load(write(tmp_path, "question_id\tvideo\tquestion\tanswer\n1\ta.mp4\tné?\t3\n", "latin-1"))


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    boxes = [{"time": k / 10, "box": [0.1, 0.1, 0.2, 0.2]} for k in range(4000)]
    quoted = '"' + json.dumps(boxes).replace('"', '""') + '"'
    assert len(quoted) > 2**17
    assert (
        len(load(table(tmp_path, {**GOOD, "duration": "999", "evidence_boxes": quoted})).items[0].gold.boxes)
        == 4000
    )


def test_the_json_twin_is_read_the_same(tmp_path: Path) -> None:
    row = {
        **GOOD,
        "answer": 3,
        "duration": 9.0,
        "evidence_windows": [{"start": 2, "end": 5}],
        "language": None,
    }
    root = table(tmp_path, GOOD)
    (root / "VideoZeroBench_500_v0.tsv").unlink()
    (root / "VideoZeroBench_500_v0.json").write_text(json.dumps([{**row, "index": 1}]))
    item = load(root).items[0]
    assert (item.question.id, item.gold.answer, item.question.duration) == ("1", "3", 9.0)
    assert item.gold.windows[0].end == 5
    (root / "VideoZeroBench_500_v0.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match="list of objects"):
        load(root)


def test_an_index_stands_in_for_an_id_and_ids_are_kept_once(tmp_path: Path) -> None:
    columns = ("index", "video", "question", "answer")
    root = table(tmp_path, {**GOOD, "index": "0"}, {**GOOD, "index": "0", "answer": "4"}, columns=columns)
    loaded = load(root)
    assert [(i.question.id, i.gold.answer) for i in loaded.items] == [("0", "3")]
    assert any("twice" in str(p) for p in loaded.problems)


# --- evidence ------------------------------------------------------------------------------------------------


def test_evidence_outside_video_and_picture_is_told_and_cut(tmp_path: Path) -> None:
    windows = [{"start": 7, "end": 12}, {"start": -1, "end": 2}, {"start": 5, "end": 4}]
    boxes = [{"time": 20, "box": [0, 0, 1, 1]}, {"time": 1, "box": [-0.5, 0.2, 0.5, 1.4]}]
    boxes += [{"time": 1, "box": [0.5, 0.5, 0.5, 0.9]}, {"time": 1, "box": [1, 2, 3]}]
    row = {**GOOD, "evidence_windows": json.dumps(windows), "evidence_boxes": json.dumps(boxes)}
    loaded = load(table(tmp_path, {k: '"' + v.replace('"', '""') + '"' for k, v in row.items()}))
    said = " / ".join(str(p) for p in loaded.problems)
    for part in (
        "beyond the video (9 s)",
        "before the video",
        "does not end after",
        "20 s, which is outside",
    ):
        assert part in said
    for part in ("outside 0-1", "has no area", "no time with four numbers"):
        assert part in said
    gold = loaded.items[0].gold
    assert [(w.start, w.end) for w in gold.windows] == [(7, 12), (0, 2)]
    assert gold.boxes[0].box.values == (0, 0.2, 0.5, 1) and len(gold.boxes) == 2
    # The scorer gets the cells as they are: bit-exact scores need them.
    assert loaded.items[0].metadata["evidence"] == {"windows": windows, "boxes": boxes}
    assert load_rows(tmp_path)[0].evidence_windows == json.dumps(windows)


# --- files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("video", ["../a.mp4", "/etc/passwd", "x/../../a.mp4", "..\\a.mp4"])
def test_a_video_outside_the_folder_is_missing(tmp_path: Path, video: str) -> None:
    root = tmp_path / "data"
    root.mkdir()
    (tmp_path / "a.mp4").write_bytes(b"secret")
    loaded = load(table(root, GOOD, {**GOOD, "question_id": "2", "video": video}))
    assert [i.question.id for i in loaded.items] == ["1"]


def zipped(root: Path, *names: str) -> Path:
    """A data folder with an archive instead of its videos."""
    table(root, GOOD)
    (root / "compressed/a.mp4").unlink()
    (root / "compressed").rmdir()
    with zipfile.ZipFile(root / "compressed.zip", "w") as archive:
        for name in names:
            archive.writestr(name, b"video bytes " * 1000)
    return root


@pytest.mark.parametrize("name", ["compressed/a.mp4", "a.mp4"])
def test_the_archive_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    root = zipped(tmp_path / "data", name)
    first = Path(load(root).items[0].question.video)
    stamp = first.stat().st_mtime_ns
    assert first.is_relative_to(tmp_path / "cache") and first.read_bytes().startswith(b"video bytes")
    assert Path(load(root).items[0].question.video).stat().st_mtime_ns == stamp
    assert sorted(p.name for p in root.iterdir()) == ["VideoZeroBench_500_v0.tsv", "compressed.zip"]


def test_a_read_only_folder_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    root = zipped(tmp_path / "data", "a.mp4")
    before = {p: p.stat().st_mtime_ns for p in [root, *root.iterdir()]}
    for path in [*root.iterdir(), root]:
        path.chmod(stat.S_IRUSR | (stat.S_IXUSR if path.is_dir() else 0))
    try:
        assert len(load(root).items) == 1
        # A super-user may write anywhere: what counts is that nothing was.
        assert {p: p.stat().st_mtime_ns for p in [root, *root.iterdir()]} == before
    finally:
        for path in [root, *root.iterdir()]:
            path.chmod(stat.S_IRWXU)


_LOAD = """
import sys
from pathlib import Path
from proofreel.benchmarks import get_benchmark
print(get_benchmark("videozerobench").load(Path(sys.argv[1])).items[0].question.video)
"""


def test_two_processes_unpack_once(tmp_path: Path) -> None:
    root = zipped(tmp_path / "data", *(f"v{n}.mp4" for n in range(200)), "a.mp4")
    environment = {**os.environ, "PROOFREEL_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", _LOAD, str(root)]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [p.communicate(timeout=60)[0].strip() for p in both]
    assert [p.returncode for p in both] == [0, 0]
    assert told[0] == told[1] and Path(told[0]).is_file()
    kept = [p for p in (tmp_path / "cache/videozerobench").iterdir() if p.is_dir()]
    assert len(kept) == 1, "no half-unpacked folder stays"
    assert sum(p.suffix == ".mp4" for p in kept[0].iterdir()) == 201


@pytest.mark.parametrize(
    "name", ["../evil.mp4", "/evil.mp4", "x/../../evil.mp4", "..\\evil.mp4", "C:evil.mp4"]
)
def test_an_archive_that_would_leave_its_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    root = zipped(tmp_path / "data", "a.mp4", name)
    with pytest.raises(DataError, match="would leave the folder"):
        load(root)
    assert not list(tmp_path.rglob("*evil*"))


def test_a_link_and_damage_in_the_archive_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    root = zipped(tmp_path / "data", "a.mp4")
    whole = (root / "compressed.zip").read_bytes()
    link = zipfile.ZipInfo("a.mp4")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(root / "compressed.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(DataError, match="would leave the folder"):
        load(root)
    (root / "compressed.zip").write_bytes(whole[:200] + bytes(len(whole) - 400) + whole[-200:])
    with pytest.raises(DataError, match="cannot be unpacked"):
        load(root)
    assert not list((tmp_path / "cache").rglob("*.mp4")), "nothing half unpacked is taken for a video"


def test_not_one_usable_row_stops_before_a_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no usable question \(first problem: question 1: video gone"):
        load(table(tmp_path, {**GOOD, "video": "gone.mp4"}))
