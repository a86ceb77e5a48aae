"""From a folder of your own to items; every line is checked, and a bad line never stops the good ones."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from proofreel.benchmarks._jsonl import lines, parse, reason
from proofreel.benchmarks.benchmark import DataError, LoadedSet, Problem
from proofreel.benchmarks.folder.rows import Row
from proofreel.core import Box, Gold, Item, Question, TimedBox, Window


def load_folder(root: Path, *, name: str = "folder") -> LoadedSet:
    """Items of a folder, in the order of the file.

    Raises:
        DataError: no folder, no ``questions.jsonl``, or not one usable line.
    """
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; give the folder that holds questions.jsonl")
    items: list[Item] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    rows = 0
    for number, line in lines(root / "questions.jsonl"):
        rows += 1
        where = f"questions.jsonl line {number}"
        row = parse(Row, line)
        if isinstance(row, str):
            problems.append(Problem(where=where, message=row))
            continue
        own = str(number if row.id is None else row.id)
        where = where if row.id is None else f"question {own}"
        found = [Problem(where=where, message=m, fatal=f) for m, f in _check(row, root)]
        if own in seen:
            found.append(Problem(where=where, message=f"id {own} occurs twice; the first one is kept"))
        seen.add(own)
        try:
            item = _item(own, row, root)
        except ValidationError as error:
            found.append(Problem(where=where, message=reason(error)))
        else:
            items += [] if any(p.fatal for p in found) else [item]
        problems += found
    if not items:
        first = f" (first problem: {problems[0]})" if problems else ""
        raise DataError(f"{root / 'questions.jsonl'}: no usable question{first}")
    return LoadedSet(name=name, root=str(root), items=tuple(items), problems=tuple(problems), rows=rows)


def _check(row: Row, root: Path) -> Iterator[tuple[str, bool]]:
    """(message, fatal) of what the line alone does not show."""
    if not (root / row.video).is_file():
        yield f"video {row.video} is missing", True
    if row.transcript and not (root / row.transcript).is_file():
        yield f"transcript {row.transcript} is missing", False
    if len(set(row.options)) < len(row.options):
        yield "two options have the same text", False


def _item(own: str, row: Row, root: Path) -> Item:
    transcript = root / row.transcript if row.transcript else None
    answer = row.letter if row.options else None if row.answer is None else str(row.answer)
    return Item(
        question=Question.ask(
            row.question,
            str(root / row.video),
            tuple(row.options),
            id=own,
            transcript=str(transcript) if transcript and transcript.is_file() else None,
        ),
        gold=Gold(
            answer=answer,
            aliases=tuple(row.aliases),
            windows=tuple(Window(start=a, end=b) for a, b in row.windows),
            boxes=tuple(
                TimedBox(time=b.time, box=Box(x0=b.box[0], y0=b.box[1], x1=b.box[2], y1=b.box[3]))
                for b in row.boxes
            ),
            milestones=tuple(row.milestones),
            explanation=row.explanation,
        ),
        metadata={**row.metadata, "video": {"file_name": row.video}},
    )
