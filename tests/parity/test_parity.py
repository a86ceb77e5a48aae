"""Every vector file here, in both modes; and the runner itself must be able to fail."""

import json
from pathlib import Path

import pytest

from proofreel.core.errors import UserError
from proofreel.parity import run_files

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.jsonl"))


@pytest.mark.parametrize("mode", ["official", "careful"])
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_vectors(path: Path, mode: str) -> None:
    report = run_files([path], mode)
    if path.stem != "vzb_resize_target":  # its size rule is tested where it lives, tests/video/test_sample.py
        assert not report.not_covered
        assert report.total_passed
    assert not report.mismatches, [f"{m.id}: want {m.want!r}, got {m.got!r}" for m in report.mismatches[:5]]


def vector(tmp_path: Path, **row: object) -> Path:
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({"id": "x", "fn": "parse_duration", "input": {"value": "2:26"}, **row}) + "\n")
    return path


def test_a_wrong_value_fails(tmp_path: Path) -> None:
    assert run_files([vector(tmp_path, expected=146)], "careful").total_passed == 1
    assert len(run_files([vector(tmp_path, expected=147)], "careful").mismatches) == 1
    assert len(run_files([vector(tmp_path, expected={"error": "ValueError"})], "careful").mismatches) == 1
    assert len(run_files([vector(tmp_path, expected=True)], "careful").mismatches) == 1


def test_recommended_counts_in_careful_mode_only(tmp_path: Path) -> None:
    path = vector(tmp_path, expected=146, recommended=None)
    assert run_files([path], "official").total_passed == 1
    assert len(run_files([path], "careful").mismatches) == 1


def test_unknown_functions_are_reported_not_passed(tmp_path: Path) -> None:
    report = run_files([vector(tmp_path, fn="no_such", expected=1)], "careful")
    assert report.not_covered == {"no_such": 1}
    assert report.total_passed == 0


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        run_files([tmp_path / "none.jsonl"], "careful")
    (tmp_path / "b.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match="line 1"):
        run_files([tmp_path / "b.jsonl"], "careful")
    with pytest.raises(UserError, match="official or careful"):
        run_files([], "strict")
