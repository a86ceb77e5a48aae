"""The tables that rest on judged trajectories: every builder takes runs and gives one table, empty ones say why."""

from collections.abc import Mapping, Sequence

from proofreel.core import Column, Item, Plot, Table
from proofreel.core.table import Cell
from proofreel.judges import _tables_methods as methods
from proofreel.judges._tables_panel import panel_tables
from proofreel.judges.judged import JudgedRun, RubricSummary, Score, summary_of
from proofreel.judges.rubric_scores import ABBREVIATIONS, AXES
from proofreel.judges.validation.result import Validation
from proofreel.judges.validation.tables import cue_examples, cue_table, reference_table, validation_table

GROUP = "Trajectory judge"

__all__ = ["all_tables", "axes_table", "milestone_table", "panel_tables", "scores_table"]


def all_tables(
    runs: Sequence[JudgedRun], items: Mapping[str, Item], example: str, checks: Sequence[Validation] = ()
) -> list[Table]:
    """Every table, in the order of a report.

    Args:
        runs: each run once for every judge.
        items: all questions by id, for what is read off the references.
        example: folder of a run, for the command that fills a table without data.
        checks: validations of judges found with the runs.
    """
    missing = f"No judged trajectory yet; make them with: proofreel judge {example} --judge MODEL"
    main = methods.main_judge(runs)
    no_cue = "No question has an explanation or milestones to read: proofreel milestones questions.jsonl --model MODEL"
    unchecked = f"No check of a judge yet; make it with: proofreel validate-judge {example} --judge MODEL"
    return [
        scores_table(runs, missing),
        axes_table(main, missing),
        methods.accuracy_and_traj(main, missing),
        methods.coverage(main, missing),
        methods.tags(main, missing),
        methods.types(main, missing),
        methods.controls(main, example),
        methods.frames(main, example),
        methods.aligned(main, missing),
        milestone_table(main, missing),
        *panel_tables(runs, missing),
        validation_table(checks, unchecked),
        reference_table(checks, f"{unchecked} --checks reference"),
        cue_examples(items, no_cue),
        cue_table(items, no_cue),
    ]


def scores_table(runs: Sequence[JudgedRun], missing: str) -> Table:
    """Traj, MC-Rate and axes of every run under every judge, with intervals by video and what failed."""
    rows = [_scores_row(run, summary_of(run)) for run in runs]
    return Table(
        id="judge_scores",
        title="Trajectory scores",
        columns=(
            Column(name="run"),
            Column(name="judge"),
            Column(name="mode"),
            Column(name="judged", unit="count"),
            Column(name="failed", unit="count"),
            Column(name="not judged", unit="count"),
            Column(name="Traj", unit="number", digits=3, better="high"),
            Column(name="Traj low", unit="number", digits=3),
            Column(name="Traj high", unit="number", digits=3),
            Column(name="MC-Rate", unit="number", digits=3, better="high"),
            Column(name="MC low", unit="number", digits=3),
            Column(name="MC high", unit="number", digits=3),
            *(Column(name=a, unit="number", digits=2) for a in ABBREVIATIONS.values()),
            Column(name="at least", unit="number", digits=3),
            Column(name="at most", unit="number", digits=3),
            Column(name="judged by"),
            Column(name="judge tokens", unit="tokens", digits=0),
            Column(name="judge USD", unit="usd", digits=4),
        ),
        rows=tuple(rows),
        note=(
            "Intervals: 95 %, cluster-robust by video. Means leave out failed judgements; at least and at most are "
            "the mean Traj if all trajectories without a score had 0 or 1. More than one name under judged by means "
            "that a fallback judged some of them."
        )
        if rows
        else "",
        missing="" if rows else missing,
        plot=Plot(kind="intervals", x="run", y=("Traj",), low="Traj low", high="Traj high") if rows else None,
        group=GROUP,
    )


def _scores_row(run: JudgedRun, s: RubricSummary) -> tuple[Cell, ...]:
    low, high = s.bounds if s.bounds is not None else (None, None)
    ways: list[str] = [run.settings.mode]
    ways += [w for w, on in (("grounded", run.settings.grounded), ("masked", run.settings.mask_letter)) if on]
    return (
        run.name,
        run.judge,
        " ".join(ways),
        s.judged,
        s.failed,
        s.not_judged + s.absent,
        *_three(s.traj),
        *_three(s.mc_rate),
        *(s.axes[a].value for a in AXES),
        low,
        high,
        ", ".join(f"{name} ({n})" for name, n in s.judges.items()),
        s.tokens.total,
        s.tokens.cost_usd,
    )


def _three(score: Score) -> tuple[Cell, Cell, Cell]:
    return score.value, score.low, score.high


def axes_table(runs: Sequence[JudgedRun], missing: str) -> Table:
    """The five axes of every run, one row an axis: radar data (figures 4 and 6 to 8).

    An axis that applied to no question has no value; it is never 0.

    Args:
        runs: one judge each.
        missing: what fills the table.
    """
    outlines: list[tuple[str, Mapping[str, float | None]]] = []
    counts: list[Mapping[str, int]] = []
    for run in runs:
        found = summary_of(run).axes
        outlines.append((run.name, {a: found[a].value for a in AXES}))
        counts.append({a: found[a].n for a in AXES})
    rows = tuple(
        (ABBREVIATIONS[axis], name, values.get(axis), n.get(axis))
        for (name, values), n in zip(outlines, counts, strict=True)
        for axis in AXES
    )
    return Table(
        id="judge_axes",
        title="Axes of the trajectory judge",
        columns=(
            Column(name="axis"),
            Column(name="run"),
            Column(name="score", unit="number", digits=2),
            Column(name="questions", unit="count"),
        ),
        rows=rows,
        note="0 to 2. TU task understanding, ECov evidence coverage, EG grounding, ECom completeness, RF reasoning."
        if rows
        else "",
        missing="" if rows else missing,
        plot=Plot(kind="radar", x="axis", y=("score",), series="run") if rows else None,
        group=GROUP,
    )


def milestone_table(runs: Sequence[JudgedRun], missing: str) -> Table:
    """Every milestone of one trajectory with its label and the words that decided it (figure 5).

    Shown is the judged trajectory with the most milestones, the first of them.
    """
    every = [(run, key, j) for run in runs for key, j in run.judged.items() if j.milestones]
    best = max(every, key=lambda e: len(e[2].milestones), default=None)
    rows: tuple[tuple[Cell, ...], ...] = ()
    note = ""
    if best is not None:
        run, (item, epoch, _), judgement = best
        told = {m.id: m for m in run.items[item].gold.milestones} if item in run.items else {}
        rows = tuple(
            (m.id, m.type, told[m.id].description if m.id in told else None, m.status, m.evidence)
            for m in judgement.milestones
        )
        note = f"Question {item}, epoch {epoch}, {run.name}, judged by {judgement.judge}."
    return Table(
        id="judge_walkthrough",
        title="One trajectory, milestone by milestone",
        columns=tuple(Column(name=n) for n in ("milestone", "type", "description", "label", "evidence")),
        rows=rows,
        note=note,
        missing="" if rows else missing,
        group=GROUP,
    )
