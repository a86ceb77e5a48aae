"""VideoGAIA's tables: the published main table from answers with its counts, the others by hand."""

import json
from typing import Any

import pytest
from scipy import stats
from tests.support import need_shared_protocols

from proofreel.benchmarks import RunView, ScoredItem
from proofreel.benchmarks.videogaia._answers import CATEGORIES
from proofreel.benchmarks.videogaia.result_tables import result_tables
from proofreel.core import Gold, Item, Outcome, Question, Step, Table, TokenUse, ToolCall, Trajectory
from proofreel.judges import Verdict


def make_item(n: int, category: str, level: str) -> Item:
    return Item(
        question=Question(id=f"t{n}", text=f"Which name does clip {n} show?", video=f"v{n}.mp4"),
        gold=Gold(answer="Ada Lovelace"),
        metadata={"category": category, "difficulty": level},
    )


def scored(
    item: Item, outcome: Outcome | None, epoch: int = 1, trajectory: Trajectory | None = None
) -> ScoredItem:
    return ScoredItem(
        item=item,
        epoch=epoch,
        trajectory=trajectory,
        verdict=None if outcome is None else Verdict(outcome=outcome),
    )


def view(model: str, rows: list[ScoredItem], epochs: int = 1) -> RunView:
    return RunView("r", "videogaia", "searcher", model, "careful", "judge", tuple(rows), epochs)


def named(table: Table) -> list[dict[str, Any]]:
    return [dict(zip([c.name for c in table.columns], row, strict=True)) for row in table.rows]


def by_id(tables: list[Table]) -> dict[str, Table]:
    return {t.id: t for t in tables}


def test_the_published_main_table_from_its_counts() -> None:
    paper = json.loads((need_shared_protocols() / "paper_tables.json").read_text(encoding="utf-8"))
    printed = paper["videogaia_table_1"]
    sizes = printed["category_sizes"]
    items = {
        c: [make_item(100 * k + n, c, "L1" if n % 4 == 0 else "L2") for n in range(sizes[c])]
        for k, c in enumerate(CATEGORIES)
    }
    runs = []
    for row in printed["rows"]:
        rows = [
            scored(item, Outcome.RIGHT if n < row["implied_correct"][c] else Outcome.WRONG)
            for c in CATEGORIES
            for n, item in enumerate(items[c])
        ]
        runs.append(view(row["model"], rows))
    tables = by_id(result_tables(runs))
    ours = {r["model"]: r for r in named(tables["vg_t1_main"])}
    for row in printed["rows"]:
        told = ours[row["model"]]
        assert round(told["overall"], 2) == row["overall"]
        for c in CATEGORIES:
            assert round(told[f"{c} (n={sizes[c]})"], 2) == row["categories"][c]
    best = max(printed["rows"], key=lambda r: r["overall"])["model"]
    assert tables["vg_f2_leaderboard"].rows[0][0] == best
    assert tables["vg_f10_radar"].rows[5][0] == "Economics (n=6)"


@pytest.fixture
def small() -> dict[str, Table]:
    items = [make_item(n, "History" if n < 2 else "Culture", "L1" if n % 2 else "L2") for n in range(4)]

    def done(calls: list[str], completion: int) -> Trajectory:
        step = Step(
            id=1, phase="tool_call", calls=tuple(ToolCall(id=str(n), name=c) for n, c in enumerate(calls))
        )
        use = TokenUse(prompt=5000, completion=completion, reasoning=100, calls=3)
        return Trajectory(question_id="t", agent="searcher", steps=(step,), tokens=use)

    r, w, j, h = Outcome.RIGHT, Outcome.WRONG, Outcome.JUDGE_FAILED, Outcome.HARNESS_FAILED
    first = [
        scored(items[0], r, 1, done(["web_search", "web_search"], 500)),
        scored(items[1], r, 1, done(["page_visit"], 300)),
        scored(items[2], j, 1, done(["think_with_video"], 200)),
        scored(items[3], h, 1),
        scored(items[0], w, 2),
        scored(items[1], r, 2),
        scored(items[2], w, 2),
        scored(items[3], w, 2),
    ]
    others = [
        view(f"m{k}", [scored(i, r if n < k else w, 1, done([], 100 * k + 150)) for n, i in enumerate(items)])
        for k in (1, 2, 4)
    ]
    return by_id(result_tables([view("first", first, 2), *others]))


def test_passes_unjudged_and_missing_by_hand(small: dict[str, Table]) -> None:
    row = next(r for r in named(small["vg_t1_main"]) if r["model"] == "first")
    # Pass 1: right, right, unjudged (incorrect), the harness's fault left out: 2 of 3. Pass 2: 1 of 4.
    assert row["overall"] == pytest.approx((100 * 2 / 3 + 25) / 2)
    assert row["SD over passes"] == pytest.approx(abs(100 * 2 / 3 - 25) / 2**0.5)
    assert (row["passes"], row["unjudged"], row["not run"]) == (2, 1, 1)
    assert row["History (n=2)"] == pytest.approx(75)
    level = next(r for r in named(small["vg_f5_levels"]) if r["model"] == "m1")
    assert (level["L1"], level["L2"], level["gap"]) == (0.0, 50.0, -50.0)


def test_tools_length_and_correlation_by_hand(small: dict[str, Table]) -> None:
    (row,) = named(small["vg_f6_tools"])
    assert (row["calls"], row["calls a task"]) == (4, pytest.approx(4 / 3))
    assert [row[f"{t}, share"] for t in ("web_search", "page_visit", "think_with_video")] == [50, 25, 25]
    lengths = {r["model"]: r["visible output tokens a task"] for r in named(small["vg_f9_length"])}
    assert [lengths[m] for m in ("first", "m1", "m2", "m4")] == pytest.approx([700 / 3, 150, 250, 450])
    (told,) = named(small["vg_f9_correlations"])  # no price is known, so no row for money
    scores = {r["model"]: r["overall"] for r in named(small["vg_t1_main"])}
    x, y = [lengths[m] for m in scores], list(scores.values())
    assert told["models"] == 4
    assert told["Pearson r"] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert told["Spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_without_runs_every_table_says_what_fills_it() -> None:
    for table in result_tables([]):
        assert not table.rows and table.missing, table.id
