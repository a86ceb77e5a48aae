"""The example of the documentation loads as it says."""

import re
from pathlib import Path

from proofreel.benchmarks import get_benchmark

DOCS = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def test_the_documented_folder_loads(tmp_path: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    (tmp_path / "questions.jsonl").write_text(block)
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips/harbour.mp4").write_bytes(b"x")
    loaded = get_benchmark("folder").load(tmp_path)
    assert loaded.problems == ()
    colour, gate, cook = loaded.items
    assert (colour.gold.answer, colour.gold.aliases) == ("red", ("dark red",))
    assert (gate.gold.answer, gate.metadata["topic"]) == ("B", "signs")
    assert cook.gold.answer is None


def test_every_key_of_a_row_is_documented() -> None:
    from proofreel.benchmarks.folder.rows import Row

    named = set(re.findall(r"^\| `(\w+)` \|", DOCS.read_text(encoding="utf-8"), re.M))
    assert set(Row.model_fields) <= named
