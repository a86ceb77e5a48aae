"""One page that sets agents side by side: counts of every outcome, intervals, and each item with its proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from statistics import fmean

from proofreel.core import Item
from proofreel.report._page import render_plain
from proofreel.report.errors import ReportError
from proofreel.runs import Result
from proofreel.runs.numbers import count, value_of
from proofreel.stats import Interval, accuracy_interval


@dataclass(frozen=True)
class Tally:
    """How one agent ended on all items. ``right + wrong + abstained + unparsed + failed`` is ``total``.

    Attributes:
        asked: items that say something about the agent: all but those where the judge or the harness failed.
        tiou: mean over all items with reference windows; an item without a cited moment has 0.
        tiou_of: how many these are.
    """

    agent: str
    total: int
    asked: int
    right: int
    wrong: int
    abstained: int
    unparsed: int
    failed: int
    tiou: float | None
    tiou_of: int
    interval: Interval | None
    no_interval: str = ""

    @property
    def accuracy(self) -> float | None:
        """Right answers over ``asked``, as in every report; None when nothing says anything about the agent."""
        return self.right / self.asked if self.asked else None


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
        counts = count(verdicts)
        proven = [r.tiou for r in mine if r.tiou is not None]
        known = [(v, video.get(r.item_id, r.item_id)) for r in mine if (v := value_of(r.verdict)) is not None]
        accuracy = accuracy_interval([v for v, _ in known], [name for _, name in known]) if known else None
        tallies.append(
            Tally(
                agent=agent,
                total=len(mine),
                asked=counts.asked,
                right=counts.right,
                wrong=counts.wrong,
                abstained=counts.abstained,
                unparsed=counts.unparsed,
                failed=counts.model_failed + counts.judge_failed + counts.harness_failed,
                tiou=fmean(proven) if proven else None,
                tiou_of=len(proven),
                interval=accuracy.interval if accuracy else None,
                no_interval=(accuracy.reason or "") if accuracy else "nothing was asked",
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
