"""Accuracy by difficulty, capability, skill, genre and duration: a row a label, a column a run."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from proofreel.benchmarks.agentvidbench._runs import RUN_ALL, Scored, names_of, percents, table
from proofreel.core import Column, Item, Plot, Table
from proofreel.core.table import Cell, PlotKind

DIFFICULTIES = ("easy", "medium", "hard", "very hard")
BINS = (("short, under 3 min", 180.0), ("medium, 3 to 10 min", 600.0), ("long, over 10 min", float("inf")))
MOST_SERIES = 8
"""Polygons or neighbouring bars that can be told apart; more are a heat map."""
SLICES = ("difficulty", "categories", "skills", "genre", "duration")


def slice_tables(runs: Sequence[Scored], durations: Mapping[str, float]) -> list[Table]:
    """One table for each way to cut."""
    return [_slice(runs, durations, name) for name in SLICES]


def labels_of(item: Item, name: str, durations: Mapping[str, float]) -> list[str]:
    """Labels of a question under one way to cut; it counts in each of them."""
    video = item.metadata.get("video") or {}
    if name == "duration":
        seconds = durations.get(item.question.id) or item.question.duration
        return [] if not seconds else [next(label for label, limit in BINS if seconds < limit)]
    if name == "genre":
        return [str(video["genre"])] if video.get("genre") else []
    if name == "difficulty":
        return [str(item.metadata["difficulty"])] if item.metadata.get("difficulty") else []
    found = item.metadata.get(name) or []
    return [str(v).replace("_", " ") for v in found]


def ordered(labels: Iterable[str]) -> list[str]:
    """Difficulties and durations in their own order, all others by name."""
    known = [*DIFFICULTIES, *(label for label, _ in BINS)]
    return sorted(set(labels), key=lambda v: (known.index(v) if v in known else len(known), v))


def _slice(runs: Sequence[Scored], durations: Mapping[str, float], name: str) -> Table:
    items = {s.item.question.id: s.item for r in runs for s in r.view.scored}
    labels = {q: labels_of(i, name, durations) for q, i in items.items()}
    names = names_of(runs)
    rows: list[tuple[Cell, ...]] = []
    for label in ordered(x for found in labels.values() for x in found):
        inside = {q for q, found in labels.items() if label in found}
        cells = [[v for q, v in r.values.items() if q in inside] for r in runs]
        rows.append((label, len(inside), *(percents(fmean(c)) if c else None for c in cells)))
    kind: PlotKind = "heat" if len(names) > MOST_SERIES else "radar" if len(rows) > 3 else "grouped_bars"
    return table(
        f"avb_by_{name}",
        f"Accuracy by {name}",
        (
            Column(name=name),
            Column(name="questions", unit="count"),
            *(Column(name=n, unit="percent", better="high") for n in names),
        ),
        rows,
        f"No {name} is known for these questions. {RUN_ALL.format(agent='video_react')} on the whole data folder.",
        "Questions with several labels count in each." if name in ("categories", "skills") else "",
        Plot(kind=kind, x=name, y=tuple(names)) if names else None,
    )
