"""Tables of the benchmark: results, passes, steps, its data, and where judges need a person's eye."""

from collections.abc import Sequence

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videogaia._answers import answers
from proofreel.benchmarks.videogaia.result_tables import result_tables
from proofreel.benchmarks.videogaia.statistics import statistics_tables
from proofreel.benchmarks.videogaia.tables_passes import pass_tables
from proofreel.benchmarks.videogaia.tables_steps import step_tables
from proofreel.benchmarks.videogaia.tables_words import word_tables
from proofreel.core import Column, Item, Table
from proofreel.core.table import Cell


def tables(runs: Sequence[RunView]) -> tuple[Table, ...]:
    """Published tables, statistics of the tasks, answers judge and plain rule disagree on, tasks without a verdict."""
    items: dict[str, Item] = {}
    for run in runs:
        items |= {s.item.question.id: s.item for s in run.scored}
    found = answers(runs)
    return (
        *result_tables(runs),
        *pass_tables(found),
        *step_tables(found),
        *statistics_tables(tuple(items.values())),
        *word_tables(tuple(items.values())),
        disagreements(runs),
        unjudged(runs),
    )


def disagreements(runs: Sequence[RunView]) -> Table:
    """Answers where the judge and the exact rule differ; a wrong that equals the reference stands first."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for scored in run.scored:
            record = scored.details.get("open") or {}
            if record.get("disagrees") and scored.trajectory is not None:
                rows.append(
                    (
                        run.name,
                        scored.item.question.id,
                        scored.epoch,
                        scored.item.gold.answer,
                        scored.trajectory.answer.value,
                        "right" if record["correct"] else "wrong",
                        "equal" if record["exact"] else "different",
                        record["decided_by"],
                        record["reason"],
                    )
                )
    rows.sort(key=lambda row: row[5] != "wrong")
    names = ("run", "task", "epoch", "reference", "answer", "judge says", "words are", "judge", "reason")
    return Table(
        id="videogaia_disagreements",
        title="Judge and exact words disagree",
        columns=tuple(Column(name=n, unit="count" if n == "epoch" else "text") for n in names),
        rows=tuple(rows),
        note="a right answer in other words is what the judge is for; a wrong one in the same words is its mistake",
        missing="" if rows else _missing(runs, "no disagreement, or no run with a judge (--judge NAME)"),
        group="VideoGAIA judge",
    )


def unjudged(runs: Sequence[RunView]) -> Table:
    """Tasks on which no judge gave a verdict, and those that the fallback decided."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for scored in run.scored:
            record = scored.details.get("open") or {}
            if record.get("failure") or record.get("fell_back"):
                what = "no verdict" if record.get("failure") else "the fallback decided"
                why = record.get("failure") or "; ".join(record["failures"][-1:])
                rows.append(
                    (run.name, scored.item.question.id, scored.epoch, what, record["decided_by"], why)
                )
    return Table(
        id="videogaia_unjudged",
        title="Tasks without a verdict, and verdicts of the fallback",
        columns=tuple(
            Column(name=n, unit="count" if n == "epoch" else "text")
            for n in ("run", "task", "epoch", "what", "judge", "why")
        ),
        rows=tuple(rows),
        note="officially a task without a verdict counts as incorrect",
        missing="" if rows else _missing(runs, "every task was judged by the primary, or no run has a judge"),
        group="VideoGAIA judge",
    )


def _missing(runs: Sequence[RunView], why: str) -> str:
    return why if runs else "no run: proofreel run videogaia --data DIR --agent A --model M --judge J"
