"""AVP's blackboard: what the observer reported, as evidence with times, and its text for the reflector."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from proofreel.agents._avp.intervals import round_intervals
from proofreel.agents._avp.parse import parse_json, times_in_text, windows_around
from proofreel.agents.answers import after_thinking
from proofreel.core import Evidence, Provenance, Quote, Window
from proofreel.tools._observation import times_in


@dataclass(frozen=True)
class Finding:
    """One moment the observer names: seconds of the whole video."""

    start: float
    end: float
    description: str


@dataclass(frozen=True)
class Report:
    """An observation taken apart; ``parsed`` is False when it was no JSON and the times come from its prose."""

    text: str = ""
    findings: tuple[Finding, ...] = ()
    parsed: bool = True


def read_report(text: str, duration: float, mode: str = "careful") -> Report:
    """The observer's reply.

    Times become whole-second intervals inside the video, each once. ``careful`` looks behind the thinking, reads
    clock times too, and keeps a moment that rounding would lose as the second around it.
    """
    careful = mode != "official"
    found = parse_json(after_thinking(text) if careful else text)
    if not isinstance(found, dict) or not isinstance(found.get("detailed_response"), str):
        said = (after_thinking(text) if careful else text).strip()
        windows = _spans_in(said, duration) if careful else windows_around(times_in_text(said))
        return Report(said, tuple(Finding(s, e, said[:500]) for s, e in windows), parsed=False)
    items = found.get("key_evidence")
    rows = [r for r in items if isinstance(r, dict)] if isinstance(items, list) else []
    return Report(found["detailed_response"].strip(), tuple(_findings(rows, duration, careful)))


def _spans_in(said: str, duration: float) -> list[tuple[float, float]]:
    """Spans and moments named in prose, moments with a second to each side, inside the video; each once.

    Unlike the published rule "at 1:30" is one moment, not 1 s and 90 s.
    """
    spans = [
        (w.start, w.end) if w.length else (max(0.0, w.start - 1), w.end + 1)
        for w in times_in(said)
        if w.start < duration
    ]
    return list(dict.fromkeys((s, min(e, duration)) for s, e in spans))


def _findings(rows: Iterable[dict[str, Any]], duration: float, careful: bool) -> Iterable[Finding]:
    known: set[tuple[int, int]] = set()
    for row in rows:
        start, end = (_second(row.get(f"timestamp_{w}"), careful) for w in ("start", "end"))
        if careful:
            end = start if end is None else end
            if start is None or end is None or end < start or start >= duration:
                continue
            end = end if math.ceil(end) > math.floor(start) else start + 1
        for first, last in round_intervals([(start, end)], duration):
            if (first, last) not in known:
                known.add((first, last))
                yield Finding(
                    first, min(last, duration) if careful else last, str(row.get("description") or "")
                )


def _second(value: Any, clocks: bool) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        pass
    parts = str(value).strip().split(":")
    if not clocks or not 2 <= len(parts) <= 3:
        return None
    try:
        numbers = [float(p) for p in parts]
    except ValueError:
        return None
    return float(sum(n * 60.0**i for i, n in enumerate(reversed(numbers))))


@dataclass
class Board:
    """All rounds of one question.

    Attributes:
        looks: a line for each observation: what was shown, and what it said.
        evidence: typed evidence of all rounds, in the order it came.
    """

    looks: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    heard: int = 0
    """Observations that gave a report."""

    def add(
        self, shown: str, report: Report | None, frames: tuple[float, ...], step: int
    ) -> tuple[Evidence, ...]:
        """Takes a report in, or with None that there was none; the evidence it gave."""
        number = len(self.looks) + 1
        if report is None:
            self.looks.append(f"Look {number} ({shown}): no report came back")
            return ()
        self.heard += 1
        self.looks.append(f"Look {number} ({shown}): {report.text or 'nothing was reported'}")
        new = tuple(_evidence(f, frames, step) for f in report.findings)
        self.evidence += new
        return new

    @property
    def ordered(self) -> list[Evidence]:
        """Evidence in order of time: line n of ``text`` is entry n - 1."""
        return sorted(self.evidence, key=lambda e: (e.window.start, e.window.end) if e.window else (0.0, 0.0))

    def text(self) -> str:
        """The evidence as numbered lines in order of time."""
        lines = []
        for number, e in enumerate(self.ordered, 1):
            if e.window is not None:
                said = e.quote.text if e.quote else "(no description)"
                lines.append(f"[{number}] {e.window.start:g} to {e.window.end:g} s: {said}")
        return "\n".join(lines)

    def cited(self, numbers: Iterable[int]) -> tuple[Evidence, ...]:
        """Evidence by line number, unknown numbers left out; all of it when none is known."""
        lines = self.ordered
        chosen = tuple(lines[n - 1] for n in dict.fromkeys(numbers) if 0 < n <= len(lines))
        return chosen or tuple(lines)


def _evidence(found: Finding, frames: tuple[float, ...], step: int) -> Evidence:
    window = Window(start=found.start, end=found.end)
    shown = tuple(t for t in frames if window.contains(t))
    quote = Quote(text=found.description[:500], source="model") if found.description.strip() else None
    return Evidence(
        window=window, quote=quote, provenance=Provenance(claimed_by="observer", step=step, frames=shown)
    )
