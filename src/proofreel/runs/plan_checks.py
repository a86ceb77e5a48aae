"""Questions against files: what is missing, what is broken, what points past the end."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from proofreel.benchmarks import LoadedSet
from proofreel.core import Item
from proofreel.runs.plan_files import FileFact, same_content
from proofreel.runs.plan_records import Finding
from proofreel.video import VideoError, load_transcript

SLACK = 0.05
"""Seconds a window may pass the end of its video: containers round durations."""
CUE_SLACK = 5.0
"""The same for transcripts, whose last cue often stands on past the picture."""


def check_rows(loaded: LoadedSet) -> Iterator[Finding]:
    """What the loader found: rows that cannot be used, and rows that look odd."""
    for problem in loaded.problems:
        weight = "fault" if problem.fatal else "note"
        kind = "file" if "missing" in problem.message else "data"
        left = "; the question is left out" if problem.fatal else ""
        yield Finding(kind=kind, where=problem.where, message=problem.message + left, weight=weight)  # type: ignore[arg-type]


def missing_videos(loaded: LoadedSet) -> set[str]:
    """Videos that rows name and that are not there."""
    found = (re.fullmatch(r"video (.+) is missing", p.message) for p in loaded.problems)
    return {m[1] for m in found if m is not None}


def check_files(facts: Mapping[str, FileFact], items: Sequence[Item], root: Path) -> Iterator[Finding]:
    """Files that cannot be read, that are cut short, and that are the same under two names."""
    users: dict[str, list[str]] = {}
    for item in items:
        users.setdefault(item.question.video, []).append(item.question.id)
    for path, fact in facts.items():
        name, asked = _name(path, root), some("question", users.get(path, ()))
        if fact.error:
            yield Finding(kind="file", where=name, message=f"{fact.error}; {asked} cannot be answered")
        elif fact.truncated:
            yield Finding(kind="file", where=name, message=f"the file is cut short; {asked} may miss its end")
    for group in same_content(facts.values()):
        names = [_name(p, root) for p in group]
        message = f"the same bytes as {', '.join(names[1:])}; their questions are not independent"
        yield Finding(kind="file", where=names[0], message=message, weight="note")


def _name(path: str, root: Path) -> str:
    """A path as the questions file names it; links are not followed, for people know the file by its link."""
    return path.removeprefix(f"{root}/")


def check_times(facts: Mapping[str, FileFact], items: Iterable[Item]) -> Iterator[Finding]:
    """Windows and boxes of gold that lie beyond the end of the video, as probed."""
    for item in items:
        fact = facts.get(item.question.video)
        if fact is None or fact.duration is None:
            continue
        end, where = fact.duration, f"question {item.question.id}"
        for window in item.gold.windows:
            if window.end > end + SLACK:
                how = "lies wholly" if window.start >= end else "ends"
                message = f"window {window.start:g} to {window.end:g} s {how} beyond the video ({end:.2f} s)"
                yield Finding(kind="window", where=where, message=message)
        for box in item.gold.boxes:
            if box.time > end + SLACK:
                message = f"box at {box.time:g} s lies beyond the video ({end:.2f} s)"
                yield Finding(kind="window", where=where, message=message)


def check_transcripts(facts: Mapping[str, FileFact], items: Iterable[Item]) -> Iterator[Finding]:
    """Transcripts that cannot be read, or go on long after the video: then they may be of another one."""
    seen = {(i.question.transcript, i.question.video) for i in items if i.question.transcript}
    for transcript, video in sorted(seen, key=str):
        name = Path(transcript or "").name
        try:
            cues = load_transcript(transcript or "")
        except VideoError as error:
            yield Finding(kind="file", where=name, message=str(error).removeprefix(f"{transcript}: "))
            continue
        fact = facts.get(video)
        if cues and fact and fact.duration and cues[-1].start > fact.duration + CUE_SLACK:
            message = (
                f"speech at {cues[-1].start:.1f} s, the video ends at {fact.duration:.1f} s: another video's?"
            )
            yield Finding(kind="window", where=name, message=message)


def check_twins(items: Iterable[Item]) -> Iterator[Finding]:
    """Questions that ask the same about the same video."""
    first: dict[tuple[str, str], str] = {}
    for item in items:
        key = (item.question.video, item.question.rendered())
        if key in first:
            message = f"asks the same as question {first[key]}"
            yield Finding(kind="data", where=f"question {item.question.id}", message=message, weight="note")
        first.setdefault(key, item.question.id)


def some(noun: str, names: Sequence[str], most: int = 4) -> str:
    """``question 3``, ``questions 3, 5``, ``questions 1, 2, 3, 4 and 8 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{noun}{'' if len(names) == 1 else 's'} {', '.join(names[:most])}{more}"
