"""What the item browser reads: an index of all questions, and the details of each one apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.core import Item, Trajectory
from proofreel.report._items import Item as Shown
from proofreel.report._items import number, shown
from proofreel.report._judged import judged_view, trajectory_judgements
from proofreel.report._moments import MOST_ITEMS, item_record, step_frames, step_moment, ticks
from proofreel.report._videos import PageVideo
from proofreel.report._view import step_view
from proofreel.report._words import SOURCE_NAMES, cost, seconds, verdict
from proofreel.runs.numbers import ending_of
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.views import run_view
from proofreel.video import LedgerEntry

MOST_QUESTIONS = 2000
"""Questions in the page's browser; items.csv has them all."""
MOST_EVIDENCE = 20
STEP_TEXT = 2500
"""Characters of one step's text and of one result that stand in the page, at most."""
LEAST_TEXT = 200
ALL_TEXTS = 3_000_000
"""Characters for one text of every trajectory together: many trajectories get shorter texts, so that pages open."""
SLICE_KEYS = ("difficulty", "categories", "category", "skills", "genre", "level")


@dataclass(frozen=True)
class Place:
    """One question of a benchmark in one epoch, over all runs that asked it."""

    benchmark: str
    item: str
    epoch: int


def places(runs: Sequence[ScoredRun]) -> list[Place]:
    """Every (benchmark, question, epoch) of the runs once, first epoch first."""
    return list(
        dict.fromkeys(
            Place(r.settings.benchmark, item, epoch) for r in runs for item, epoch in r.settings.keys
        )
    )


def item_of(runs: Sequence[ScoredRun], place: Place) -> Item | None:
    """The question itself, from the first run whose data are there."""
    mine = (r for r in runs if r.settings.benchmark == place.benchmark)
    return next((r.items[place.item] for r in mine if place.item in r.items), None)


