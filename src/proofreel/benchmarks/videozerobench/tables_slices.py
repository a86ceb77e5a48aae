"""Level 3 by ability, domain, span, language and length of the video (Figures 3 and 7), and T11's abilities."""

from collections.abc import Callable, Sequence
from functools import partial

from proofreel.benchmarks.videozerobench.loader import length_group
from proofreel.benchmarks.videozerobench.marks import LevelRun, Mark, duration_of, published, stat
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
    """A table for each way of slicing, and the abilities of the human study."""
    return [*(_sliced(name, *how, runs) for name, how in SLICES.items()), human_abilities(runs)]


def _sliced(name: str, what: str, names: Names, runs: Sequence[LevelRun]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        groups: dict[str, list[Mark]] = {}
        for mark in run.marks:
            for value in names(run, mark):
                groups.setdefault(value, []).append(mark)
        for value in sorted(groups, key=lambda v: (ORDER.index(v) if v in ORDER else len(ORDER), v)):
            s = stat(groups[value], "acc3")
            if s.value is not None:
                rows.append((run.label, value, s.value, s.low, s.high, s.n))
    kind: PlotKind = "radar" if what == "ability" else "grouped_bars"
    return Table(
        id=name,
        title=f"VideoZeroBench: level 3 by {what}",
        columns=(
            Column(name="run"),
            Column(name=what),
            Column(name="L3 Acc", unit="percent", better="high"),
            Column(name="low", unit="percent"),
            Column(name="high", unit="percent"),
            Column(name="questions", unit="count"),
        ),
        rows=tuple(rows),
        note="A question with several abilities counts in each."
        if what == "ability"
        else "Intervals by video.",
        missing="" if rows else f"no run with level 3 on questions that name a {what}",
        plot=Plot(kind=kind, x=what, y=("L3 Acc",), series="run") if rows else None,
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
