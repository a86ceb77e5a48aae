"""Runs as the table builders read them: one name for each method, answers by question, tokens of a pass."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from proofreel.benchmarks.hooks import RunView
from proofreel.core import Column, Outcome, Plot, Table
from proofreel.core.table import Cell

GROUP = "AgentVidBench"
BASELINE = "Single-Turn"
METHODS = {
    "single_turn": BASELINE,
    "star": "STAR",
    "dvd": "DVD",
    "avp": "AVP",
    "video_react": "Video-ReAct",
}
"""The published names and their order; other agents go by their own names."""
CONTROLS = ("fps", "resolution", "spatial_token_rate", "interval")
RUN_ALL = "proofreel run agentvidbench --data DIR --agent {agent} --model MODEL --out RUN"
_ANSWERED = {Outcome.RIGHT: 1.0, Outcome.WRONG: 0.0, Outcome.UNPARSED: 0.0, Outcome.MODEL_FAILED: 0.0}


@dataclass
class Scored:
    """A run with what all tables need.

    Attributes:
        method: published name.
        values: mean over epochs of 1 (right) and 0 by question; questions that say nothing about the model are absent.
        tokens: mean tokens of a finished (question, epoch), None without any.
    """

    view: RunView
    method: str
    model: str
    values: dict[str, float] = field(default_factory=dict)
    tokens: float | None = None

    @property
    def accuracy(self) -> float | None:
        """In [0, 1]; None when nothing was answered."""
        return fmean(self.values.values()) if self.values else None

    @property
    def million_tokens(self) -> float | None:
        """Tokens of one pass over all questions asked, in millions."""
        asked = len({s.item.question.id for s in self.view.scored})
        return self.tokens * asked / 1e6 if self.tokens else None

    @property
    def plain(self) -> bool:
        """Whether no control is held fixed: the method as published."""
        return not any(self.view.options.get(c) is not None for c in CONTROLS) or self.method == BASELINE

    def video(self, question: str) -> str:
        """Video of a question."""
        return next(
            (s.item.question.video for s in self.view.scored if s.item.question.id == question), question
        )


def scored(runs: Sequence[RunView]) -> list[Scored]:
    """All runs, published methods first."""
    found = []
    for view in runs:
        values: dict[str, list[float]] = {}
        for one in view.scored:
            if one.verdict is not None and (value := _ANSWERED.get(one.verdict.outcome)) is not None:
                values.setdefault(one.item.question.id, []).append(value)
        used = [s.trajectory.tokens.total for s in view.scored if s.trajectory is not None]
        found.append(
            Scored(
                view=view,
                method=METHODS.get(view.agent, view.agent),
                model=(view.model or "no model").split("/")[-1],
                values={k: fmean(v) for k, v in values.items()},
                tokens=fmean(used) if used else None,
            )
        )
    order = list(METHODS.values())
    return sorted(found, key=lambda s: order.index(s.method) if s.method in order else len(order))


def by_model(runs: Sequence[Scored]) -> dict[str, dict[str, Scored]]:
    """The first plain run of each model and method; models in order of appearance."""
    found: dict[str, dict[str, Scored]] = {}
    for run in sorted(runs, key=lambda r: not r.plain):
        found.setdefault(run.model, {}).setdefault(run.method, run)
    return found


def methods_of(runs: Sequence[Scored]) -> list[str]:
    """Methods in the published order."""
    return list(dict.fromkeys(r.method for r in runs))


def names_of(runs: Sequence[Scored]) -> list[str]:
    """Method and model of each run, unique."""
    names = [f"{r.method}, {r.model}" for r in runs]
    told = [", ".join(f"{k} {v}" for k, v in sorted(r.view.options.items())) for r in runs]
    names = [f"{n} ({t})" if names.count(n) > 1 and t else n for n, t in zip(names, told, strict=True)]
    return [f"{n} #{k}" if names.count(n) > 1 else n for k, n in enumerate(names, 1)]


def percents(value: float | None) -> float | None:
    """In percent; missing stays missing."""
    return None if value is None else 100 * value


def minus(a: float | None, b: float | None) -> float | None:
    """Difference of what is known."""
    return None if a is None or b is None else a - b


def table(
    id: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    missing: str,
    note: str = "",
    plot: Plot | None = None,
) -> Table:
    """A table of this benchmark; without rows it has only its ``missing`` sentence."""
    return Table(
        id=id,
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        note=note if rows else "",
        missing="" if rows else missing,
        plot=plot if rows else None,
        group=GROUP,
    )
