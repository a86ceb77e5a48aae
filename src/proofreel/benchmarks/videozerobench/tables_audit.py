"""Whether what is cited was ever on screen, and which calls failed."""

from collections import Counter
from collections.abc import Sequence

from proofreel.benchmarks.hooks import ScoredItem
from proofreel.benchmarks.videozerobench.evidence import NEAR
from proofreel.benchmarks.videozerobench.marks import LevelRun
from proofreel.core import Box, Column, Table, TimedBox, Window
from proofreel.core.table import Cell
from proofreel.video import ClipRef, FramesRef, LedgerEntry

GROUP = "VideoZeroBench"
MOST = 200
"""Rows of the list of unseen evidence; the counts stand in the table before it."""


def audit_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """Counts, the list of unseen evidence, failed levels."""
    counts, unseen = audit(runs)
    return [counts, unseen, failures(runs)]


def window_seen(window: Window, shown: Sequence[LedgerEntry]) -> bool | None:
    """Whether a frame inside a window was shown; None when only a clip covers it, whose frames the provider chose."""
    if any(window.contains(f.time) for e in shown for f in e.frames):
        return True
    return None if any(_covers(e, window.start, window.end) for e in shown) else False


def box_seen(timed: TimedBox, shown: Sequence[LedgerEntry]) -> bool | None:
    """Whether a frame within half a second of a box, with the box in the picture, was shown; None as above."""
    for entry in shown:
        crop = entry.ref.crop if isinstance(entry.ref, FramesRef) else None
        if any(abs(f.time - timed.time) <= NEAR for f in entry.frames) and _in_crop(timed.box, crop):
            return True
    return None if any(_covers(e, timed.time, timed.time) for e in shown) else False


def _covers(entry: LedgerEntry, start: float, end: float) -> bool:
    return isinstance(entry.ref, ClipRef) and entry.ref.start <= end and start <= entry.ref.end


def _in_crop(box: Box, crop: tuple[float, float, float, float] | None) -> bool:
    if crop is None:
        return True
    return box.x0 < crop[2] and crop[0] < box.x1 and box.y0 < crop[3] and crop[1] < box.y1


def audit(runs: Sequence[LevelRun]) -> tuple[Table, Table]:
    """How much of the cited evidence was shown, and a list of what was not."""
    rows: list[tuple[Cell, ...]] = []
    unseen: list[tuple[Cell, ...]] = []
    for run in runs:
        found: dict[str, Counter[bool | None]] = {"windows": Counter(), "boxes": Counter()}
        for scored in run.view.scored:
            _audit(run, scored, found, unseen)
        for what, counts in found.items():
            total = counts.total()
            if total:
                share = 100 * counts[False] / total
                rows.append((run.label, what, total, counts[True], counts[None], counts[False], share))
    first = Table(
        id="vzb_audit",
        title="VideoZeroBench: cited evidence that was never shown",
        columns=(
            Column(name="run"),
            Column(name="cited"),
            Column(name="pieces", unit="count"),
            Column(name="frame shown", unit="count"),
            Column(name="inside a clip", unit="count"),
            Column(name="never shown", unit="count", better="low"),
            Column(name="share never shown", unit="percent", better="low"),
        ),
        rows=tuple(rows),
        note=(
            f"A window counts as shown with a frame inside it, a box with a frame within {NEAR:g} s that has it in the "
            "picture, in any call on the question. Of a clip the provider chooses the frames."
        ),
        missing="" if rows else "no run with cited windows or boxes",
        group=GROUP,
    )
    second = Table(
        id="vzb_audit_unseen",
        title="VideoZeroBench: the unseen evidence",
        columns=(
            Column(name="run"),
            Column(name="question"),
            Column(name="epoch", unit="count"),
            Column(name="cited"),
            Column(name="start", unit="seconds"),
            Column(name="end", unit="seconds"),
            Column(name="nearest frame", unit="seconds"),
        ),
        rows=tuple(unseen[:MOST]),
        note=f"The first {MOST} of {len(unseen)}." if len(unseen) > MOST else "",
        missing=""
        if unseen
        else "nothing cited was unseen"
        if rows
        else "no run with cited windows or boxes",
        group=GROUP,
    )
    return first, second


def _audit(
    run: LevelRun, scored: ScoredItem, found: dict[str, Counter[bool | None]], unseen: list[tuple[Cell, ...]]
) -> None:
    if scored.trajectory is None or not scored.trajectory.answer.evidence:
        return
    name = scored.item.question.id
    shown = run.view.shown(name, scored.epoch)
    times = sorted({f.time for e in shown for f in e.frames})

    def note(what: str, seen: bool | None, start: float, end: float) -> None:
        found[what][seen] += 1
        if seen is False:
            near = min(times, key=lambda t: max(start - t, t - end), default=None)
            unseen.append(
                (run.label, name, scored.epoch, {"windows": "window", "boxes": "box"}[what], start, end, near)
            )

    for piece in scored.trajectory.answer.evidence:
        if piece.window is not None:
            note("windows", window_seen(piece.window, shown), piece.window.start, piece.window.end)
        for timed in piece.boxes:
            note("boxes", box_seen(timed, shown), timed.time, timed.time)


def failures(runs: Sequence[LevelRun]) -> Table:
    """Which levels failed, and how."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        kinds = Counter(
            (level, str(error).partition(":")[0])
            for scored in run.view.scored
            for level, error in scored.details.get("failed", {}).items()
        )
        rows += [(run.label, level, kind, n) for (level, kind), n in sorted(kinds.items())]
    return Table(
        id="vzb_failures",
        title="VideoZeroBench: failed levels",
        columns=(
            Column(name="run"),
            Column(name="level"),
            Column(name="kind"),
            Column(name="times", unit="count"),
        ),
        rows=tuple(rows),
        note="A failed call counts as wrong, as published, but is no answer; faults of the harness are left out.",
        missing="" if rows else "no level failed" if runs else "no run",
        group=GROUP,
    )
