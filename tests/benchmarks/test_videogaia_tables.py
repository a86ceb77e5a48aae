"""VideoGAIA's tables through the benchmark's hook: the paper's arithmetic from whole counts, passes, steps, words."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from scipy import stats

from proofreel.benchmarks import RunView, ScoredItem, get_benchmark
from proofreel.benchmarks.videogaia.tables_words import word_tables
from proofreel.core import (
    Answer,
    Gold,
    Item,
    Observation,
    Outcome,
    Question,
    Step,
    StopReason,
    Table,
    TokenUse,
    ToolCall,
    Trajectory,
)
from proofreel.judges import Verdict
from support import need_shared_protocols

R, W = Outcome.RIGHT, Outcome.WRONG


def task(n: int, category: str = "History", level: str = "L1", text: str = "", answer: str = "Ada") -> Item:
    return Item(
        question=Question(id=f"t{n:03d}", text=text or f"Which name does clip {n} show?", video=f"v{n}.mp4"),
        gold=Gold(answer=answer),
        metadata={"category": category, "difficulty": level},
    )


def one(
    item: Item, outcome: Outcome | None, epoch: int = 1, trajectory: Trajectory | None = None
) -> ScoredItem:
    return ScoredItem(item, epoch, trajectory, None if outcome is None else Verdict(outcome=outcome))


def view(model: str, rows: Sequence[ScoredItem], epochs: int = 1) -> RunView:
    return RunView("r", "videogaia", "videogaia", model, "careful", "judge", tuple(rows), epochs)


def tables(*runs: RunView) -> dict[str, Table]:
    build = get_benchmark("videogaia").tables
    assert build is not None
    return {t.id: t for t in build(runs)}


def row_of(table: Table, model: str) -> dict[str, Any]:
    rows = [dict(zip([c.name for c in table.columns], r, strict=True)) for r in table.rows]
    return next(r for r in rows if r["model"] == model)


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    return json.loads((need_shared_protocols() / "paper_tables.json").read_text(encoding="utf-8"))


def test_published_averages_come_out_of_whole_counts(paper: dict[str, Any]) -> None:
    printed = paper["videogaia_table_1"]
    sizes: dict[str, int] = printed["category_sizes"]
    items = {c: [task(1000 * k + n, c) for n in range(size)] for k, (c, size) in enumerate(sizes.items())}
    runs = [
        view(
            row["model"],
            [
                one(i, R if n < row["implied_correct"][c] else W)
                for c in sizes
                for n, i in enumerate(items[c])
            ],
        )
        for row in printed["rows"]
    ]
    built = tables(*runs)
    assert (sum(sizes.values()), len(printed["rows"])) == (271, 20)
    for row in printed["rows"]:
        told = row_of(built["vg_t1_main"], row["model"])
        assert round(told["overall"], 2) == row["overall"]
        assert {c: round(told[f"{c} (n={sizes[c]})"], 2) for c in sizes} == row["categories"]
        # the unweighted mean of the six printed cells is another number for every model
        assert round(sum(row["categories"].values()) / 6, 2) != row["overall"]
        assert row_of(built["vg_passes"], row["model"])["pass 1"] == told["overall"]
    assert built["vg_consistency"].rows == () and "--epochs 3" in built["vg_consistency"].missing


def test_published_levels_are_whole_counts_that_add_up(paper: dict[str, Any]) -> None:
    quoted = paper["videogaia_quoted"]
    totals = {r["model"]: r["implied_correct"]["total"] for r in paper["videogaia_table_1"]["rows"]}
    n1, n2 = quoted["tasks"]["L1"], quoted["tasks"]["L2"]
    levels = [task(n, level="L1" if n < n1 else "L2") for n in range(n1 + n2)]
    gaps = []
    for model, (first, second) in quoted["l1_l2"].items():
        a, b = round(first * n1 / 100), round(second * n2 / 100)
        assert a + b == totals[model]
        rows = [one(i, R if (n < a if n < n1 else n - n1 < b) else W) for n, i in enumerate(levels)]
        told = row_of(tables(view(model, rows))["vg_f5_levels"], model)
        assert (round(told["L1"], 2), round(told["L2"], 2)) == (first, second)
        gaps.append(round(told["gap"], 2))
    assert [min(gaps), max(gaps)] == quoted["l1_l2_gap_range"]
    wrong = sum(271 - totals[m] for m in quoted["representative_models"])
    assert wrong == quoted["errors"]["incorrect_five_models"]


@pytest.fixture(scope="module")
def thrice() -> dict[str, Table]:
    """Four tasks asked three times: 3, 2, 1 and 0 times right; a fifth one lacks a verdict in the last pass."""
    items = [task(n, "Culture" if n % 2 else "History", "L2") for n in range(5)]
    rows = [one(i, R if p < 3 - n else W, p + 1) for n, i in enumerate(items[:4]) for p in range(3)]
    rows += [one(items[4], R, 1), one(items[4], R, 2), one(items[4], None, 3)]
    single = [one(i, W) for i in items]
    return tables(view("thrice", rows, 3), view("once", single))


def test_passes_by_hand(thrice: dict[str, Table]) -> None:
    told = row_of(thrice["vg_passes"], "thrice")
    # right: tasks 0, 1, 2 and 4; then 0, 1 and 4; then 0 of the four with a verdict
    assert [told[f"pass {n}"] for n in (1, 2, 3)] == pytest.approx([80, 60, 25])
    assert told["mean"] == pytest.approx(55)
    assert told["SD"] == pytest.approx(((25**2 + 5**2 + 30**2) / 2) ** 0.5)
    alone = row_of(thrice["vg_passes"], "once")
    assert (alone["pass 1"], alone["pass 2"], alone["SD"]) == (0, None, None)


def test_consistency_by_hand(thrice: dict[str, Table]) -> None:
    told = row_of(thrice["vg_consistency"], "thrice")
    assert (told["passes"], told["tasks"]) == (3, 4)
    assert [told[n] for n in ("always right", "sometimes", "never", "right at least once")] == [
        25,
        50,
        25,
        75,
    ]
    # of the three pairs of passes all agree, one, one, all
    assert told["two passes agree"] == pytest.approx(100 * (1 + 1 / 3 + 1 / 3 + 1) / 4)
    assert len(thrice["vg_consistency"].rows) == 1  # a single pass says nothing
    rows = {r[0]: r[3:] for r in thrice["vg_tasks"].rows}
    assert {t: c for t, (c, _) in rows.items()} == {
        "t000": "3/3", "t001": "2/3", "t002": "1/3", "t003": "0/3", "t004": None,
    }  # fmt: skip
    assert [r[0] for r in thrice["vg_tasks"].rows] == ["t003", "t002", "t001", "t000", "t004"]
    assert thrice["vg_tasks"].rows[1][-1] == pytest.approx(100 / 3)


def loop(kinds: Sequence[str], stop: StopReason = StopReason.ANSWERED, tokens: int = 100) -> Trajectory:
    steps: list[Step] = []
    for kind in kinds:
        data = {"kind": kind, "visible_tokens": tokens}
        calls = (ToolCall(id="c", name="web_search"),) if kind == "tool" else ()
        ok = kind != "error"
        seen = (
            (Observation(call_id="c", tool="web_search", ok=ok, text="x"),)
            if kind in ("summary", "error")
            else ()
        )
        if kind == "error":
            del data["visible_tokens"]  # an error is not summarised
        steps.append(Step(id=len(steps) + 1, phase="thinking", calls=calls, observations=seen, data=data))
    spent = sum(s.data.get("visible_tokens", 0) for s in steps)
    said = stop in (StopReason.ANSWERED, StopReason.FORCED)
    return Trajectory(
        question_id="t",
        agent="videogaia",
        steps=tuple(steps),
        tokens=TokenUse(prompt=900, completion=spent, calls=len(steps)),
        answer=Answer(value="Ada" if said else None, stop=stop),
    )


def test_steps_and_tokens_by_hand() -> None:
    items = [task(n) for n in range(4)]
    runs = [
        loop(["tool", "summary", "answer"]),
        loop(["tool", "error", "parse_failure", "answer"], StopReason.FORCED),
        loop(["parse_failure"] * 3, StopReason.UNPARSED),
        loop(["answer"]),
    ]
    built = tables(view("m", [one(i, R, 1, t) for i, t in zip(items, runs, strict=True)]))
    told = row_of(built["vg_steps"], "m")
    assert (told["trajectories"], told["steps a task"]) == (4, 9 / 4)  # 2 + 3 + 3 + 1
    assert told["malformed steps"] == pytest.approx(100 * 4 / 9)
    assert (told["failed calls a task"], told["answered at the last step"], told["no answer"]) == (
        0.25,
        25,
        25,
    )
    spent = row_of(built["vg_visible_tokens"], "m")
    assert (spent["turns"], spent["summaries"], spent["together"]) == (225, 25, 250)
    assert row_of(built["vg_f9_length"], "m")["visible output tokens a task"] == 250
    assert row_of(built["vg_f6_tools"], "m")["calls"] == 2


def test_names_that_are_no_tools_stand_together() -> None:
    step = Step(
        id=1,
        phase="tool_call",
        calls=tuple(ToolCall(id=n, name=n) for n in ("web_search", "web_search", "ask_expert", "telephone")),
    )
    done = Trajectory(question_id="t", agent="videogaia", steps=(step,), answer=Answer(value="Ada"))
    told = row_of(tables(view("m", [one(task(1), R, 1, done)]))["vg_f6_tools"], "m")
    assert (told["calls"], told["web_search, share"], told["other names, share"]) == (4, 50, 50)


def test_cost_and_correlations_as_scipy_has_them() -> None:
    from proofreel.models import model_card

    models = ["openai/gpt-5", "openai/gpt-5-mini", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]
    items = [task(n) for n in range(4)]
    runs = [
        view(
            m,
            [
                one(i, R if n < k else W, 1, loop(["answer"], tokens=100 * k + 50))
                for n, i in enumerate(items)
            ],
        )
        for k, m in enumerate(models)
    ]
    built = tables(*runs)
    prices = [band.output for m in models if (band := model_card(m).band(0)) is not None]
    costs = [(100 * k + 50) * 4 * p / 1e6 for k, p in enumerate(prices)]
    drawn = {r[0]: r[1] for r in built["vg_f9_cost"].rows}
    assert [drawn[m.split("/")[-1]] for m in models] == pytest.approx(costs)
    plot = built["vg_f9_cost"].plot
    assert plot is not None and plot.log_x
    import numpy as np

    score = [25.0 * k for k in range(4)]
    length, money = built["vg_f9_correlations"].rows
    expected = stats.pearsonr(np.log10(costs), score), stats.spearmanr(np.log10(costs), score)
    assert money[1:] == pytest.approx(
        (4, expected[0].statistic, expected[0].pvalue, expected[1].statistic, expected[1].pvalue)
    )
    assert length[2] == pytest.approx(1) and length[4] == pytest.approx(1)


def test_lengths_and_words_of_the_questions() -> None:
    items = [
        task(1, text="Which bridge spans the river by the railway station?", answer="Ada Lovelace"),
        task(2, text="Which bridge and which other bridge " + "appear " * 20, answer="1,847"),
    ]
    questions, answers, words = word_tables(items)
    assert (
        dict(questions.rows)["0-19"] == 1 and dict(questions.rows)["20-29"] == 1
    )  # 10 tokens with the mark, and 26
    assert (dict(answers.rows)["1"], dict(answers.rows)["2"]) == (1, 1)
    assert words.rows[0] == ("bridge", 2)
    assert {"river", "railway", "station", "spans"} <= {r[0] for r in words.rows}
    assert "which" not in {r[0] for r in words.rows}


def test_without_runs_every_table_of_results_says_what_fills_it() -> None:
    for table in tables().values():
        if not table.rows:
            assert "proofreel run videogaia" in table.missing, table.id
    assert sum(t.id.startswith("vg_") for t in tables().values()) == 13
