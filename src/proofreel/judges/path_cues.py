"""Cues that tie a text to one way of watching: tool names, times, ranges, lists of times, chains of arithmetic.

A reference with such cues rewards the path of whoever wrote it. Pure text rules; they know nothing of meaning, so a
time that is content (a clock on the wall) is let through only where the words beside it say so.

Source: AgentVidBench protocol, sections 6 (T7, T11), 8 and 9.
"""

import re
from dataclasses import dataclass
from typing import Literal

CueKind = Literal["tool_name", "timestamp", "time_range", "timestamp_list", "arithmetic_chain"]
KINDS: tuple[CueKind, ...] = ("tool_name", "timestamp", "time_range", "timestamp_list", "arithmetic_chain")


@dataclass(frozen=True)
class Cue:
    """One cue; ``text`` is the piece that gives it away."""

    kind: CueKind
    text: str


_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?"
_UNIT = r"(?:s|secs?|seconds?|min|mins|minutes?)"
_TIME = rf"(?:{_CLOCK}|\d+(?:\.\d+)?\s?{_UNIT}\b|\d+m\s?\d+s\b)"
_JOIN = r"\s*(?:-|\u2013|\u2014|~|\bto\b|\btill\b|\buntil\b|\band\b|\bthrough\b)\s*"
_RANGE = re.compile(
    rf"(?i)(?:{_TIME}){_JOIN}(?:{_TIME})|\d+(?:\.\d+)?\s*(?:-|\u2013|to)\s*\d+(?:\.\d+)?\s?{_UNIT}\b"
)
_OPEN_RANGE = re.compile(
    rf"(?i)\b(?:first|last|opening|final)\s+\d+(?:\.\d+)?\s?{_UNIT}\b|\bseconds?\s+\d+\s*(?:-|\u2013|to)\s*\d+"
)
_LIST = re.compile(rf"(?i)(?:{_TIME})(?:\s*(?:,|;|/)\s*(?:and\s+)?(?:{_TIME}))+")
_POINT = re.compile(
    rf"(?i){_CLOCK}|\b(?:at|around|about|near|by|@|t=)\s*(?:~|the\s+)?\d+(?:\.\d+)?\s?{_UNIT}\b"
    rf"|\b(?:second|minute)\s+\d+\b|\bat\s+the\s+\d+(?:st|nd|rd|th)?[- ](?:second|minute)\b|\b\d+m\s?\d+s\b"
)
_CONTENT = re.compile(
    r"(?i)(?:clock|watch|timer|stopwatch|scoreboard|display|screen|sign|timetable|schedule|text|label|caption|hours?)"
    r"\b[^.;]{0,40}\b(?:reads?|reading|shows?|showing|says?|saying|as|at|of|states?|stating|displays?|displaying)\b[^.;]{0,12}$"
)
_HALF_DAY = re.compile(r"(?i)^\s?(?:a\.?m\.?|p\.?m\.?|o'clock)\b")
_TOOL = re.compile(
    r"\b[a-z]+(?:_[a-z0-9]+)+\b(?:\s*\()?|\b[a-z]\w*\((?:[^)]*=[^)]*)?\)"
    r"|(?i:\b(?:ffmpeg|whisper|tool call|function call|api call|video tool|transcript tool|ocr tool|frame sampl\w+)\b)"
)
_SUM = re.compile(
    r"\d+(?:\.\d+)?(?:\s*(?:\+|-|\u2212|\u00d7|x|\*|/|\u00f7|plus|minus|times)\s*\d+(?:\.\d+)?)+\s*(?:=|equals|makes|gives)\s*\d+"
    r"|\d+(?:\.\d+)?(?:\s*(?:\+|\u00d7|\*|plus)\s*\d+(?:\.\d+)?){2,}"
)


def path_cues(text: str) -> list[Cue]:
    """Every cue of a text, one for each piece: a list of times is one cue, and so is a range."""
    found: list[Cue] = []
    rest = text
    for kind, patterns in (
        ("timestamp_list", (_LIST,)),
        ("time_range", (_RANGE, _OPEN_RANGE)),
        ("arithmetic_chain", (_SUM,)),
        ("timestamp", (_POINT,)),
        ("tool_name", (_TOOL,)),
    ):
        for pattern in patterns:
            for match in list(pattern.finditer(rest)):
                if kind == "timestamp" and _is_content(rest, match):
                    continue
                found.append(Cue(kind, match.group(0).strip()))  # type: ignore[arg-type]
                # Blanked, so that the parts of a range are not counted once more as points.
                rest = rest[: match.start()] + " " * len(match.group(0)) + rest[match.end() :]
    return found


def _is_content(text: str, match: re.Match[str]) -> bool:
    return bool(_CONTENT.search(text[: match.start()]) or _HALF_DAY.match(text[match.end() :]))
