"""Tables of a panel: judges against each other and against themselves."""

from collections.abc import Sequence
from statistics import fmean

from proofreel.core import Column, Table
from proofreel.core.table import Cell
from proofreel.judges.judged import JudgedRun, JudgementKey
from proofreel.judges.panel import agreement_of, consistency_of, ensemble_of, mean_traj, pairs_of
from proofreel.judges.rubric import Judgement

GROUP = "Trajectory judge"
ONE = "Only one judge so far; a second one makes a panel: proofreel judge {run} --judge OTHER"
ONCE = (
    "Every trajectory was judged once; repeats show steadiness: proofreel judge {run} --judge M --repeats 3"
)


def panel_tables(runs: Sequence[JudgedRun], missing: str) -> list[Table]:
    """Pairs, agreement, steadiness and mean of the judges, over all trajectories of all runs."""
    judges = _judges(runs)
    example = runs[0].path if runs else ""
    alone = missing if not runs else ONE.format(run=example)
    return [
        _pairs(judges, alone),
        _agreement(judges, alone),
        _consistency(judges, missing if not runs else ONCE.format(run=example)),
        _ensemble(runs, judges, alone),
    ]


def _judges(runs: Sequence[JudgedRun]) -> dict[str, dict[JudgementKey, Judgement]]:
    """Judgements of each judge over all runs; ids are told apart by run."""
    found: dict[str, dict[JudgementKey, Judgement]] = {}
    for run in runs:
        mine = found.setdefault(run.judge, {})
        for (item, epoch, repeat), judgement in run.judgements.items():
            mine[f"{run.path}\0{item}", epoch, repeat] = judgement
    return found


def _pairs(judges: dict[str, dict[JudgementKey, Judgement]], missing: str) -> Table:
    rows = [
        (p.first, p.second, p.n, p.difference, p.bias, p.pearson, p.kappa, p.labels)
        for p in pairs_of(judges)
        if p.n
    ]
    return Table(
        id="judge_pairs",
        title="Judges against each other",
        columns=(
            Column(name="judge"),
            Column(name="other judge"),
            Column(name="trajectories", unit="count"),
            Column(name="mean abs difference", unit="number", digits=3, better="low"),
            Column(name="other minus judge", unit="number", digits=3),
            Column(name="Pearson r", unit="number", digits=3, better="high"),
            Column(name="kappa of axes", unit="number", digits=3),
            Column(name="kappa of labels", unit="number", digits=3),
        ),
        rows=tuple(rows),
        note="Traj in 0-1, mean of repeats. Cohen's kappa: axes with quadratic weights, milestone labels unweighted."
        if rows
        else "",
        missing="" if rows else missing,
        group=GROUP,
    )


def _agreement(judges: dict[str, dict[JudgementKey, Judgement]], missing: str) -> Table:
    rows = [(a.what, a.metric, a.n, a.alpha, a.fleiss) for a in agreement_of(judges) if a.n]
    return Table(
        id="judge_agreement",
        title="Agreement of all judges",
        columns=(
            Column(name="rating"),
            Column(name="metric"),
            Column(name="units", unit="count"),
            Column(name="Krippendorff alpha", unit="number", digits=3),
            Column(name="Fleiss kappa", unit="number", digits=3),
        ),
        rows=tuple(rows),
        note="Fleiss' kappa is nominal and uses units that every judge rated." if rows else "",
        missing="" if rows else missing,
        group=GROUP,
    )


def _consistency(judges: dict[str, dict[JudgementKey, Judgement]], missing: str) -> Table:
    found = [consistency_of(name, judge) for name, judge in judges.items()]
    rows = [
        (c.judge, c.trajectories, c.difference, c.deviation, _percent(c.flipped), _percent(c.label_flips))
        for c in found
        if c.trajectories
    ]
    return Table(
        id="judge_consistency",
        title="Judges against themselves",
        columns=(
            Column(name="judge"),
            Column(name="trajectories", unit="count"),
            Column(name="mean abs difference", unit="number", digits=3, better="low"),
            Column(name="standard deviation", unit="number", digits=3, better="low"),
            Column(name="axes flipped", unit="percent", better="low"),
            Column(name="labels flipped", unit="percent", better="low"),
        ),
        rows=tuple(rows),
        note="Repeats of the same request. Flipped: not the same in all repeats." if rows else "",
        missing="" if rows else missing,
        group=GROUP,
    )


def _ensemble(
    runs: Sequence[JudgedRun], judges: dict[str, dict[JudgementKey, Judgement]], missing: str
) -> Table:
    names = list(judges)
    together = ensemble_of(judges) if len(names) > 1 else {}
    each = {name: mean_traj(judge) for name, judge in judges.items()}
    rows: list[tuple[Cell, ...]] = []
    for path, label in dict.fromkeys((r.path, r.name) for r in runs):
        mine = {u: t for u, t in together.items() if u[0].startswith(f"{path}\0")}
        if mine:
            rows.append(
                (label, len(mine), fmean(mine.values()), *(fmean(each[n][u] for u in mine) for n in names))
            )
    return Table(
        id="judge_ensemble",
        title="Mean of the judges",
        columns=(
            Column(name="run"),
            Column(name="trajectories", unit="count"),
            Column(name="mean of judges", unit="number", digits=3, better="high"),
            *(Column(name=n, unit="number", digits=3) for n in names),
        ),
        rows=tuple(rows),
        note="Traj on the trajectories that every judge judged." if rows else "",
        missing="" if rows else missing,
        group=GROUP,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
