"""Level 3 by ability, domain, span, language and length of the video (Figures 3 and 7), and T11's abilities."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from proofreel.benchmarks.videozerobench.loader import length_group
from proofreel.benchmarks.videozerobench.marks import LevelRun, Mark, Stat, duration_of, published, stat
from proofreel.benchmarks.videozerobench.rows import ABILITY_GROUPS
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell, PlotKind

GROUP = "VideoZeroBench"
ORDER = (
    *(a for names in ABILITY_GROUPS.values() for a in names),
    *("single-frame", "short-term", "long-range", "short", "medium", "long", "cn", "en"),
)
HUMAN_ABILITIES = (
    "counting",
    "small-object perception",
    "spatial orientation discrimination",
    "object tracking",
    "world knowledge reasoning",
    "audio perception",
)
Names = Callable[[LevelRun, Mark], Sequence[str]]


def _one(key: str) -> Names:
    return lambda run, mark: [str(v)] if (v := mark.item.metadata.get(key)) else []


def _abilities(run: LevelRun, mark: Mark) -> Sequence[str]:
    return [str(a) for a in mark.item.metadata.get("abilities") or ()]


def _length(run: LevelRun, mark: Mark) -> Sequence[str]:
    group = length_group(duration_of([run.view], mark.item))
    return [group] if group else []


SLICES: dict[str, tuple[str, Names]] = {
    "vzb_fig3_abilities": ("ability", _abilities),
    "vzb_fig3_domains": ("domain", _one("category")),
    "vzb_fig3_spans": ("span", _one("evidence_span")),
    "vzb_languages": ("language", _one("language")),
    "vzb_fig7_lengths": ("length", _length),
}


def slice_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """A table for each way of slicing, all of them with intervals, and the abilities of the human study."""
    groups = {name: [_groups(run, how[1]) for run in runs] for name, how in SLICES.items()}
    each = [_sliced(name, how[0], runs, groups[name]) for name, how in SLICES.items()]
    return [*each, _with_intervals(runs, groups), human_abilities(runs)]


def _groups(run: LevelRun, names: Names) -> dict[str, Stat]:
    """Level 3 by value, in the protocol's order; values without an answer are left out."""
    marks: dict[str, list[Mark]] = {}
    for mark in run.marks:
        for value in names(run, mark):
            marks.setdefault(value, []).append(mark)
    found = {value: stat(marks[value], "acc3") for value in sorted(marks, key=_place)}
    return {value: s for value, s in found.items() if s.value is not None}


def _place(value: str) -> tuple[int, str]:
    return (ORDER.index(value) if value in ORDER else len(ORDER), value)


def _sliced(name: str, what: str, runs: Sequence[LevelRun], groups: Sequence[dict[str, Stat]]) -> Table:
    values = sorted({v for g in groups for v in g}, key=_place)
    counts = [max((g[v].n for g in groups if v in g), default=0) for v in values]
    rows = [
        (v, n, *(g[v].value if v in g else None for g in groups)) for v, n in zip(values, counts, strict=True)
    ]
    kind: PlotKind = "radar" if what == "ability" and len(values) > 2 else "grouped_bars"
    labels = tuple(r.label for r in runs)
    return Table(
        id=name,
        title=f"VideoZeroBench: level 3 by {what}",
        columns=(
            Column(name=what),
            Column(name="questions", unit="count"),
            *(Column(name=label, unit="percent", better="high") for label in labels),
        ),
        rows=tuple(rows),
        note="A question with several abilities counts in each." if what == "ability" else "",
        missing="" if rows else f"no run with level 3 on questions that name a {what}",
        plot=Plot(kind=kind, x=what, y=labels) if rows else None,
        group=GROUP,
    )


def _with_intervals(runs: Sequence[LevelRun], groups: Mapping[str, Sequence[dict[str, Stat]]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, (what, _) in SLICES.items():
        for run, found in zip(runs, groups[name], strict=True):
            rows += [(run.label, what, value, s.value, s.low, s.high, s.n) for value, s in found.items()]
    return Table(
        id="vzb_slices",
        title="VideoZeroBench: level 3 of every slice, with intervals",
        columns=(
            Column(name="run"),
            Column(name="by"),
            Column(name="value"),
            Column(name="L3 Acc", unit="percent"),
            Column(name="low", unit="percent"),
            Column(name="high", unit="percent"),
            Column(name="questions", unit="count"),
        ),
        rows=tuple(rows),
        note="95 % intervals by video.",
        missing="" if rows else "no run with level 3",
        group=GROUP,
    )


def _needs(ability: str, mark: Mark) -> bool:
    return ability in (mark.item.metadata.get("abilities") or ())


def human_abilities(runs: Sequence[LevelRun]) -> Table:
    """T11: level 3 overall and on the six abilities; the paper gives the human overall value in numbers."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        overall = run.stat("acc3")
        if overall.value is not None:
            each = [run.stat("acc3", partial(_needs, a)) for a in HUMAN_ABILITIES]
            rows.append((run.label, overall.n, overall.value, *(s.value for s in each)))
    human = published()["human"]
    if rows:
        rows.append(
            (
                f"{human['label']}, published",
                human["questions"],
                human["acc3"],
                *[None] * len(HUMAN_ABILITIES),
            )
        )
    return Table(
        id="vzb_t11_abilities",
        title="VideoZeroBench: level 3 of people and models by ability",
        columns=(
            Column(name="who"),
            Column(name="questions", unit="count"),
            Column(name="overall", unit="percent", better="high"),
            *(Column(name=a, unit="percent", better="high") for a in HUMAN_ABILITIES),
        ),
        rows=tuple(rows),
        note="People by ability, models on the same questions: proofreel human-study FILE --data DIR --run RUN.",
        missing="" if rows else "no run with level 3",
        group=GROUP,
    )
