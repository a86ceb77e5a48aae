"""The set in one row (T1) and its grounding in one row (T9): what the paper sets beside other benchmarks."""

from collections.abc import Sequence
from statistics import fmean

from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videozerobench.marks import duration_of, items_of
from proofreel.core import Column, Item, Table, total_length, union_area
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
NOTE = "One row, of the questions that were run; rows of other benchmarks have to come from their own data."
MISSING = "no questions; run the benchmark on its data folder"


def set_tables(views: Sequence[RunView]) -> list[Table]:
    """T1 and T9."""
    items = list(items_of(views).values())
    lengths = {i.question.video: d for i in items if (d := duration_of(views, i))}
    return [_set(items, lengths), _grounding(items, lengths)]


def _set(items: Sequence[Item], lengths: dict[str, float]) -> Table:
    languages = sorted({str(v) for i in items if (v := i.metadata.get("language"))})
    row: tuple[Cell, ...] = (
        "VideoZeroBench",
        len({i.question.video for i in items}),
        len(items),
        fmean(lengths.values()) if lengths else None,
        ", ".join(languages) or None,
        "open",
        sum(bool(i.gold.windows) for i in items),
        sum(bool(i.gold.boxes) for i in items),
    )
    return Table(
        id="vzb_t1_benchmarks",
        title="VideoZeroBench: the set in one row (T1)",
        columns=(
            Column(name="benchmark"),
            Column(name="videos", unit="count"),
            Column(name="questions", unit="count"),
            Column(name="mean length", unit="seconds"),
            Column(name="languages"),
            Column(name="answers"),
            Column(name="with windows", unit="count"),
            Column(name="with boxes", unit="count"),
        ),
        rows=(row,) if items else (),
        note=NOTE,
        missing="" if items else MISSING,
        group=GROUP,
    )


def _grounding(items: Sequence[Item], lengths: dict[str, float]) -> Table:
    windows = [i for i in items if i.gold.windows]
    boxes = [i for i in items if i.gold.boxes]
    spans = [total_length(i.gold.windows) for i in windows]
    shares = [
        100 * s / lengths[i.question.video]
        for i, s in zip(windows, spans, strict=True)
        if i.question.video in lengths
    ]
    moments = [{b.time for b in i.gold.boxes} for i in boxes]
    areas = [
        100 * union_area([b.box for b in i.gold.boxes if b.time == t])
        for i, times in zip(boxes, moments, strict=True)
        for t in times
    ]
    row: tuple[Cell, ...] = (
        "VideoZeroBench",
        fmean(len(i.gold.windows) for i in windows) if windows else None,
        fmean(spans) if spans else None,
        fmean(shares) if shares else None,
        fmean(map(len, moments)) if moments else None,
        fmean(len(i.gold.boxes) for i in boxes) if boxes else None,
        fmean(areas) if areas else None,
    )
    return Table(
        id="vzb_t9_grounding",
        title="VideoZeroBench: its grounding in one row (T9)",
        columns=(
            Column(name="benchmark"),
            Column(name="windows a question", unit="number", digits=2),
            Column(name="seconds of evidence", unit="seconds"),
            Column(name="share of the video", unit="percent"),
            Column(name="key times a question", unit="number", digits=2),
            Column(name="boxes a question", unit="number", digits=2),
            Column(name="share of the picture", unit="percent"),
        ),
        rows=(row,) if windows or boxes else (),
        note=f"Means over questions that have windows or boxes. {NOTE}",
        missing=""
        if windows or boxes
        else "no question with windows or boxes; run the benchmark on its data folder",
        group=GROUP,
    )
