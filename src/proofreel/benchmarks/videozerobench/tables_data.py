"""What the questions are: annotation coverage (T6) and the statistics of Figure 2."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videozerobench.boxes import scored_times
from proofreel.benchmarks.videozerobench.gold import extract_gt_windows
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.marks import duration_of, items_of, published
from proofreel.benchmarks.videozerobench.rows import ABILITY_GROUPS
from proofreel.core import Column, Item, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
EDGES = (0, 30, 60, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 3600)
"""Bins of video lengths in seconds; the last is open."""


def data_tables(views: Sequence[RunView]) -> list[Table]:
    """T6 and the tables behind Figure 2."""
    items = list(items_of(views).values())
    return [
        coverage(items),
        _counted("vzb_fig2_domains", "domain", Counter(_texts(items, "category"))),
        abilities(items),
        lengths(views, items),
        spans(items),
    ]


def coverage(items: Sequence[Item]) -> Table:
    """T6: which questions carry windows and boxes, and what levels 4 and 5 can reach."""
    cases = [Case.of_item(i) for i in items]
    marks = [
        (bool(extract_gt_windows(c.evidence_windows)), bool(scored_times(c.evidence_boxes))) for c in cases
    ]
    found = Counter(marks)
    n, both = len(items), found[True, True]
    windows, boxes = both + found[True, False], both + found[False, True]
    told = published()["coverage"]
    counts = {
        "questions": n,
        "windows": windows,
        "boxes": boxes,
        "both": both,
        "windows_only": found[True, False],
        "boxes_only": found[False, True],
        "neither": found[False, False],
        "task_instances": 3 * n + windows + boxes,
    }
    rows: list[tuple[Cell, ...]] = [(k.replace("_", " "), v, told[k], None, None) for k, v in counts.items()]
    if n:
        rows += [
            ("highest level 4", None, None, 100 * windows / n, told["bound4"]),
            ("highest level 5", None, None, 100 * both / n, told["bound5"]),
        ]
    return Table(
        id="vzb_t6_coverage",
        title="VideoZeroBench: annotation coverage",
        columns=(
            Column(name="questions with"),
            Column(name="here", unit="count"),
            Column(name="published", unit="count"),
            Column(name="percent here", unit="percent"),
            Column(name="percent published", unit="percent"),
        ),
        rows=tuple(rows) if n else (),
        note="Usable windows and boxes of the questions that were run.",
        missing="" if n else "no questions; run the benchmark on its data folder",
        group=GROUP,
    )


def _texts(items: Iterable[Item], key: str) -> list[str]:
    return [str(v) for i in items if (v := i.metadata.get(key))]


def _counted(name: str, what: str, counts: Counter[str]) -> Table:
    rows = tuple((k, v) for k, v in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))
    return Table(
        id=name,
        title=f"VideoZeroBench: questions by {what}",
        columns=(Column(name=what), Column(name="questions", unit="count")),
        rows=rows,
        missing="" if rows else f"the questions name no {what}",
        plot=Plot(kind="bars", x=what, y=("questions",)) if rows else None,
        group=GROUP,
    )


def abilities(items: Sequence[Item]) -> Table:
    """The two rings of Figure 2: groups of abilities and their abilities; a question counts in each of its own."""
    found = Counter(a for i in items for a in i.metadata.get("abilities") or ())
    groups = {a: group for group, names in ABILITY_GROUPS.items() for a in names}
    rows = tuple(
        (groups.get(a, "other"), a, n)
        for a, n in sorted(found.items(), key=lambda kv: (groups.get(kv[0], "~"), -kv[1]))
    )
    return Table(
        id="vzb_fig2_abilities",
        title="VideoZeroBench: questions by ability",
        columns=(Column(name="group"), Column(name="ability"), Column(name="questions", unit="count")),
        rows=rows,
        note="A question with several abilities counts in each.",
        missing="" if rows else "the questions name no abilities",
        plot=Plot(kind="bars", x="ability", y=("questions",)) if rows else None,
        group=GROUP,
    )


def lengths(views: Sequence[RunView], items: Sequence[Item]) -> Table:
    """Histogram of video lengths; every video counts once."""
    seconds = {i.question.video: d for i in items if (d := duration_of(views, i))}
    bins = [(a, b) for a, b in pairwise(EDGES)]
    names = [f"{a}-{b} s" for a, b in bins] + [f"over {EDGES[-1]} s"]
    counts = [sum(a < d <= b for d in seconds.values()) for a, b in bins]
    counts.append(sum(d > EDGES[-1] for d in seconds.values()))
    rows: tuple[tuple[Cell, ...], ...] = tuple(zip(names, counts, strict=True)) if seconds else ()
    return Table(
        id="vzb_fig2_lengths",
        title="VideoZeroBench: lengths of the videos",
        columns=(Column(name="length"), Column(name="videos", unit="count")),
        rows=rows,
        note=f"{len(seconds)} videos; a bin holds its upper end." if seconds else "",
        missing="" if rows else "no video has a known length",
        plot=Plot(kind="bars", x="length", y=("videos",)) if rows else None,
        group=GROUP,
    )


def spans(items: Sequence[Item]) -> Table:
    """Evidence span by domain."""
    names = ("single-frame", "short-term", "long-range")
    found = Counter((i.metadata.get("category"), i.metadata.get("evidence_span")) for i in items)
    domains = sorted({str(c) for c, s in found if c and s})
    rows: tuple[tuple[Cell, ...], ...] = tuple((d, *(found[d, s] for s in names)) for d in domains)
    return Table(
        id="vzb_fig2_spans",
        title="VideoZeroBench: evidence span by domain",
        columns=(Column(name="domain"), *(Column(name=s, unit="count") for s in names)),
        rows=rows,
        missing="" if rows else "the questions name no domain or no span",
        plot=Plot(kind="stacks", x="domain", y=names) if rows else None,
        group=GROUP,
    )
