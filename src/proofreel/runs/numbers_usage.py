"""Tokens, money, frames, time and tools over the results of a run."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from proofreel.core import TokenUse
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_records import Counts, Spread, ToolRow, Usage
from proofreel.runs.result import RunResult


def spread(values: Sequence[float]) -> Spread | None:
    """Mean, median, 90th percentile (nearest rank), most and total; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    rank = max(0, -(-len(ordered) * 9 // 10) - 1)
    return Spread(
        of=len(ordered),
        mean=fmean(ordered),
        median=median(ordered),
        p90=ordered[rank],
        most=ordered[-1],
        total=sum(ordered),
    )


def usage_of(run: ScoredRun, counts: Counts) -> Usage:
    """What the run used; efficiency as published, accuracy over the tokens of one pass in millions."""
    results = list(run.results.values())
    tokens = [r.trajectory.tokens for r in results]
    mean = fmean(t.total for t in tokens) if tokens else 0.0
    million = mean * len(run.settings.items) / 1e6
    rate = counts.right / counts.asked if counts.asked else None
    paid, replayed, unfinished = _attempts(run, results)
    costs = [_cost(r) for r in results]
    known = [c for c in costs if c is not None]
    calls = [r.trajectory.tool_calls for r in results]
    return Usage(
        tokens=spread([t.total for t in tokens]),
        prompt=fmean(t.prompt for t in tokens) if tokens else 0.0,
        completion=fmean(t.completion for t in tokens) if tokens else 0.0,
        million_tokens=million,
        efficiency=rate / million if million and rate is not None else None,
        cost_per_question=fmean(known) if known and len(known) == len(costs) else None,
        paid=0.0 if not paid.calls else paid.cost_usd,
        paid_tokens=paid.total,
        calls=paid.calls,
        replayed_calls=replayed.calls,
        retries=paid.retries,
        unfinished=unfinished,
        frames=spread([r.trajectory.frames_seen for r in results]),
        seconds=spread([s for r in results if (s := _seconds(r)) is not None]),
        tool_calls=spread(calls),
        tools=_tools(results),
        calls_histogram=tuple(sorted(Counter(calls).items())),
        stops=dict(Counter(r.trajectory.answer.stop.value for r in results).most_common()),
    )


def _attempts(run: ScoredRun, results: Sequence[RunResult]) -> tuple[TokenUse, TokenUse, int]:
    """Paid, replayed and unfinished: from the journal, which knows killed attempts too; else from the results."""
    if run.folder is not None and run.folder.journal.path.exists():
        totals = run.folder.totals()
        return totals.paid, totals.replayed, totals.unfinished
    paid = replayed = TokenUse()
    for result in results:
        paid, replayed = paid + result.tokens, replayed + result.replayed
    return paid, replayed, 0


def _cost(result: RunResult) -> float | None:
    """What the answer is worth, replayed calls included; 0 when no model was called."""
    use = result.trajectory.tokens
    return use.cost_usd if use.calls else 0.0


def _seconds(result: RunResult) -> float | None:
    return result.seconds if result.seconds is not None else result.trajectory.seconds


def _tools(results: Sequence[RunResult]) -> tuple[ToolRow, ...]:
    used: dict[str, list[int]] = {}
    failed: Counter[str] = Counter()
    for result in results:
        steps = result.trajectory.steps
        for name, n in Counter(c.name for s in steps for c in s.calls).items():
            used.setdefault(name, []).append(n)
        failed.update(o.tool for s in steps for o in s.observations if not o.ok)
    return tuple(
        ToolRow(
            tool=name,
            calls=sum(counts),
            failed=failed[name],
            questions=len(counts),
            per_question=sum(counts) / len(results),
            most=max(counts),
        )
        for name, counts in sorted(used.items(), key=lambda u: -sum(u[1]))
    )
