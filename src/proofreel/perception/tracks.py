"""Turns readings of single frames into lines with a start and an end."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from proofreel.core import Box, viou
from proofreel.perception._lexical import fold
from proofreel.perception.records import ScreenLine
from proofreel.perception.screen import Reading

MIN_OVERLAP = 0.3
SURE, ALIKE = 0.95, 0.8
# A line that one frame missed is the same line when it is back within this many sampling intervals.
GAP_INTERVALS = 2.5


def same_text(a: Reading, b: Reading) -> bool:
    """Whether two readings at one place are one line, read twice.

    Digits and single letters must agree (a clock, a counter and "Gate A" / "Gate B" are different lines), and so
    must two readings that are both sure; otherwise small differences count as misreadings of one line.
    """
    first, second = fold(a.text), fold(b.text)
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    if [c for c in first if c.isdigit()] != [c for c in second if c.isdigit()]:
        return False
    if {w for w in first.split() if len(w) == 1} != {w for w in second.split() if len(w) == 1}:
        return False
    if min(a.score, b.score) >= SURE:
        return False
    from rapidfuzz import fuzz

    return fuzz.ratio(first, second) >= 100 * ALIKE


@dataclass
class _Track:
    start: float
    last: Reading
    readings: list[tuple[float, Reading]] = field(default_factory=list)
    gone: float | None = None

    def line(self, end: float) -> ScreenLine:
        votes: dict[str, list[Reading]] = defaultdict(list)
        for _, reading in self.readings:
            votes[fold(reading.text).replace(" ", "")].append(reading)
        chosen = max(votes.values(), key=lambda rs: (sum(r.score for r in rs), rs[0].text))
        corners = zip(*(r.box.values for _, r in self.readings), strict=True)
        x0, y0, x1, y1 = (median(c) for c in corners)
        return ScreenLine(
            text=max(chosen, key=lambda r: r.score).text,
            box=Box(x0=x0, y0=y0, x1=x1, y1=y1),
            start=self.start,
            end=end,
            confidence=sum(r.score for r in chosen) / len(chosen),
            frames=tuple(t for t, _ in self.readings),
        )


class LineTracker:
    """Follows lines over the frames that were read.

    A line starts at the first frame it is read in and ends at the first sampled frame without it; frames that were
    not read because nothing had changed keep what stands. Text that moves is split into pieces whose box is right.

    Args:
        interval: sampling interval in seconds.
    """

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self._open: list[_Track] = []
        self._done: list[ScreenLine] = []

    def add(self, time: float, readings: Sequence[Reading]) -> None:
        """What the frame at ``time`` seconds says; times must grow."""
        pairs = sorted(
            (
                (viou([track.last.box], [reading.box]) or 0.0, i, j)
                for i, track in enumerate(self._open)
                for j, reading in enumerate(readings)
                if same_text(track.last, reading)
            ),
            reverse=True,
        )
        taken_tracks: set[int] = set()
        taken_readings: set[int] = set()
        for overlap, i, j in pairs:
            if overlap < MIN_OVERLAP or i in taken_tracks or j in taken_readings:
                continue
            taken_tracks.add(i)
            taken_readings.add(j)
            track = self._open[i]
            track.last, track.gone = readings[j], None
            track.readings.append((time, readings[j]))
        for i, track in enumerate(self._open):
            if i not in taken_tracks and track.gone is None:
                track.gone = time
        self._close(time)
        for j, reading in enumerate(readings):
            if j not in taken_readings:
                self._open.append(_Track(time, reading, [(time, reading)]))

    def _close(self, time: float) -> None:
        kept = []
        for track in self._open:
            if track.gone is not None and time - track.gone >= (GAP_INTERVALS - 1) * self.interval:
                self._done.append(track.line(track.gone))
            else:
                kept.append(track)
        self._open = kept

    def finish(self, end: float) -> list[ScreenLine]:
        """All lines in order of start, then from top to bottom; what still stands ends at ``end`` seconds."""
        for track in self._open:
            self._done.append(track.line(end if track.gone is None else track.gone))
        self._open = []
        lines = [line.model_copy(update={"end": max(line.start, min(line.end, end))}) for line in self._done]
        return sorted(lines, key=lambda x: (x.start, x.box.y0, x.box.x0))
