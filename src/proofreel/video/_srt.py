"""The SubRip reader of the AgentVidBench protocol: text in, segments out, in its official and careful form.

`load_transcript` is the reader to use everywhere else; this one exists because published numbers rest on what
it keeps, joins and drops.
"""

from __future__ import annotations

import re
from typing import Literal, TypedDict

_TIME = r"(\d{2}):(\d{2}):(\d{2}),(\d{3})"
_HEAD = rf"\d+\s*\n{_TIME}\s*-->\s*{_TIME}"
# Officially the white space after the header may run over blank lines, and only a blank line ends the text.
_OFFICIAL = re.compile(rf"{_HEAD}\s*\n(.*?)(?=\n\n|\Z)", re.DOTALL)
# With care the text starts on the very next line and also ends where another header starts.
_CAREFUL = re.compile(rf"^{_HEAD}[ \t]*(?:\n(.*?))??(?=\n[ \t]*\n|\n{_HEAD}|\n?\Z)", re.DOTALL | re.MULTILINE)


class Segment(TypedDict):
    """One subtitle: start and end in seconds, text on one line."""

    start: float
    end: float
    text: str


def parse_srt(text: str, mode: Literal["official", "careful"] = "careful") -> list[Segment]:
    """Segments of SubRip ``text`` as AgentVidBench's ``get_transcript`` reads them.

    Both modes want an index line, two-digit clock fields and three-digit milliseconds, keep tags and reversed
    times, and join lines with a space. ``official`` lets a cue without text swallow the next one and glues cues
    that no blank line separates; ``careful`` drops the first and splits the second.
    """
    pattern = _OFFICIAL if mode == "official" else _CAREFUL
    segments: list[Segment] = []
    for match in pattern.finditer(text.replace("\r\n", "\n").removeprefix("\ufeff")):
        words = " ".join((match.group(9) or "").split("\n")).strip()
        if words or mode == "official":
            start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:8])
            segments.append({"start": start, "end": end, "text": words})
    return segments


def _seconds(fields: tuple[str, ...]) -> float:
    h, m, s, ms = (int(field) for field in fields)
    return h * 3600 + m * 60 + s + ms / 1000
