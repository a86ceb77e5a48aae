"""The runner keeps what is finished, drops a half-written line, and never runs an item twice."""

import asyncio
from pathlib import Path

import pytest

from proofreel.agents import AgentContext
from proofreel.benchmarks import get_benchmark
from proofreel.core.errors import UserError
from proofreel.runs import Result, load_results, run_direct

ITEMS = get_benchmark("mini").load(None).items


def run(out: Path, seen: list[str]) -> list[Result]:
    def fresh(name: str, item: object) -> AgentContext:
        seen.append(item.question.id)  # type: ignore[attr-defined]
        return AgentContext()

    return asyncio.run(run_direct(ITEMS, ["blind"], out, context=fresh))


def test_a_second_run_does_nothing_again(tmp_path: Path) -> None:
    first: list[str] = []
    second: list[str] = []
    results = run(tmp_path, first)
    assert first == [i.question.id for i in ITEMS]
    assert run(tmp_path, second) == results
    assert second == []


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    results = run(tmp_path, [])
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][: len(lines[4]) // 2])
    again: list[str] = []
    resumed = run(tmp_path, again)
    assert again == [i.question.id for i in ITEMS[4:]]
    assert [(r.item_id, r.verdict) for r in resumed] == [(r.item_id, r.verdict) for r in results]
    assert len(load_results(path)) == len(ITEMS)


def test_damage_in_the_middle_is_not_papered_over(tmp_path: Path) -> None:
    run(tmp_path, [])
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "{}\n" + "".join(lines[2:]))
    with pytest.raises(UserError, match="line 2"):
        run(tmp_path, [])
