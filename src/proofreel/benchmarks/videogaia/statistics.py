"""The benchmark itself in numbers: categories, levels, lengths of videos, questions and answers."""

from collections.abc import Sequence
from statistics import fmean, median

from proofreel.benchmarks.videogaia.rows import CATEGORIES, LEVELS, token_count
from proofreel.core import Column, Item, Plot, Table

EDGES = (0, 10, 20, 30, 60, 120, 300, 600)
"""Bins of video lengths in seconds; the last one is open."""
GROUP = "VideoGAIA data"


def statistics_tables(items: Sequence[Item]) -> tuple[Table, ...]:
    """Tasks by category and level, summaries of lengths, histogram of video lengths."""
    return (_by_category(items), _lengths(items), _histogram(items))


def _by_category(items: Sequence[Item]) -> Table:
    labels = [(i.metadata.get("category"), i.metadata.get("difficulty")) for i in items]
    known = [*CATEGORIES, *sorted({str(c) for c, _ in labels if c not in CATEGORIES})]
    rows = []
    for category in known:
        mine = [level for c, level in labels if str(c) == category]
        each = [sum(level == name for level in mine) for name in LEVELS]
        rows.append((category, *each, len(mine), 100 * len(mine) / len(items) if items else None))
    return Table(
        id="videogaia_categories",
        title="Tasks by category and difficulty",
        columns=(
            Column(name="category"),
            *(Column(name=level, unit="count") for level in LEVELS),
            Column(name="tasks", unit="count"),
            Column(name="share", unit="percent", digits=2),
        ),
        rows=tuple(rows),
        note=f"n = {len(items)}",
        plot=Plot(kind="stacks", x="category", y=LEVELS),
        group=GROUP,
    )


def _lengths(items: Sequence[Item]) -> Table:
    measured: dict[str, list[float]] = {
        "video, seconds": [i.question.duration for i in items if i.question.duration is not None],
        "question, tokens": [float(token_count(i.question.text)) for i in items],
        "answer, tokens": [float(token_count(i.gold.answer or "")) for i in items],
    }
    names = ("n", "mean", "median", "shortest", "longest")
    return Table(
        id="videogaia_lengths",
        title="Lengths of videos, questions and answers",
        columns=(
            Column(name="what"),
            *(Column(name=n, unit="count" if n == "n" else "number", digits=2) for n in names),
        ),
        rows=tuple(
            (name, len(v), fmean(v), median(v), min(v), max(v)) if v else (name, 0, None, None, None, None)
            for name, v in measured.items()
        ),
        note="tokens: words, numbers and single marks; every Chinese, Japanese or Korean character is one",
        group=GROUP,
    )


def _histogram(items: Sequence[Item]) -> Table:
    lengths = [i.question.duration for i in items if i.question.duration is not None]
    rows = []
    for place, low in enumerate(EDGES):
        high = EDGES[place + 1] if place + 1 < len(EDGES) else None
        count = sum(low <= v and (high is None or v < high) for v in lengths)
        rows.append((f"{low}-{high} s" if high is not None else f"{low} s and more", count))
    return Table(
        id="videogaia_durations",
        title="Lengths of the videos",
        columns=(Column(name="length"), Column(name="videos", unit="count")),
        rows=tuple(rows),
        note=f"n = {len(lengths)}"
        + (f"; {len(items) - len(lengths)} unknown" if len(lengths) < len(items) else ""),
        plot=Plot(kind="bars", x="length", y=("videos",)),
        group=GROUP,
    )
