"""Judged trajectories of a run and the numbers they give: Traj, MC-Rate, axes, tags, coverage by milestone type.

Source: AgentVidBench protocol, section 5.3. Intervals are cluster-robust over videos.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from proofreel.core import Item, Outcome, TokenUse
from proofreel.judges.rubric import Judgement, RubricSettings
from proofreel.judges.rubric_scores import AXES, TAG_LIST, WEIGHTS

JudgementKey = tuple[str, int, int]
"""(item id, epoch, repeat), the last two from 1."""
COUNTED = frozenset({Outcome.RIGHT, Outcome.WRONG, Outcome.UNPARSED, Outcome.MODEL_FAILED})


@dataclass(frozen=True)
class JudgedRun:
    """One run as one judge saw it.

    Attributes:
        path: folder of the run, for people.
        agent: the method.
        model: its main model, None for none.
        judge: name of the judgements' file.
        judgements: those there are; failed ones included.
        items: questions by id.
        verdicts: right or wrong by (item id, epoch).
        asked: every (item id, epoch) of the run.
        repeats: judgements asked for of each trajectory.
        options: settings of the agent.
        settings: of the judge.
        tokens_each: mean tokens the agent took for a question, None where nobody counted.
    """

    path: str
    agent: str
    model: str | None
    judge: str
    judgements: Mapping[JudgementKey, Judgement]
    items: Mapping[str, Item]
    verdicts: Mapping[tuple[str, int], Outcome]
    asked: tuple[tuple[str, int], ...]
    repeats: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: RubricSettings = field(default_factory=RubricSettings)
    tokens_each: float | None = None

    @property
    def name(self) -> str:
        """Agent and model, for a row of a table."""
        return " ".join(n for n in (self.agent, self.model) if n)

    @property
    def judged(self) -> dict[JudgementKey, Judgement]:
        """Those with scores."""
        return {k: j for k, j in self.judgements.items() if j.status == "judged"}

    def video(self, item_id: str) -> str:
        """The cluster of a question."""
        item = self.items.get(item_id)
        return item.question.video if item else item_id

    @property
    def accuracy(self) -> float | None:
        """Right answers over those that count (right, wrong, unparsed, model failed), in [0, 1]."""
        counted = [v for k in self.asked if (v := self.verdicts.get(k)) in COUNTED]
        return sum(v is Outcome.RIGHT for v in counted) / len(counted) if counted else None


@dataclass(frozen=True)
class Score:
    """A mean with its interval by video; ``low`` and ``high`` are None with one video only, ``n`` counts values."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class RubricSummary:
    """What one judge says of one run.

    Attributes:
        traj: trajectory score in [0, 1].
        mc_rate: milestone coverage in [0, 1].
        axes: P1 to P5 in [0, 2]; no value where the axis applied to no question.
        tags: occurrences per 100 judged trajectories, by tag.
        types: pooled coverage by milestone type, in [0, 1].
        judged: judgements with scores.
        failed: judgements whose judge failed.
        not_judged: trajectories that nobody was asked about (nothing to judge, no milestones).
        absent: judgements still to be made.
        bounds: what the mean Traj of all could be, were everything without scores judged 0 or 1.
        judges: how many judgements each model made; more than one name means a mixture.
        tokens: of all calls.
    """

    traj: Score
    mc_rate: Score
    axes: dict[str, Score]
    tags: dict[str, float]
    types: dict[str, Score]
    judged: int
    failed: int
    not_judged: int
    absent: int
    bounds: tuple[float, float] | None
    judges: dict[str, int]
    tokens: TokenUse


def summary_of(run: JudgedRun) -> RubricSummary:
    """Means over questions; several epochs or repeats of a question are averaged first, so each question counts once.

    Failed judgements are left out of the means, counted beside them, and shown as bounds. In the official mode every
    record counts once, as published.
    """
    judged = run.judged
    by_question = run.settings.mode == "careful"

    def score(value: Callable[[Judgement], float | None], top: float = 1.0) -> Score:
        return _mean(run, judged, value, by_question=by_question, top=top)

    every = len(run.asked) * run.repeats
    failed = sum(j.status == "judge_failed" for j in run.judgements.values())
    nobody = sum(j.status == "not_judged" for j in run.judgements.values())
    got = [j.traj for j in judged.values() if j.traj is not None]
    return RubricSummary(
        traj=score(lambda j: j.traj),
        mc_rate=score(lambda j: j.mc_rate),
        axes={axis: score(_axis(axis), 2.0) for axis in AXES},
        tags=tag_rates(list(judged.values())),
        types=_types(run, judged),
        judged=len(judged),
        failed=failed,
        not_judged=nobody,
        absent=max(0, every - len(run.judgements)),
        bounds=(sum(got) / every, (sum(got) + every - len(got)) / every) if every else None,
        judges=dict(Counter(j.judge for j in judged.values())),
        tokens=sum((j.tokens for j in run.judgements.values()), TokenUse()),
    )


def _axis(axis: str) -> Callable[[Judgement], float | None]:
    return lambda judgement: judgement.scores.get(axis)


def tag_rates(judgements: Sequence[Judgement]) -> dict[str, float]:
    """Occurrences of each tag per 100 judged trajectories, in the order of the list; empty without judgements."""
    if not judgements:
        return {}
    counts = Counter(t for j in judgements for t in j.failure_tags)
    names = [*TAG_LIST, *sorted(set(counts) - set(TAG_LIST))]
    return {t: 100 * counts[t] / len(judgements) for t in names}


def per_question(
    judged: Mapping[JudgementKey, Judgement], value: Callable[[Judgement], float | None]
) -> dict[str, float]:
    """Mean of a value over epochs and repeats, by question; questions without one are left out."""
    found: dict[str, list[float]] = {}
    for (item, _, _), judgement in judged.items():
        if (v := value(judgement)) is not None:
            found.setdefault(item, []).append(v)
    return {item: fmean(values) for item, values in found.items()}


def _mean(
    run: JudgedRun,
    judged: Mapping[JudgementKey, Judgement],
    value: Callable[[Judgement], float | None],
    *,
    by_question: bool,
    top: float,
) -> Score:
    if by_question:
        pairs = list(per_question(judged, value).items())
    else:
        pairs = [(k[0], v) for k, j in judged.items() if (v := value(j)) is not None]
    return clustered([v for _, v in pairs], [run.video(i) for i, _ in pairs], top=top)


def clustered(values: Sequence[float], videos: Sequence[str], top: float = 1.0) -> Score:
    """Mean and 95 % interval by video, cut to [0, top]."""
    from proofreel.stats import mean_interval

    if not values:
        return Score(None, None, None, 0)
    found = mean_interval(list(values), list(videos))
    if found.interval is None:
        return Score(found.value, None, None, found.items)
    low, high = max(0.0, found.interval.low), min(top, found.interval.high)
    return Score(found.value, low, high, found.items)


def _types(run: JudgedRun, judged: Mapping[JudgementKey, Judgement]) -> dict[str, Score]:
    """Label weights pooled over all milestones of a type, as published; interval by video."""
    pooled: dict[str, tuple[list[float], list[str]]] = {}
    for (item, _, _), judgement in judged.items():
        known = {m.id: m.type for m in run.items[item].gold.milestones} if item in run.items else {}
        for label in judgement.milestones:
            kind = label.type or known.get(label.id, "")
            if kind:
                values, videos = pooled.setdefault(kind, ([], []))
                values.append(WEIGHTS.get(label.status, 0.0))
                videos.append(run.video(item))
    return {kind: clustered(*pooled[kind]) for kind in sorted(pooled)}
