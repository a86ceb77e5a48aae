"""The row in the guide loads as it stands."""

import re
from pathlib import Path

from proofreel.benchmarks import get_benchmark
from proofreel.judges.open_canaries import CANARIES

DOCS = Path(__file__).parents[2] / "docs" / "videogaia.md"


def test_the_documented_row_loads(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", text, re.S)
    (tmp_path / "videogaia_mine.jsonl").write_text(block)
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos/vdr_000123.mp4").write_bytes(b"x")
    loaded = get_benchmark("videogaia").load(tmp_path)
    assert (len(loaded.items), loaded.problems) == (1, ())
    assert ("eleven canaries" in " ".join(text.split())) is (len(CANARIES) == 11)
