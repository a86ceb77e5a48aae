"""Tables 20 to 22 on made answers with the published marginals, against SciPy and a second way to resample."""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.support import need_shared_protocols

from proofreel.benchmarks import RunView, ScoredItem
from proofreel.benchmarks.agentvidbench.tables import agentvidbench_tables
from proofreel.core import Gold, Item, Outcome, Question, Table
from proofreel.judges import Verdict

METHODS = {
    "Single-Turn": "single_turn",
    "STAR": "star",
    "DVD": "dvd",
    "AVP": "avp",
    "Video-ReAct": "video_react",
}
N, VIDEOS = 100, 71


@pytest.fixture(scope="module")
def answers() -> dict[tuple[str, str], np.ndarray]:
    """0/1 by question for the 16 open-weight settings and five methods: hard questions are hard for all."""
    paper: dict[str, Any] = json.loads(
        (need_shared_protocols() / "paper_tables.json").read_text(encoding="utf-8")
    )
    rng = np.random.default_rng(0)
    ease = rng.normal(size=N)
    found = {}
    for row in paper["agentvidbench_table_1"]["rows"]:
        if row["group"] == "proprietary":
            continue
        for method, cell in row["methods"].items():
            right = round(cell["acc"] * N)
            chosen = np.argsort(-(ease + rng.normal(size=N)))[:right]
            values = np.zeros(N)
            values[chosen] = 1
            found[row["model"], method] = values
    return found


@pytest.fixture(scope="module")
def tables(answers: dict[tuple[str, str], np.ndarray]) -> dict[str, Table]:
    items = [
        Item(
            question=Question(id=str(q), text=f"Question {q}?", video=f"v{q % VIDEOS}"), gold=Gold(answer="A")
        )
        for q in range(N)
    ]
    runs = []
    for (model, method), values in answers.items():
        scored = tuple(
            ScoredItem(item=i, epoch=1, verdict=Verdict(outcome=Outcome.RIGHT if v else Outcome.WRONG))
            for i, v in zip(items, values, strict=True)
        )
        runs.append(RunView("r", "agentvidbench", METHODS[method], model, "careful", None, scored))
    return {t.id: t for t in agentvidbench_tables(runs)}


def test_accuracies_are_the_published_marginals(
    tables: dict[str, Table], answers: dict[Any, np.ndarray]
) -> None:
    table = tables["avb_t1_accuracy"]
    assert len(table.rows) == 16
    for row in table.rows:
        told = dict(zip([c.name for c in table.columns], row, strict=True))
        for method in METHODS:
            assert told[method] == pytest.approx(100 * answers[row[0], method].mean())
        assert told["STAR, change"] == pytest.approx(told["STAR"] - told["Single-Turn"])


def test_table_20_against_another_bootstrap(tables: dict[str, Table], answers: dict[Any, np.ndarray]) -> None:
    table = tables["avb_t20_intervals"]
    assert len(table.rows) == 64
    rng = np.random.default_rng(99)
    draws = rng.integers(0, N, (4000, N))
    for _, model, method, n, points, low, high, told in table.rows:
        difference = answers[model, method] - answers[model, "Single-Turn"]
        assert (n, points) == (N, pytest.approx(100 * difference.mean()))
        theirs = np.percentile(100 * difference[draws].mean(axis=1), (2.5, 97.5))
        assert (low, high) == pytest.approx(tuple(theirs), abs=1.6)
        assert (told == "yes") == (low > 0 or high < 0)


def test_table_21_against_the_binomial_test(tables: dict[str, Table], answers: dict[Any, np.ndarray]) -> None:
    models = list(dict.fromkeys(m for m, _ in answers))
    rows = {r[0]: r[1:] for r in tables["avb_t21_mcnemar"].rows}
    assert set(rows) == set(METHODS) - {"Single-Turn"}
    for method, (settings, resolved, won, lost, pooled, least) in rows.items():
        both = [(answers[m, method], answers[m, "Single-Turn"]) for m in models]
        pairs = [(int((x > y).sum()), int((x < y).sum())) for x, y in both]
        own = [stats.binomtest(a, a + b).pvalue if a + b else 1.0 for a, b in pairs]
        assert settings == 16
        assert resolved == sum(p < 0.05 for p in own)
        assert (won, lost) == (sum(a for a, _ in pairs), sum(b for _, b in pairs))
        assert pooled == pytest.approx(stats.binomtest(int(won), int(won + lost)).pvalue, rel=1e-6)
        assert least == pytest.approx(min(own), rel=1e-6)


def test_table_22_against_scipy(tables: dict[str, Table], answers: dict[Any, np.ndarray]) -> None:
    table = tables["avb_t22_ranks"]
    models = list(dict.fromkeys(m for m, _ in answers))
    scores = np.array([np.mean([answers[m, x] for x in METHODS], axis=0) for m in models])
    full = scores.mean(axis=1).round(12)
    rows = {r[0]: r[1:] for r in table.rows}
    assert table.rows[0][0] == "Gemma-4-31B +Think"
    assert rows["Gemma-4-31B +Think"][0] == pytest.approx(36.8)  # the mean of its five published accuracies
    rng = np.random.default_rng(5)
    ranks, taus = [], []
    for _ in range(1500):
        means = scores[:, rng.integers(0, N, N)].mean(axis=1).round(12)
        ranks.append(stats.rankdata(-means, method="min"))
        taus.append(stats.kendalltau(means, full).statistic)
    places = np.array(ranks)
    for k, model in enumerate(models):
        _, rank, low, high, first, top = rows[model]
        assert rank == stats.rankdata(-full, method="min")[k]
        assert first == pytest.approx(100 * (places[:, k] == 1).mean(), abs=4)
        assert top == pytest.approx(100 * (places[:, k] <= 3).mean(), abs=5)
        assert (low, high) == pytest.approx(tuple(np.quantile(places[:, k], (0.025, 0.975))), abs=1.1)
    told = float(table.note.rsplit(": ", 1)[1].rstrip("."))
    assert told == pytest.approx(float(np.mean(taus)), abs=0.02)
