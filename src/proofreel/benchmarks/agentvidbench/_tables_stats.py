"""Differences with intervals (T20), McNemar's test (T21) and the stability of the ranking (T22)."""

from collections.abc import Sequence

from proofreel.benchmarks.agentvidbench._runs import BASELINE, RUN_ALL, Scored, by_model, methods_of, table
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell
from proofreel.stats import mcnemar, mcnemar_pooled, paired_bootstrap, rank_stability

RESAMPLES = 10_000
NEEDS = f"No model with Single-Turn and another method: {RUN_ALL.format(agent='single_turn')}, then with another agent"


def statistics_tables(runs: Sequence[Scored]) -> list[Table]:
    """The three of them."""
    return [intervals(runs), tests(runs), ranks(runs)]


def _paired(by: dict[str, Scored], method: str) -> tuple[list[float], list[float]] | None:
    """Answers of a method and of Single-Turn on the questions both have."""
    if BASELINE not in by or method not in by or method == BASELINE:
        return None
    a, b = by[method].values, by[BASELINE].values
    shared = [q for q in a if q in b]
    return ([a[q] for q in shared], [b[q] for q in shared]) if shared else None


def intervals(runs: Sequence[Scored]) -> Table:
    """T20: difference of accuracies to Single-Turn, 10,000 resamples of questions, the same for both systems."""
    rows: list[tuple[Cell, ...]] = []
    for model, by in by_model(runs).items():
        for method in methods_of(runs):
            pair = _paired(by, method)
            if pair is None:
                continue
            found = paired_bootstrap(*pair, resamples=RESAMPLES)
            low, high = 100 * found.interval.low, 100 * found.interval.high
            told = "yes" if found.excludes_zero else "no"
            rows.append(
                (f"{model}, {method}", model, method, found.items, 100 * found.difference, low, high, told)
            )
    return table(
        "avb_t20_intervals",
        "T20: difference to Single-Turn with 95 % intervals",
        (
            *(Column(name=n) for n in ("comparison", "model", "method")),
            Column(name="questions", unit="count"),
            Column(name="points", unit="number"),
            Column(name="low", unit="number"),
            Column(name="high", unit="number"),
            Column(name="excludes 0"),
        ),
        rows,
        NEEDS,
        "Questions are resampled as in the paper; those on one video are alike, so the report's own table of "
        "differences, which takes whole videos, is the more careful one.",
        Plot(kind="intervals", x="comparison", y=("points",), low="low", high="high"),
    )


def tests(runs: Sequence[Scored]) -> Table:
    """T21: McNemar's exact test of every method against Single-Turn, pooled over models."""
    rows: list[tuple[Cell, ...]] = []
    for method in methods_of(runs):
        pairs = []
        for by in by_model(runs).values():
            pair = _paired(by, method)
            if pair is not None and all(v in (0.0, 1.0) for v in (*pair[0], *pair[1])):
                won = sum(a > b for a, b in zip(*pair, strict=True))
                lost = sum(a < b for a, b in zip(*pair, strict=True))
                pairs.append((won, lost))
        if not pairs:
            continue
        pooled = mcnemar_pooled(pairs)
        least = min(mcnemar(a, b).exact_p for a, b in pairs)
        rows.append((method, pooled.settings, pooled.settings_resolved, pooled.test.only_a, pooled.test.only_b,
                     pooled.test.exact_p, least))  # fmt: skip
    return table(
        "avb_t21_mcnemar",
        "T21: McNemar's test against Single-Turn",
        (
            Column(name="method"),
            Column(name="models", unit="count"),
            Column(name="models with p < 0.05", unit="count"),
            Column(name="only this right", unit="count"),
            Column(name="only Single-Turn right", unit="count"),
            Column(name="pooled p", unit="number", digits=4),
            Column(name="least p of a model", unit="number", digits=4),
        ),
        rows,
        NEEDS,
        "Exact and two-sided, runs of one pass. Models share questions, so the pooled p is surer than it should be.",
    )


def ranks(runs: Sequence[Scored]) -> Table:
    """T22: how stable the order of models is; a model's score is its mean over the methods that all have."""
    by = by_model(runs)
    shared = [m for m in methods_of(runs) if all(m in own for own in by.values())]
    questions: list[str] = []
    if len(by) > 1 and shared:
        sets = [own[m].values.keys() for own in by.values() for m in shared]
        questions = [q for q in sets[0] if all(q in s for s in sets)]
    rows: list[tuple[Cell, ...]] = []
    note = ""
    if questions:
        means = [
            [sum(own[m].values[q] for m in shared) / len(shared) for q in questions] for own in by.values()
        ]
        found = rank_stability(means, resamples=RESAMPLES)
        rows = [
            (model, 100 * r.score, r.rank, r.rank_low, r.rank_high, 100 * r.p_first, 100 * r.p_top3)
            for model, r in sorted(zip(by, found.rows, strict=True), key=lambda x: x[1].rank)
        ]
        tau = "not defined" if found.tau_b is None else f"{found.tau_b:.2f}"
        note = (
            f"Score: mean accuracy over {', '.join(shared)} on {len(questions)} questions. Mean Kendall tau-b between "
            f"each resample's order and the order on all questions: {tau}."
        )
    return table(
        "avb_t22_ranks",
        "T22: stability of the order of models",
        (
            Column(name="model"),
            Column(name="score", unit="percent", better="high"),
            Column(name="rank", unit="count"),
            Column(name="rank low", unit="number", digits=0),
            Column(name="rank high", unit="number", digits=0),
            Column(name="P(rank 1)", unit="percent"),
            Column(name="P(top 3)", unit="percent"),
        ),
        rows,
        f"No two models with a method in common: {RUN_ALL.format(agent='video_react')} for each model",
        note,
        Plot(kind="intervals", x="model", y=("rank",), low="rank low", high="rank high"),
    )