def text_limit(trajectories: int) -> int:
    """Characters of each text in a page with so many trajectories."""
    return max(LEAST_TEXT, min(STEP_TEXT, ALL_TEXTS // max(1, trajectories)))


def index_row(
    runs: Sequence[ScoredRun], place: Place, videos: Mapping[str, int], views: "Views"
) -> dict[str, Any]:
    """A line of the list: words to search, labels to filter by, how it ended in every run."""
    item = item_of(runs, place)
    cells: list[dict[str, Any] | None] = []
    key = (place.item, place.epoch)
    for n, run in enumerate(runs):
        if run.settings.benchmark != place.benchmark or key not in views.asked[n]:
            cells.append(None)
            continue
        told, result = run.verdicts.get(key), run.results.get(key)
        answer = (told.letter if told else None) or (result.trajectory.answer.value if result else None) or ""
        cells.append({"e": ending_of(told).replace("_", " "), "a": answer[:60]})
    return {
        "id": place.item,
        "epoch": place.epoch,
        "bench": place.benchmark,
        "text": "" if item is None else item.question.text[:300],
        "video": None if item is None else videos.get(item.question.video),
        "labels": [] if item is None else _labels(item.metadata),
        "cells": cells,
    }


def detail(
    runs: Sequence[ScoredRun], place: Place, video: PageVideo | None, views: "Views"
) -> dict[str, Any]:
    """Everything about one question: options, gold, and what each run did."""
    item = item_of(runs, place)
    gold = None if item is None else item.gold
    return {
        "text": f"Question {place.item}" if item is None else item.question.text,
        "options": [] if item is None else [[o.letter, o.text] for o in item.question.options],
        "gold": None if gold is None else gold.answer,
        "explanation": "" if gold is None else gold.explanation[:STEP_TEXT],
        "windows": [] if gold is None else [[w.start, w.end] for w in gold.windows],
        "runs": [
            _one(run, n, place, item, video, views)
            if run.settings.benchmark == place.benchmark and (place.item, place.epoch) in run.results
            else None
            for n, run in enumerate(runs)
        ],
    }


class Views:
    """The ledgers and judgements of all runs, each read once."""

    def __init__(self, runs: Sequence[ScoredRun]) -> None:
        self._shown = [run_view(r).shown for r in runs]
        self.asked = [frozenset(r.settings.keys) for r in runs]
        self.limit = text_limit(sum(len(r.results) for r in runs))
        self.said = [trajectory_judgements(r) for r in runs]

    def shown(self, run: int, item: str, epoch: int) -> tuple[LedgerEntry, ...]:
        """Ledger entries of one question in one run."""
        return self._shown[run](item, epoch)


def _one(
    run: ScoredRun, n: int, place: Place, item: Item | None, video: PageVideo | None, views: Views
) -> dict[str, Any]:
    key = (place.item, place.epoch)
    result = run.results[key]
    trajectory = result.trajectory
    entries = views.shown(n, *key)
    by_media: dict[str, list[LedgerEntry]] = {}
    for entry in entries:
        by_media.setdefault(entry.ref_id, []).append(entry)
    found = shown(trajectory, MOST_EVIDENCE)
    seen = ticks(f.time for e in entries for f in e.frames)
    told = None if item is None else verdict(trajectory, item.question)
    use = trajectory.tokens
    spent = [
        ("tokens", f"{use.prompt:,} in, {use.completion:,} out" if use.calls else "no model was called"),
        ("money", "" if not use.calls else cost(use) or "price not known"),
        ("time", seconds(result.seconds if result.seconds is not None else trajectory.seconds)),
        ("frames seen", f"{trajectory.frames_seen:,}"),
        ("tool calls", f"{trajectory.tool_calls:,}"),
        ("stopped", trajectory.answer.stop.value.replace("_", " ")),
        ("attempt", str(result.attempt) if result.attempt > 1 else ""),
    ]
    return {
        "answer": "" if told is None else told.value,
        "letter": trajectory.answer.letter,
        "reason": trajectory.answer.reason[:STEP_TEXT],
        "confidence": trajectory.answer.confidence,
        "judged": judged_view(run, key, item, views.said[n].get(key)),
        "tiou": result.tiou,
        "spent": [s for s in spent if s[1]],
        "cited": found.cited,
        "data": {
            "duration": _duration(video, item, found.items, seen),
            "known": video is not None and video.info is not None and bool(video.info.duration),
            "items": [item_record(i) for i in found.items],
            "lead": found.lead,
            "seen": seen,
            "wave": [],
            "sources": SOURCE_NAMES,
            "clips": {},
        },
        "steps": _steps(trajectory, by_media, views.limit),
    }


def _steps(
    trajectory: Trajectory, by_media: Mapping[str, Sequence[LedgerEntry]], limit: int
) -> list[dict[str, Any]]:
    found = []
    for step in trajectory.steps:
        view = step_view(step, limit)
        evidence = [e for o in step.observations for e in o.evidence]
        items = [item for rank, item in number(evidence) if rank < MOST_ITEMS]
        view["moment"] = step_moment(step, by_media)
        view["seen"] = step_frames(step, by_media)
        view["items"] = [item_record(i) for i in items]
        found.append(view)
    return found


def _duration(
    video: PageVideo | None, item: Item | None, items: Sequence[Shown], seen: Sequence[float]
) -> float:
    if video is not None and video.info is not None and video.info.duration:
        return round(video.info.duration, 3)
    if item is not None and item.question.duration:
        return item.question.duration
    return max([*(w.end for i in items if (w := i.evidence.window) is not None), *seen, 1.0])


def _labels(metadata: Mapping[str, Any]) -> list[str]:
    """Labels to filter by, as ``difficulty: hard``."""
    flat = (
        {**(metadata.get("video") or {}), **metadata}
        if isinstance(metadata.get("video"), Mapping)
        else metadata
    )
    values = [
        (k, v if isinstance(v, list | tuple) else [v]) for k in SLICE_KEYS if (v := flat.get(k)) is not None
    ]
    return [
        f"{k}: {str(one).replace('_', ' ')}" for k, v in values for one in v if isinstance(one, str | int)
    ]
