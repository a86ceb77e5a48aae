"""Several judges on the same trajectories: how far apart they are, how steady each is, and their mean.

Source: AgentVidBench protocol, section 8 (judge sensitivity); agreement coefficients as in ``stats``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev

from proofreel.judges.judged import JudgementKey
from proofreel.judges.rubric import Judgement
from proofreel.judges.rubric_scores import AXES, WEIGHTS

Judge = Mapping[JudgementKey, Judgement]
Unit = tuple[str, int]
"""(item id, epoch): a trajectory."""


@dataclass(frozen=True)
class PairOfJudges:
    """Two judges on the trajectories that both judged.

    Attributes:
        n: trajectories.
        difference: mean absolute difference of Traj.
        bias: mean of second minus first.
        pearson: correlation of Traj, None where it is undefined.
        kappa: Cohen's kappa over axis scores, quadratic weights; all axes together, null as a label of its own left
            out.
        labels: Cohen's kappa over milestone labels, unweighted.
    """

    first: str
    second: str
    n: int
    difference: float | None
    bias: float | None
    pearson: float | None
    kappa: float | None
    labels: float | None


@dataclass(frozen=True)
class Agreement:
    """Agreement of all judges on one thing; ``alpha`` Krippendorff's, ``fleiss`` on units that all judges rated.

    ``metric`` is that of alpha; Fleiss' kappa is always nominal. None where a coefficient is undefined.
    """

    what: str
    metric: str
    n: int
    alpha: float | None
    fleiss: float | None


@dataclass(frozen=True)
class Consistency:
    """One judge against itself over repeats of the same request.

    Attributes:
        trajectories: those judged twice or more.
        difference: mean absolute difference of Traj between two repeats.
        deviation: mean over trajectories of the standard deviation of Traj.
        flipped: share of trajectories whose axis scores are not the same in all repeats.
        label_flips: share of milestones whose label is not the same in all repeats.
    """

    judge: str
    trajectories: int
    difference: float | None
    deviation: float | None
    flipped: float | None
    label_flips: float | None


def pair_of(name_a: str, a: Judge, name_b: str, b: Judge) -> PairOfJudges:
    """Compares two judges; repeats are averaged for Traj, the first one is used for labels and axes."""
    from proofreel.stats import cohen_kappa, pearson

    mine, theirs = mean_traj(a), mean_traj(b)
    both = [u for u in mine if u in theirs]
    x, y = [mine[u] for u in both], [theirs[u] for u in both]
    first, second = _first(a), _first(b)
    axes: list[tuple[int, int]] = []
    labels: list[tuple[str, str]] = []
    for unit in [u for u in first if u in second]:
        axes += [(int(s), int(t)) for s, t in _axis_pairs(first[unit], second[unit])]
        other = {m.id: m.status for m in second[unit].milestones}
        labels += [(m.status, other[m.id]) for m in first[unit].milestones if m.id in other]
    return PairOfJudges(
        first=name_a,
        second=name_b,
        n=len(both),
        difference=fmean(abs(p - q) for p, q in zip(x, y, strict=True)) if both else None,
        bias=fmean(q - p for p, q in zip(x, y, strict=True)) if both else None,
        pearson=pearson(x, y).value if both else None,
        kappa=cohen_kappa([s for s, _ in axes], [t for _, t in axes], "quadratic", (0, 1, 2)).value
        if axes
        else None,
        labels=cohen_kappa([s for s, _ in labels], [t for _, t in labels]).value if labels else None,
    )


def pairs_of(judges: Mapping[str, Judge]) -> list[PairOfJudges]:
    """Every two judges, in the order given."""
    return [pair_of(a, judges[a], b, judges[b]) for a, b in combinations(judges, 2)]


def agreement_of(judges: Mapping[str, Judge]) -> list[Agreement]:
    """Agreement of all judges on each axis, on Traj and on milestone labels; nothing for fewer than two judges."""
    if len(judges) < 2:
        return []
    first = [_first(j) for j in judges.values()]
    units = list(dict.fromkeys(u for f in first for u in f))
    rows = [
        _agreement(axis, "ordinal", [[_score(f.get(u), axis) for f in first] for u in units]) for axis in AXES
    ]
    labelled = list(dict.fromkeys((u, m.id) for f in first for u, j in f.items() for m in j.milestones))
    labels = [[_label(f.get(u), i) for f in first] for u, i in labelled]
    rows.append(_agreement("milestone label", "nominal", labels))
    weights = [[None if s is None else WEIGHTS.get(s) for s in row] for row in labels]
    rows.append(_agreement("milestone weight", "interval", weights))
    trajs = [[None if u not in f else f[u].traj for f in first] for u in units]
    rows.append(_agreement("Traj", "interval", trajs))
    return rows


def consistency_of(name: str, judge: Judge) -> Consistency:
    """How steady a judge is over the repeats of its own judgements."""
    several = [js for js in _repeats(judge).values() if len(js) > 1]
    trajs = [t for js in several if len(t := [j.traj for j in js if j.traj is not None]) > 1]
    gaps = [fmean(abs(p - q) for p, q in combinations(t, 2)) for t in trajs]
    flips = [len({tuple(j.scores.get(a) for a in AXES) for j in js}) > 1 for js in several]
    labels: list[bool] = []
    for js in several:
        for label in js[0].milestones:
            said = [m.status for j in js for m in j.milestones if m.id == label.id]
            labels.append(len(set(said)) > 1)
    return Consistency(
        judge=name,
        trajectories=len(several),
        difference=fmean(gaps) if gaps else None,
        deviation=fmean(pstdev(t) for t in trajs) if trajs else None,
        flipped=fmean(flips) if flips else None,
        label_flips=fmean(labels) if labels else None,
    )


def ensemble_of(judges: Mapping[str, Judge]) -> dict[Unit, float]:
    """Mean Traj over the judges, for trajectories that every one of them judged; repeats are averaged first."""
    means = [mean_traj(j) for j in judges.values()]
    if not means:
        return {}
    return {u: fmean(m[u] for m in means) for u in means[0] if all(u in m for m in means)}


def mean_traj(judge: Judge) -> dict[Unit, float]:
    """Traj of each trajectory, averaged over repeats."""
    found = {u: [j.traj for j in js if j.traj is not None] for u, js in _repeats(judge).items()}
    return {u: fmean(t) for u, t in found.items() if t}


def _repeats(judge: Judge) -> dict[Unit, list[Judgement]]:
    found: dict[Unit, list[Judgement]] = {}
    for (item, epoch, _), judgement in sorted(judge.items()):
        if judgement.status == "judged":
            found.setdefault((item, epoch), []).append(judgement)
    return found


def _first(judge: Judge) -> dict[Unit, Judgement]:
    return {u: js[0] for u, js in _repeats(judge).items()}


def _axis_pairs(a: Judgement, b: Judgement) -> list[tuple[float, float]]:
    pairs = [(a.scores.get(x), b.scores.get(x)) for x in AXES]
    return [(s, t) for s, t in pairs if s is not None and t is not None and {s, t} <= {0, 1, 2}]


def _score(judgement: Judgement | None, axis: str) -> float | None:
    return None if judgement is None else judgement.scores.get(axis)


def _label(judgement: Judgement | None, milestone: str) -> str | None:
    said = () if judgement is None else judgement.milestones
    return next((m.status for m in said if m.id == milestone), None)


def _agreement(what: str, metric: str, rows: Sequence[Sequence[float | str | None]]) -> Agreement:
    from proofreel.stats import fleiss_kappa, krippendorff_alpha

    alpha = krippendorff_alpha(rows, metric)  # type: ignore[arg-type]
    whole = [row for row in rows if None not in row]
    fleiss = fleiss_kappa(whole).value if whole and metric != "interval" else None
    return Agreement(what, metric, alpha.n, alpha.value, fleiss)
