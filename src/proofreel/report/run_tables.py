"""Numbers of runs as plain rows, and rows as CSV."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from proofreel.report.number_tables import ENDINGS
from proofreel.report.table_text import csv_cell
from proofreel.runs.numbers import ending_of
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_records import RunNumbers, Span

Row = Mapping[str, Any]


def headline_rows(runs: Sequence[RunNumbers]) -> list[Row]:
    """One row a run: accuracy with its intervals, every ending, bounds, tokens, money, time."""
    return [_headline(n) for n in runs]


def _headline(n: RunNumbers) -> Row:
    a, b, u = n.accuracy, n.bounds, n.usage
    row: dict[str, Any] = {
        "run": n.path,
        "benchmark": n.benchmark,
        "agent": n.agent,
        "model": n.model,
        "perceiver": n.perceiver,
        "judge": n.judge,
        "mode": n.mode,
        "scored_by": n.scored_by,
        "questions": n.questions,
        "epochs": n.epochs_asked,
        "accuracy": a.rate,
        "right": a.right,
        "asked": a.asked,
        **_ends("wilson_by_video", a.interval),
        **_ends("bootstrap_by_question", a.by_question),
        **_ends("bootstrap_by_video", a.by_video),
        "effective_n": a.effective,
        "videos": a.videos,
        "accuracy_of_verdicts": n.of_verdicts,
        "bound_low": None if b is None else b.low,
        "bound_high": None if b is None else b.high,
        "without_verdict": None if b is None else b.without_verdict,
    }
    row |= {name: n.counts.of(name) for name in ENDINGS}
    row |= {
        "mean_tiou": n.tiou,
        "tiou_questions": n.tiou_of,
        "tokens_per_question": None if u.tokens is None else u.tokens.mean,
        "million_tokens": u.million_tokens,
        "accuracy_per_million_tokens": u.efficiency,
        "usd_per_question": u.cost_per_question,
        "usd_paid": u.paid,
        "tokens_paid": u.paid_tokens,
        "calls_paid": u.calls,
        "calls_replayed": u.replayed_calls,
        "retries": u.retries,
        "frames_per_question": None if u.frames is None else u.frames.mean,
        "seconds_per_question": None if u.seconds is None else u.seconds.mean,
        "tool_calls_per_question": None if u.tool_calls is None else u.tool_calls.mean,
    }
    for one in n.official:
        row |= {f"avb_{one.mode}_accuracy": one.accuracy, f"avb_{one.mode}_n": one.n}
    return row


def slice_rows(runs: Sequence[RunNumbers]) -> list[Row]:
    """One row a run, key and value."""
    return [
        {
            "run": n.path,
            "key": s.key,
            "value": s.value,
            "questions": s.counts.total,
            "videos": s.videos,
            "accuracy": s.rate,
            **_ends("wilson_by_video", s.interval),
            **{name: s.counts.of(name) for name in ENDINGS},
        }
        for n in runs
        for s in n.slices
    ]


def tool_rows(runs: Sequence[RunNumbers]) -> list[Row]:
    """One row a run and tool."""
    return [{"run": n.path, **t.model_dump()} for n in runs for t in n.usage.tools]


def item_rows(runs: Sequence[ScoredRun]) -> list[Row]:
    """One row a run, question and epoch, not run ones included."""
    rows: list[Row] = []
    for run in runs:
        for item, epoch in run.settings.keys:
            verdict, result = run.verdicts.get((item, epoch)), run.results.get((item, epoch))
            trajectory = None if result is None else result.trajectory
            rows.append(
                {
                    "run": run.path,
                    "question": item,
                    "epoch": epoch,
                    "ending": ending_of(verdict),
                    "letter": None if verdict is None else verdict.letter,
                    "answer": None if trajectory is None else trajectory.answer.value,
                    "tiou": None if result is None else result.tiou,
                    "stop": None if trajectory is None else trajectory.answer.stop.value,
                    "tokens": None if trajectory is None else trajectory.tokens.total,
                    "usd": None if trajectory is None else trajectory.tokens.cost_usd,
                    "frames": None if trajectory is None else trajectory.frames_seen,
                    "tool_calls": None if trajectory is None else trajectory.tool_calls,
                    "seconds": None if result is None else result.seconds,
                    "attempt": None if result is None else result.attempt,
                    "reason": None if verdict is None else verdict.reason[:300],
                }
            )
    return rows


def pair_rows(runs: Sequence[RunNumbers], pairs: Sequence[Pair]) -> list[Row]:
    """One row a comparison."""
    return [
        {
            "first": runs[p.a].path,
            "second": runs[p.b].path,
            "pairs": p.paired.pairs,
            "videos": p.paired.videos,
            "first_accuracy": p.paired.a,
            "second_accuracy": p.paired.b,
            "difference": p.paired.difference,
            **_ends("by_video", p.paired.by_video),
            **_ends("by_question", p.paired.by_question),
            "only_first": p.paired.only_a,
            "only_second": p.paired.only_b,
            "p_videos": p.paired.by_video_p,
            "p_videos_holm": p.holm_p,
            "p_mcnemar": p.paired.mcnemar_p,
        }
        for p in pairs
    ]


def _ends(name: str, span: Span | None) -> dict[str, float | None]:
    return {
        f"{name}_low": None if span is None else span.low,
        f"{name}_high": None if span is None else span.high,
    }


def to_csv(rows: Sequence[Row]) -> str:
    """CSV with a header of every key that occurs; what is unknown is an empty cell, never 0."""
    names = list(dict.fromkeys(k for row in rows for k in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: csv_cell(v) for k, v in row.items()} for row in rows)
    return text.getvalue()
