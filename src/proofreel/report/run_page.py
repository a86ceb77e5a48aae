"""The report of runs: one HTML page, CSV tables, Markdown and JSON in a folder."""

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from proofreel.report._page import render_plain
from proofreel.report.errors import ReportError
from proofreel.report.run_markdown import ends, money, percent, to_markdown
from proofreel.report.run_tables import (
    ENDINGS,
    headline_rows,
    item_rows,
    pair_rows,
    slice_rows,
    to_csv,
    tool_rows,
)
from proofreel.runs.numbers import run_numbers
from proofreel.runs.numbers_compare import Pair, compare_runs
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_records import RunNumbers

MOST_ITEMS = 2000
"""Rows of questions on the page; the CSV has them all."""


def write_run_report(
    runs: Sequence[ScoredRun], out: str | PathLike[str], *, title: str = "Run report"
) -> Path:
    """Writes ``report.html``, ``report.md``, ``numbers.json`` and CSV files, each in one move.

    Args:
        runs: from ``load_run``.
        out: folder, made when absent.
        title: heading of the page.

    Returns:
        The page.

    Raises:
        ReportError: there is no run, or the folder cannot be written to.
    """
    if not runs:
        raise ReportError("nothing to report: name at least one run folder")
    numbers = [run_numbers(r) for r in runs]
    pairs = compare_runs(runs)
    files = {
        "runs.csv": to_csv(headline_rows(numbers)),
        "slices.csv": to_csv(slice_rows(numbers)),
        "tools.csv": to_csv(tool_rows(numbers)),
        "items.csv": to_csv(item_rows(runs)),
        "report.md": to_markdown(numbers, pairs),
        "numbers.json": json.dumps(
            {
                "format_version": 1,
                "runs": [n.model_dump(mode="json") for n in numbers],
                "pairs": [p.model_dump(mode="json") for p in pairs],
            },
            indent=1,
            ensure_ascii=False,
        ),
        "report.html": page(numbers, runs, pairs, title),
    }
    if pairs:
        files["pairs.csv"] = to_csv(pair_rows(numbers, pairs))
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            fresh = folder / f".{name}.tmp"
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(folder / name)
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from error
    return folder / "report.html"


def page(numbers: Sequence[RunNumbers], runs: Sequence[ScoredRun], pairs: Sequence[Pair], title: str) -> str:
    """The page as text; everything from runs is escaped."""
    return render_plain(
        "run_report.html.j2",
        title=title,
        runs=numbers,
        pairs=pairs,
        endings=ENDINGS,
        slices=_slices(numbers),
        items=_items(runs),
        most_items=MOST_ITEMS,
        pct=percent,
        ends=ends,
        usd=money,
        bar=_bar,
        few=_few,
    )


def _few(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def _bar(n: RunNumbers) -> list[tuple[str, int]]:
    """Parts of the bar of endings; abstentions are taken out of the wrong ones."""
    c = n.counts
    parts = {
        "right": c.right,
        "wrong": c.wrong - c.abstained,
        "abstained": c.abstained,
        "unparsed": c.unparsed,
        "model failed": c.model_failed,
        "judge failed": c.judge_failed,
        "harness failed": c.harness_failed,
        "not run": c.not_run,
        "excluded": c.excluded,
    }
    return [(name, count) for name, count in parts.items() if count]


def _slices(numbers: Sequence[RunNumbers]) -> list[dict[str, Any]]:
    """Tables by key: a row a value, a cell a run."""
    cells = {(i, s.key, s.value): s for i, n in enumerate(numbers) for s in n.slices}
    tables: dict[str, list[str]] = {}
    for _, key, value in cells:
        values = tables.setdefault(key, [])
        if value not in values:
            values.append(value)
    return [
        {
            "key": key,
            "rows": [
                {"value": v, "cells": [cells.get((i, key, v)) for i in range(len(numbers))]} for v in values
            ],
        }
        for key, values in tables.items()
    ]


def _items(runs: Sequence[ScoredRun]) -> list[dict[str, Any]]:
    """Questions of all runs with how they ended in each, first epoch first."""
    keys = list(dict.fromkeys(k for r in runs for k in r.settings.keys))[:MOST_ITEMS]
    rows = []
    for item, epoch in keys:
        known = next((r.items[item] for r in runs if item in r.items), None)
        rows.append(
            {
                "id": item,
                "epoch": epoch,
                "text": known.question.text if known else "",
                "gold": (known.gold.answer or "not shown") if known else "",
                "cells": [_cell(r, (item, epoch)) for r in runs],
            }
        )
    return rows


def _cell(run: ScoredRun, key: tuple[str, int]) -> dict[str, str]:
    verdict, result = run.verdicts.get(key), run.results.get(key)
    if verdict is None or result is None:
        asked = key in set(run.settings.keys)
        return {"ending": "not run" if asked else "not asked", "answer": "", "tone": "o"}
    ending = "abstained" if verdict.abstained else verdict.outcome.value.replace("_", " ")
    tone = {"right": "r", "wrong": "w", "abstained": "a"}.get(
        verdict.outcome.value if not verdict.abstained else "abstained", "o"
    )
    answer = verdict.letter or result.trajectory.answer.value or ""
    return {"ending": ending, "answer": answer[:80], "tone": tone}
