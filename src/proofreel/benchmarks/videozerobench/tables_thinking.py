"""T3, rounds of VideoChat-R1.5, and T7, test-time scaling."""

import math
from collections.abc import Sequence

from proofreel.benchmarks.videozerobench.marks import HEADINGS, LevelRun, stat
from proofreel.benchmarks.videozerobench.tables_compare import (
    COUNT,
    ENDS,
    L3,
    RUN,
    bars,
    by_model,
    common,
    input_of,
    line_of,
    made,
    marks_on,
)
from proofreel.core import Column, Outcome, Table
from proofreel.core.table import Cell

ROUND_VALUES = ("acc1", "acc2", "acc3", "tiou", "l4")


def rounds(runs: Sequence[LevelRun]) -> Table:
    """T3: VideoChat-R1.5 with one and with three rounds, and what the rounds add."""
    rows: list[tuple[Cell, ...]] = []
    for model, own in by_model(r for r in runs if r.view.agent == "videochat_r15" and r.marks).items():
        by_rounds = {int(r.view.options.get("rounds", 3)): r for r in own}
        if len(by_rounds) < 2:
            continue
        ids = common(list(by_rounds.values()))
        values = {
            n: [stat(marks_on(r, ids), v).value for v in ROUND_VALUES] for n, r in sorted(by_rounds.items())
        }
        rows += [(model, str(n), len(ids), *found) for n, found in values.items()]
        few, many = min(values), max(values)
        gain = (None if None in (a, b) else b - a for a, b in zip(values[few], values[many], strict=True))  # type: ignore[operator]
        rows.append((model, f"{many} minus {few}", len(ids), *gain))
    if rows:
        rows.append(("VideoChat-R1.5 (published)", "3 minus 1", 500, 1.4, 1.0, 1.8, None, None))
    values_of = (Column(name=HEADINGS[v], unit="percent", better="high") for v in ROUND_VALUES)
    columns = (Column(name="model"), Column(name="rounds"), COUNT, *values_of)
    return made(
        "vzb_t3_rounds",
        "one round and several",
        columns,
        rows,
        "Questions that count on level 3 in every run of a model. Differences in percentage points.",
        f"runs with one and with three rounds: {RUN} videochat_r15 --set levels=1,2,3,4 --set rounds=1, and the same "
        "with --set rounds=3",
        bars("rounds"),
    )


def _answers(run: LevelRun) -> tuple[list[list[float]], list[str]]:
    """[questions][epochs] of level-3 success, NaN where missing; and the video of each question."""
    known = {(m.item.question.id, m.epoch): m.value("acc3") for m in run.marks}
    asked = {s.item.question.id: s.item.question.video for s in run.view.scored}
    left_out = {
        s.item.question.id for s in run.view.scored if s.verdict and s.verdict.outcome is Outcome.EXCLUDED
    }
    ids = [i for i in asked if i not in left_out]
    rows = [
        [math.nan if (v := known.get((i, e))) is None else v for e in range(1, run.view.epochs + 1)]
        for i in ids
    ]
    return rows, [asked[i] for i in ids]


def scaling(runs: Sequence[LevelRun]) -> Table:
    """T7: one greedy answer, any and all of K sampled ones, and two rounds of localize-then-answer."""
    from proofreel.stats import pass_at_k

    rows: list[tuple[Cell, ...]] = []
    for model, own in by_model(runs).items():
        repeated = [r for r in own if r.view.epochs > 1 and _answers(r)[0]]
        twice = [r for r in own if r.view.agent == "localize_then_answer" and r.view.epochs == 1]
        if not repeated and not twice:
            continue
        plain = [r for r in own if r.view.epochs == 1 and (r in twice or input_of(r) in ("frames", "video"))]
        for run in plain:
            s = stat(run.marks, "acc3")
            rows.append(
                (
                    model,
                    "localize, then answer" if run in twice else "one answer",
                    run.label,
                    1,
                    s.n,
                    *line_of(s),
                    run.missing,
                )
            )
        for run in repeated:
            found = pass_at_k(*_answers(run))
            one = None if found.one is None else 100 * found.one
            rows.append(
                (model, "one of K, mean", run.label, found.k, found.items, one, None, None, run.missing)
            )
            for name, b in (("any of K", found.at_least_once), ("all of K", found.every_time)):
                ends = (None, None) if b.interval is None else (100 * b.interval.low, 100 * b.interval.high)
                share = None if b.observed is None else 100 * b.observed
                rows.append((model, name, run.label, found.k, found.items, share, *ends, b.missing))
    if rows:
        told, of = "Qwen3-VL-4B (published)", "published"
        for method, k, value in (
            ("one answer", 1, 7.8),
            ("any of K", 5, 15.0),
            ("all of K", 5, 1.8),
            ("localize, then answer", 1, 7.0),
        ):
            rows.append((told, method, of, k, 500, value, None, None, None))
    return made(
        "vzb_t7_scaling",
        "test-time scaling",
        (
            Column(name="model"),
            Column(name="method"),
            Column(name="run"),
            Column(name="K", unit="count"),
            COUNT,
            L3,
            *ENDS,
            Column(name="undecided", unit="count"),
        ),
        rows,
        "Any: right at least once in K answers; all: right every time. Answers that are missing leave a question "
        "undecided: it is out of the share, and the interval holds whatever it would have been. Intervals by video.",
        f"a repeated run: {RUN} levels --set levels=3 --epochs 5 --generate temperature=0.7; beside it the same with "
        f"one epoch, and {RUN} localize_then_answer",
        bars("method"),
    )
