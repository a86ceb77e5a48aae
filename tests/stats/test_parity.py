import json
from pathlib import Path
from typing import Any

import pytest

from proofreel.stats.parity import ADAPTERS

VECTORS = Path(__file__).parents[1] / "parity" / "stats_reference.jsonl"


def vectors() -> list[dict[str, Any]]:
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def close(vector: dict[str, Any], got: Any, expected: Any, where: str = "") -> None:
    if isinstance(expected, dict):
        for key in expected:
            close(vector, got[key], expected[key], key)
    elif isinstance(expected, list):
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            close(vector, a, b, where)
    else:
        # The file's note: ends of rank intervals may differ by one rank.
        assert got == pytest.approx(expected, abs=1 if where == "rank_interval_95" else vector["tolerance"])


@pytest.mark.parametrize("mode", ["official", "careful"])
@pytest.mark.parametrize("vector", vectors(), ids=lambda v: v["id"])
def test_vector(vector: dict[str, Any], mode: str) -> None:
    expected = vector.get("recommended", vector["expected"]) if mode == "careful" else vector["expected"]
    close(vector, ADAPTERS[vector["fn"]](vector["input"]), expected)


def test_every_function_is_covered() -> None:
    assert {vector["fn"] for vector in vectors()} == set(ADAPTERS)
