"""Runs as the table builders of their benchmark see them, and the tables they build."""

from collections.abc import Callable, Sequence
from functools import cache

from proofreel.benchmarks import RunView, ScoredItem, get_benchmark
from proofreel.core import Table
from proofreel.runs.diff_frames import entries_by_call
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.scaling import scaling_table
from proofreel.video import LedgerEntry


def run_view(run: ScoredRun) -> RunView:
    """A run for table builders; questions whose data are gone are left out, for there is nothing to count them by."""
    s = run.settings
    scored = []
    for item, epoch in s.keys:
        if item in run.items:
            result = run.results.get((item, epoch))
            scored.append(
                ScoredItem(
                    item=run.items[item],
                    epoch=epoch,
                    trajectory=None if result is None else result.trajectory,
                    verdict=run.verdicts.get((item, epoch)),
                    details=run.details.get((item, epoch), {}),
                    tiou=None if result is None else result.tiou,
                    seconds=None if result is None else result.seconds,
                )
            )
    return RunView(
        path=run.path,
        benchmark=s.benchmark,
        agent=s.agent,
        model=s.model,
        mode=s.mode,
        judge=s.judge,
        scored=tuple(scored),
        epochs=s.epochs,
        options=s.options,
        durations=run.durations,
        shown=_shown(run),
        perceiver=s.perceiver,
    )


def benchmark_tables(runs: Sequence[ScoredRun]) -> tuple[Table, ...]:
    """The protocol tables of every benchmark among the runs, in their order; Pass@K last where there are epochs."""
    tables: list[Table] = []
    for name in dict.fromkeys(r.settings.benchmark for r in runs):
        build = get_benchmark(name).tables
        if build is not None:
            tables += build([run_view(r) for r in runs if r.settings.benchmark == name])
    if any(r.settings.epochs > 1 for r in runs):
        tables.append(scaling_table(runs))
    return tuple(tables)


def _shown(run: ScoredRun) -> Callable[[str, int], tuple[LedgerEntry, ...]]:
    """Ledger entries by (item, epoch); the file is read when the first is asked for."""

    @cache
    def calls() -> dict[str, list[LedgerEntry]]:
        return entries_by_call(run) or {}

    def shown(item_id: str, epoch: int) -> tuple[LedgerEntry, ...]:
        result = run.results.get((item_id, epoch))
        if result is None:
            return ()
        return tuple(e for call in dict.fromkeys(result.calls) for e in calls().get(call, ()))

    return shown
