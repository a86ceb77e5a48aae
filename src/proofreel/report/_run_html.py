"""The page of a report: overview in plain HTML, figures and questions as data for its script."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from proofreel.core import Table
from proofreel.report._browse import MOST_QUESTIONS, Views, detail, index_row, item_of, places
from proofreel.report._page import render, script_json
from proofreel.report._videos import page_videos
from proofreel.report.run_markdown import ends, percent, run_notes
from proofreel.report.table_text import best_rows, cell_text, heading, missing
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_records import COUNTED, RunNumbers

OVERVIEW = ("leaderboard", "runs_accuracy", "runs_endings")
"""Tables whose figures open the page."""
LONG = 12
"""A table with more rows is folded up at first."""


def page(
    runs: Sequence[ScoredRun],
    numbers: Sequence[RunNumbers],
    names: Sequence[str],
    pairs: Sequence[Pair],
    tables: Sequence[Table],
    title: str,
    path: Path,
    embed_mb: float,
    figures: Collection[str],
) -> str:
    """The page as text; everything from runs is escaped, and it fetches nothing but videos beside it."""
    every = places(runs)
    shown = every[:MOST_QUESTIONS]
    items = [item_of(runs, p) for p in shown]
    videos = page_videos((i.question.video for i in items if i is not None), path, embed_mb)
    numbered = {name: n for n, name in enumerate(videos)}
    views = Views(runs)
    of_item = [None if i is None else videos.get(i.question.video) for i in items]
    data = {
        "runs": [{"name": name} for name in names],
        "questions": [index_row(runs, p, numbered, views) for p in shown],
        "videos": [v.record for v in videos.values()],
        "figures": {t.id: _figure(t) for t in tables if t.plot is not None and t.rows},
    }
    embedded = sum(bool(v.data) for v in videos.values())
    return render(
        "report.html.j2",
        bundle="report",
        data=data,
        title=title,
        runs=[_card(n, name) for n, name in zip(numbers, names, strict=True)],
        overview=sorted((t for t in tables if _first(t) is not None), key=lambda t: _first(t) or 0),
        groups=_groups(tables),
        drawn=figures,
        details=[script_json(detail(runs, p, v, views)) for p, v in zip(shown, of_item, strict=True)],
        blobs=[(n, v.data) for n, v in enumerate(videos.values()) if v.data],
        settings=_settings(runs),
        notes=[(name, run_notes(n)) for n, name in zip(numbers, names, strict=True)],
        more=len(every) - len(shown),
        total=len(every),
        media=_media(len(videos), embedded),
        pct=percent,
        ends=ends,
        cell=cell_text,
        heading=heading,
        missing=missing,
        best=best_rows,
        long=LONG,
    )


def _first(table: Table) -> int | None:
    """Place of a table's figure at the head of the page, None for all others."""
    name = "leaderboard" if table.id.startswith("leaderboard") else table.id
    return OVERVIEW.index(name) if name in OVERVIEW else None


def _media(videos: int, embedded: int) -> str:
    if not videos:
        return "The videos are not there any more."
    if embedded == videos:
        return f"All {videos} videos are inside this page."
    rest = "the others" if embedded else "the videos"
    inside = f"{embedded} of {videos} videos are inside this page; " if embedded else ""
    return f"{inside}{rest} are opened from where they lay when it was written."


def _figure(table: Table) -> dict[str, Any]:
    """What the script needs to draw a table."""
    plot = table.plot
    if plot is None:
        return {}
    used = {plot.x, *plot.y, plot.low, plot.high, plot.series}
    columns = [c for c in table.columns if c.name in used]
    rows = list(zip(*(table.column(c.name) for c in columns), strict=True))
    return {
        "title": table.title,
        "plot": plot.model_dump(mode="json"),
        "columns": [
            {"name": c.name, "head": heading(c), "unit": c.unit, "digits": c.digits} for c in columns
        ],
        "rows": [[None if v is None else v for v in row] for row in rows],
        "text": [[cell_text(v, c) for v, c in zip(row, columns, strict=True)] for row in rows],
    }


def _card(n: RunNumbers, name: str) -> dict[str, Any]:
    counts = [(e.replace("_", " "), n.counts.of(e)) for e in (*COUNTED, "not_run")]
    total = n.counts.total or 1
    left, bar = 0.0, []
    for ending, k in counts:
        if k:
            bar.append({"ending": ending, "count": k, "x": 100 * left / total, "width": 100 * k / total})
            left += k
    return {"n": n, "name": name, "bar": bar}


def _groups(tables: Sequence[Table]) -> list[tuple[str, list[Table]]]:
    found: dict[str, list[Table]] = {}
    for table in tables:
        found.setdefault(table.group or "More", []).append(table)
    return list(found.items())


def _settings(runs: Sequence[ScoredRun]) -> list[dict[str, Any]]:
    """Every setting as a row with a cell a run; rows whose cells differ first."""
    left_out = {"items", "videos", "format_version"}
    flat = [dict(_flat(r.settings.model_dump(mode="json", exclude=left_out))) for r in runs]
    rows = []
    for key in dict.fromkeys(k for f in flat for k in f):
        cells = [f.get(key, "") for f in flat]
        rows.append({"key": key, "cells": cells, "differs": len(set(cells)) > 1})
    return sorted(rows, key=lambda r: not r["differs"])


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict) and value:
        return [pair for k, v in value.items() for pair in _flat(v, f"{name}.{k}" if name else str(k))]
    if value in (None, {}, [], ""):
        return []
    if isinstance(value, list):
        return [(name, ", ".join(map(str, value))[:400])]
    return [(name, str(value)[:400])]
