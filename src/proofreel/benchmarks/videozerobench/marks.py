"""Runs as values by level: what counts, what is missing, means with intervals by video."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from proofreel.benchmarks.hooks import RunView, ScoredItem
from proofreel.benchmarks.videozerobench.aggregate import THRESHOLD
from proofreel.benchmarks.videozerobench.boxes import scored_times
from proofreel.benchmarks.videozerobench.gold import extract_gt_windows
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.core import Item, Outcome

NAMES = ("acc1", "acc2", "acc3", "tiou", "l4", "viou", "l5")
HEADINGS = dict(
    zip(NAMES, ("L1 Acc", "L2 Acc", "L3 Acc", "L4 tIoU", "L4 Acc", "L5 vIoU", "L5 Acc"), strict=True)
)
GRADED = frozenset(("tiou", "viou"))
UNCOUNTED = frozenset((Outcome.HARNESS_FAILED, Outcome.JUDGE_FAILED))
"""Endings that say nothing about the model: the question is left out and counted as missing."""


@cache
def published() -> dict[str, Any]:
    """Numbers of the paper."""
    text = (files("proofreel.benchmarks.videozerobench") / "data" / "published.toml").read_text("utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Mark:
    """One (question, epoch) that counts.

    Attributes:
        values: ``acc1`` to ``acc3``, ``tiou``, ``viou``; None where the level was not asked, could not be asked for
            a fault of the harness, or has no reference.
        failed: errors by level; the model's failures count as wrong, as published.
    """

    item: Item
    epoch: int
    values: Mapping[str, Any]
    failed: Mapping[str, str] = field(default_factory=dict)
    form: str = "separate"

    @cached_property
    def has_windows(self) -> bool:
        """Whether level 4 has a reference."""
        return bool(extract_gt_windows(Case.of_item(self.item).evidence_windows))

    @cached_property
    def has_boxes(self) -> bool:
        """Whether level 5 has a reference."""
        return bool(scored_times(Case.of_item(self.item).evidence_boxes))

    def value(self, name: str, t: float = THRESHOLD, v: float = THRESHOLD) -> float | None:
        """A value in [0, 1]; ``l4`` and ``l5`` are successes at thresholds, 0 without a reference as published."""
        if name not in ("l4", "l5"):
            given = self.values.get(name)
            return None if given is None else float(given)
        right, found = self.value("acc3"), self.value("tiou")
        if right is None or (self.has_windows and found is None):
            return None
        four = right > 0 and found is not None and found > t
        if name == "l4":
            return float(four)
        placed = self.value("viou")
        if self.has_boxes and placed is None:
            return None
        return float(four and placed is not None and placed > v)

    def reachable(self, name: str) -> bool:
        """Whether success on level 4 or 5 is possible at all."""
        return self.has_windows and (name == "l4" or self.has_boxes)


@dataclass(frozen=True)
class Stat:
    """A mean in percent over ``n`` values, with the 95 % interval by video; None where there is nothing."""

    value: float | None = None
    n: int = 0
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LevelRun:
    """A run of the benchmark.

    Attributes:
        label: unique among the runs.
        marks: what counts.
        missing: (question, epoch) pairs not run, or spoilt by the harness or the judge.
        mode: by which the values were read.
    """

    view: RunView
    label: str
    marks: tuple[Mark, ...]
    missing: int
    mode: str

    @property
    def form(self) -> str:
        """``separate`` level calls, or ``joint``: asked once."""
        return self.marks[0].form if self.marks else "separate"

    @property
    def failures(self) -> int:
        """(question, epoch) pairs with a failed level."""
        return sum(bool(m.failed) for m in self.marks)

    def stat(self, name: str, keep: Callable[[Mark], bool] = lambda m: True) -> Stat:
        """Mean of a value over the marks that have it."""
        return stat(self.marks, name, keep)


def stat(marks: Iterable[Mark], name: str, keep: Callable[[Mark], bool] = lambda m: True) -> Stat:
    """Mean in percent; successes get the cluster-adjusted Wilson interval, overlaps the cluster-robust t interval."""
    from proofreel.stats import accuracy_interval, mean_interval

    pairs = [(v, m.item.question.video) for m in marks if keep(m) and (v := m.value(name)) is not None]
    if not pairs:
        return Stat()
    values, videos = [v for v, _ in pairs], [video for _, video in pairs]
    mean = 100 * sum(values) / len(values)
    found = mean_interval(values, videos) if name in GRADED else accuracy_interval(values, videos)
    if found.interval is None or (
        name in GRADED and found.interval.low == found.interval.high
    ):  # no spread at all
        return Stat(mean, len(values))
    low, high = (100 * min(max(end, 0.0), 1.0) for end in (found.interval.low, found.interval.high))
    return Stat(mean, len(values), low, high)


def level_runs(views: Sequence[RunView], mode: str | None = None) -> list[LevelRun]:
    """The runs, values read in each run's own mode, or in the one named."""
    names = labels(views)
    return [_run(view, names[n], mode) for n, view in enumerate(views)]


def _run(view: RunView, label: str, mode: str | None) -> LevelRun:
    told = next((str(s.details["mode"]) for s in view.scored if "mode" in s.details), view.mode)
    chosen = mode or told
    marks = [m for s in view.scored if (m := _mark(s, chosen)) is not None]
    return LevelRun(view, label, tuple(marks), len(view.scored) - len(marks), chosen)


def _mark(scored: ScoredItem, mode: str) -> Mark | None:
    values = scored.details.get("scores", {}).get(mode)
    if values is None or scored.verdict is None or scored.verdict.outcome in UNCOUNTED:
        return None
    failed = scored.details.get("failed", {})
    return Mark(scored.item, scored.epoch, values, failed, str(scored.details.get("form", "separate")))


def labels(views: Sequence[RunView]) -> list[str]:
    """Model, and the agent unless it is ``levels``; where that is not unique what differs in the options, else where.

    Models stand under their last name where no two models share it.
    """
    short = {v.model: v.model.rsplit("/", 1)[-1] for v in views if v.model}
    full = {m for m, s in short.items() if list(short.values()).count(s) > 1}
    plain = []
    for view in views:
        model = view.model if view.model in full else short.get(view.model or "")
        agent = None if view.agent == "levels" and model else view.agent
        plain.append(" ".join(n for n in (agent, model) if n))
    keys = sorted({k for v in views for k in v.options if not isinstance(v.options[k], dict | list)})
    out = []
    for view, name in zip(views, plain, strict=True):
        same = [v for v, other in zip(views, plain, strict=True) if other == name]
        differing = [k for k in keys if len({str(v.options.get(k)) for v in same}) > 1]
        more = [f"{k}={view.options[k]}" for k in differing if k in view.options]
        out.append(" ".join([name, *more]))
    return [f"{label} ({views[n].path})" if out.count(label) > 1 else label for n, label in enumerate(out)]


def items_of(views: Sequence[RunView]) -> dict[str, Item]:
    """Every question of the runs, once."""
    return {s.item.question.id: s.item for view in views for s in view.scored}


def duration_of(views: Sequence[RunView], item: Item) -> float | None:
    """Seconds of a question's video: as the table says, else as probed."""
    probed = (view.durations.get(item.question.id) for view in views)
    return item.question.duration or next((d for d in probed if d), None)
