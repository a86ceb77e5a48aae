"""What ``analyze_video`` asks a perceiver, and how its reply is read. Pure.

Layout and rules: AgentVidBench protocol 4.2; field reading: vectors ``avb_json_action`` (``observation_fields``).
"""

import re
from dataclasses import dataclass

from proofreel.core import Evidence, Provenance, Quote, Window

NOT_OBSERVED = "NOT OBSERVED IN SEGMENT"

_PROMPT = """\
Another agent is working on a question about this video and has sent you here to look. You are its eyes: report \
what can be seen, and leave solving the question to the agent, which will put your report together with others.

QUESTION THE AGENT IS WORKING ON (context only, do not answer it)
{question}

FOCUS OF THIS LOOK
{focus}
{segment}
HOW TO REPORT
- State only what you see directly, and give the time of each thing in seconds of the whole video.
- Deal with the focus first; then add other things that bear on the question.
- When the focus cannot be seen here, say "{sentinel}". Never guess and never fill gaps.
- Judge how well this look covers the focus: rich (fully), partial (in part) or none (not at all).

Write exactly these four parts:
**Focus Answer:** a short direct reply to the focus, or {sentinel}
**Observations:** what you saw, one thing per line, each with its time or its span of time
**Coverage:** rich, partial or none
**Uncertainty:** what was hidden, blurred or doubtful"""

_SEGMENT = """
SEGMENT
You are shown the part from {start} to {end} and nothing else. Every time you write must lie in it; do not \
describe anything outside it.
"""

_COVERAGE = re.compile(r"\*\*Coverage:\*\*\s*(rich|partial|none)", re.I)
_FOCUS = re.compile(r"\*\*Focus Answer:\*\*\s*([^\n]+)", re.I)
_CONFIDENCE = re.compile(r"confidence[:\s]+(high|medium|low)", re.I)
_LABEL = re.compile(
    r"^[\s#>*_-]*(focus answer|observations?|coverage|uncertaint(?:y|ies))\s*[*_]*\s*:\s*[*_]*", re.I | re.M
)
_NEGATIVE = re.compile(
    r"not\s+(?:directly\s+)?(?:observed|visible|seen)\s+in\s+(?:this|the)?\s*segment|^none\b", re.I
)
_CLOCK = r"(?:(?P<{0}h>\d{{1,2}}):)?(?P<{0}m>\d{{1,3}}):(?P<{0}s>[0-5]\d(?:\.\d+)?)"
_PLAIN = r"(?P<{0}n>\d+(?:\.\d+)?)"
_UNIT = r"\s?(?:seconds?|secs?|s|秒)(?![A-Za-z])"
_TO = r"\s*(?:-|–|—|~|to|until|至|到)\s*"
_TIMES = re.compile(
    rf"(?<![\d.:]){_CLOCK.format('a')}{_TO}{_CLOCK.format('b')}(?![\d:])"
    rf"|(?<![\d.:]){_PLAIN.format('c')}(?:{_UNIT})?{_TO}{_PLAIN.format('d')}{_UNIT}"
    rf"|(?<![\d.:]){_CLOCK.format('e')}(?![\d:])"
    rf"|(?<![\d.:]){_PLAIN.format('f')}{_UNIT}",
    re.I,
)


def observation_prompt(question: str, focus: str | None, start: float | None, end: float | None) -> str:
    """The perceiver's instruction.

    Args:
        question: question and options, context only.
        focus: what to look for, None for a broad look.
        start: seconds, None for the beginning.
        end: seconds, None for the end; with both None no segment is named.
    """
    segment = ""
    if start is not None or end is not None:
        last = "the end of the video" if end is None else f"{end:g} s"
        segment = _SEGMENT.format(start=f"{start or 0:g} s", end=last)
    return _PROMPT.format(
        question=question,
        focus=focus or "none was given: look broadly for what bears on the question",
        segment=segment,
        sentinel=NOT_OBSERVED,
    )


def observation_fields(text: object) -> dict[str, str]:
    """Coverage, suggested answer and confidence as the published reader finds them; absent ones are left out."""
    if not isinstance(text, str):
        return {}
    found = {"coverage": _COVERAGE, "suggested_answer": _FOCUS, "confidence": _CONFIDENCE}
    fields = {key: m.group(1).strip() for key, pattern in found.items() if (m := pattern.search(text))}
    return {k: v if k == "suggested_answer" else v.lower() for k, v in fields.items()}


@dataclass(frozen=True)
class Look:
    """A perceiver's reply taken apart; absent parts are empty."""

    focus_answer: str = ""
    observations: str = ""
    coverage: str | None = None
    uncertainty: str = ""

    @property
    def observed(self) -> bool:
        """Whether the reply claims to have seen anything of its focus."""
        return bool(self.focus_answer) and not _NEGATIVE.search(self.focus_answer)


def read_look(text: str) -> Look:
    """The four parts of a reply; labels may be bold, headed or bare. Text without labels is all observations."""
    marks = list(_LABEL.finditer(text))
    if not marks:
        return Look(observations=text.strip())
    parts: dict[str, str] = {}
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        key = mark.group(1).lower()[:5]
        parts.setdefault(key, text[mark.end() : after.start() if after else None].strip().strip("*").strip())
    coverage = re.search(r"\b(rich|partial|none)\b", parts.get("cover", ""), re.I)
    return Look(
        focus_answer=parts.get("focus", ""),
        observations=parts.get("obser", ""),
        coverage=coverage.group(1).lower() if coverage else None,
        uncertainty=parts.get("uncer", ""),
    )


def times_in(line: str) -> list[Window]:
    """Times and spans of time written in a line, in seconds; a single time is a window without length."""
    found = []
    for match in _TIMES.finditer(line):
        ends = [t for p in "abcdef" if (t := _seconds(match, p)) is not None]
        if ends[-1] >= ends[0]:
            found.append(Window(start=ends[0], end=ends[-1]))
    return found


def _seconds(match: re.Match[str], part: str) -> float | None:
    groups = match.groupdict()
    if (plain := groups.get(f"{part}n")) is not None:
        return float(plain)
    if (secs := groups.get(f"{part}s")) is None:
        return None
    return int(groups.get(f"{part}h") or 0) * 3600 + int(groups[f"{part}m"]) * 60 + float(secs)


def look_evidence(
    look: Look, shown: Window | None, frames: tuple[float, ...], claimed_by: str, step: int | None
) -> tuple[tuple[Evidence, ...], int]:
    """Typed evidence from a reply, and how many written times lay outside what was shown (they are dropped).

    Args:
        look: the reply.
        shown: the part of the video that was shown.
        frames: true times of the frames that were shown.
        claimed_by: who makes the claim.
        step: trajectory step.
    """
    found: list[Evidence] = []
    outside = 0
    if look.observed:
        found.append(_claim(look.focus_answer, shown, frames, claimed_by, step))
    for line in look.observations.splitlines():
        for window in times_in(line):
            if shown is not None and not (
                shown.contains(window.start, 0.5) and shown.contains(window.end, 0.5)
            ):
                outside += 1
                continue
            near = tuple(t for t in frames if window.contains(t, 0.5))
            found.append(_claim(line.strip(" -*•\t"), window, near, claimed_by, step))
    return tuple(found), outside


def _claim(
    text: str, window: Window | None, frames: tuple[float, ...], claimed_by: str, step: int | None
) -> Evidence:
    return Evidence(
        window=window,
        quote=Quote(text=text[:500], source="model"),
        provenance=Provenance(claimed_by=claimed_by, step=step, frames=frames),
    )
