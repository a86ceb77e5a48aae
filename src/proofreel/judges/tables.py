"""The tables that rest on judged trajectories."""

from collections.abc import Sequence

from proofreel.core import Column, Table
from proofreel.judges.judged import JudgedRun, summary_of

GROUP = "Trajectory judge"


def all_tables(runs: Sequence[JudgedRun], example: str) -> list[Table]:
    """Every table, in the order of a report.

    Args:
        runs: each run once for every judge.
        example: folder of a run, for the command that fills a table without data.
    """
    missing = f"No judged trajectory yet: proofreel judge {example} --judge MODEL"
    return [scores_table(runs, missing)]


def scores_table(runs: Sequence[JudgedRun], missing: str) -> Table:
    """Traj and MC-Rate of every run under every judge."""
    rows = []
    for run in runs:
        s = summary_of(run)
        rows.append((run.name, run.judge, s.judged, s.failed, s.traj.value, s.mc_rate.value))
    return Table(
        id="judge_scores",
        title="Trajectory scores",
        columns=(
            Column(name="run"),
            Column(name="judge"),
            Column(name="judged", unit="count"),
            Column(name="failed", unit="count"),
            Column(name="Traj", unit="number", digits=2, better="high"),
            Column(name="MC-Rate", unit="number", digits=2, better="high"),
        ),
        rows=tuple(rows),
        missing="" if rows else missing,
        group=GROUP,
    )
