"""Every function of the statistics vectors has an adapter (the vectors themselves run in tests/parity)."""

import json
from pathlib import Path

from proofreel.stats.parity import ADAPTERS

VECTORS = Path(__file__).parents[1] / "parity" / "stats_reference.jsonl"


def test_every_function_is_covered() -> None:
    named = {json.loads(line)["fn"] for line in VECTORS.read_text(encoding="utf-8").splitlines()}
    assert named == set(ADAPTERS)
