"""One page that sets agents side by side: counts of every outcome, intervals, and each item with its proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from statistics import fmean

from proofreel.core import Item, Outcome
from proofreel.report._page import render_plain
from proofreel.report.errors import ReportError
from proofreel.runs import Result
from proofreel.stats import Interval, accuracy_interval


@dataclass(frozen=True)
class Tally:
    """How one agent ended on all items. ``right + wrong + abstained + unparsed + failed`` is ``total``."""

    agent: str
    total: int
    right: int
    wrong: int
    abstained: int
    unparsed: int
    failed: int
    tiou: float | None
    interval: Interval | None
    no_interval: str = ""

    @property
    def accuracy(self) -> float:
        """Right answers over all items; abstained, unparsed and failed ones are not right."""
        return self.right / self.total


def tally(results: Sequence[Result], items: Sequence[Item]) -> list[Tally]:
    """One tally an agent, in the order of first appearance; no agent without a result.

    The interval is the 95 % one of the accuracy for questions that share videos; ``no_interval`` says why there
    is none.
    """
    video = {i.question.id: i.question.video for i in items}
    tallies = []
    for agent in dict.fromkeys(r.agent for r in results):
        mine = [r for r in results if r.agent == agent]
        verdicts = [r.verdict for r in mine]
        answered = [r for r in mine if r.verdict.letter is not None]
        cited = [r.tiou for r in answered if r.tiou is not None and r.trajectory.answer.evidence]
        right = [float(v.outcome is Outcome.RIGHT) for v in verdicts]
        accuracy = accuracy_interval(right, [video.get(r.item_id, r.item_id) for r in mine])
        tallies.append(
            Tally(
                agent=agent,
                total=len(mine),
                right=int(sum(right)),
                wrong=sum(v.outcome is Outcome.WRONG and not v.abstained for v in verdicts),
                abstained=sum(v.abstained for v in verdicts),
                unparsed=sum(v.outcome is Outcome.UNPARSED for v in verdicts),
                failed=sum(v.outcome in (Outcome.MODEL_FAILED, Outcome.HARNESS_FAILED) for v in verdicts),
                tiou=fmean(cited) if cited else None,
                interval=accuracy.interval,
                no_interval=accuracy.reason or "",
            )
        )
    return tallies


def write_comparison(
    title: str,
    items: Sequence[Item],
    results: Sequence[Result],
    out: str | PathLike[str],
    *,
    proofs: Mapping[tuple[str, str], str] | None = None,
    note: str = "",
) -> Path:
    """Writes a self-contained HTML page.

    Args:
        title: heading.
        items: the questions with gold, in the order shown.
        results: what the agents did.
        out: file to write, in one move.
        proofs: relative link of a proof page by (agent, item id).
        note: one sentence under the heading.

    Raises:
        ReportError: nothing to show, or the page cannot be written.
    """
    if not results:
        raise ReportError("nothing to compare: no item has been run")
    tallies = tally(results, items)
    by_key = {(r.agent, r.item_id): r for r in results}
    rows = [
        {
            "item": item,
            "gold": f"{item.gold.answer}) {item.question.option_text(item.gold.answer or '')}",
            "cells": [
                {
                    "result": by_key.get((t.agent, item.question.id)),
                    "link": (proofs or {}).get((t.agent, item.question.id)),
                }
                for t in tallies
            ],
        }
        for item in items
    ]
    page = render_plain("comparison.html.j2", title=title, note=note, tallies=tallies, rows=rows)
    path = Path(out)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.tmp")
        fresh.write_text(page, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror}); choose another folder") from error
    return path
