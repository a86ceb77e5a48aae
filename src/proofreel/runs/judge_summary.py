"""The published summary of a judged run: process means over all questions and by difficulty, category and skill."""

from collections.abc import Mapping, Sequence
from typing import Any

from proofreel.benchmarks.agentvidbench.aggregate import MEANS
from proofreel.core import Column, Table
from proofreel.core.table import Cell
from proofreel.judges._tables_methods import main_judge
from proofreel.judges.judged import JudgedRun
from proofreel.judges.rubric_scores import ABBREVIATIONS
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_official import summarise

SLICES = {"by_difficulty": "difficulty", "by_category": "category", "by_skill": "skill"}


def judged_summary(run: ScoredRun, judged: JudgedRun) -> dict[str, Any] | None:
    """``aggregate_run`` with the judge's scores of the first epoch and repeat; None for other benchmarks.

    Failed judgements are skipped, as null values are in the published code; the mode is the judge's.
    """
    processes = {
        item: {"scores": j.scores, "traj": j.traj, "mc_rate": j.mc_rate}
        for (item, epoch, repeat), j in judged.judged.items()
        if (epoch, repeat) == (1, 1)
    }
    return summarise(run, judged.settings.mode, processes)


def slices_table(pairs: Sequence[tuple[ScoredRun, JudgedRun]], missing: str) -> Table:
    """Process means of every run under the main judge, for all questions and every slice."""
    chosen = {id(j) for j in main_judge([j for _, j in pairs])}
    rows: list[tuple[Cell, ...]] = []
    for run, judged in pairs:
        summary = judged_summary(run, judged) if id(judged) in chosen else None
        if summary is None:
            continue
        rows.append(_row(judged, "all", "all", summary))
        for key, name in SLICES.items():
            rows += [_row(judged, name, label, block) for label, block in summary[key].items()]
    return Table(
        id="avb_judged_summary",
        title="Process means by slice",
        columns=(
            *(Column(name=n) for n in ("run", "judge", "slice", "label")),
            Column(name="questions", unit="count"),
            Column(name="accuracy", unit="number", digits=3),
            *(Column(name=a, unit="number", digits=3) for a in ABBREVIATIONS.values()),
            Column(name="Traj", unit="number", digits=3),
            Column(name="MC-Rate", unit="number", digits=3),
        ),
        rows=tuple(rows),
        note="The published summary, three decimals: first epoch, questions with several labels count in each."
        if rows
        else "",
        missing="" if rows else missing,
        group="AgentVidBench",
    )


def _row(judged: JudgedRun, kind: str, label: str, block: Mapping[str, Any]) -> tuple[Cell, ...]:
    means = block["process_means"]
    return (
        judged.name,
        judged.judge,
        kind,
        str(label),
        block["n"],
        block["accuracy"],
        *(means[m] for m in MEANS),
    )
