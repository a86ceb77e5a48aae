"""From the data folder to items; every row is checked, and a bad row never stops the good ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofreel.benchmarks._jsonl import lines, parse, reason
from proofreel.benchmarks.agentvidbench.rows import MILESTONE_TYPES, QuestionRow, VideoRow
from proofreel.benchmarks.benchmark import DataError, LoadedSet, Problem
from proofreel.core import Box, Gold, Item, Question, TimedBox, Window


def _videos(root: Path) -> dict[str, dict[str, Any]]:
    path = root / "videos.jsonl"
    if not path.exists():
        return {}
    rows = (parse(VideoRow, line) for _, line in lines(path))
    return {r.file_name: r.model_dump(exclude={"file_name"}) for r in rows if isinstance(r, VideoRow)}


def _transcript(root: Path, row: QuestionRow) -> str | None:
    stem = Path(row.video_path).stem
    for name in (row.transcript_path, f"transcripts/{stem}.srt", f"transcripts/{stem}.vtt"):
        if name and (root / name).is_file():
            return str(root / name)
    return None


def _gold(row: QuestionRow) -> Gold:
    return Gold(
        answer=row.answer,
        windows=tuple(Window(start=a, end=b) for a, b in row.windows),
        boxes=tuple(
            TimedBox(time=b.time, box=Box(x0=b.box[0], y0=b.box[1], x1=b.box[2], y1=b.box[3]))
            for b in row.boxes
        ),
        milestones=tuple(row.milestones),
        explanation=row.answer_explanation,
    )


def _check(row: QuestionRow, root: Path) -> Iterator[tuple[str, bool]]:
    """(message, fatal) of what the types alone do not see."""
    if ord(row.answer) - 65 >= len(row.options):
        yield f"gold letter {row.answer} lies beyond the {len(row.options)} options", True
    if not (root / row.video_path).is_file():
        yield f"video {row.video_path} is missing", True
    if len(set(row.options)) < len(row.options):
        yield "two options have the same text", False
    unknown = sorted({m.type for m in row.milestones} - MILESTONE_TYPES)
    if unknown:
        known = ", ".join(sorted(MILESTONE_TYPES))
        yield f"milestone type {', '.join(unknown)} is none of {known}", False
    if [m.id for m in row.milestones] != [f"M{k}" for k in range(1, len(row.milestones) + 1)]:
        yield "milestone ids do not run M1, M2, ...", False


def _item(row: QuestionRow, root: Path, videos: dict[str, dict[str, Any]]) -> Item:
    question = Question.ask(
        row.question_text,
        str(root / row.video_path),
        tuple(row.options),
        id=str(row.question_id),
        transcript=_transcript(root, row),
    )
    sweep = {True: "yes", False: "no", None: "unknown"}[row.ecom_required]
    metadata = {
        "title": row.title,
        "difficulty": row.difficulty,
        "skills": row.skills,
        "categories": row.categories,
        "sweep_required": sweep,
        "video": {"file_name": row.video_path, **videos.get(row.video_path, {})},
    }
    return Item(question=question, gold=_gold(row), metadata=metadata)


def load_folder(root: Path, *, name: str) -> LoadedSet:
    """Items of a folder in the AgentVidBench form, sorted by question id.

    Raises:
        DataError: no folder, no ``questions.jsonl``, or not one usable row.
    """
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; give the folder that holds questions.jsonl")
    videos, items, problems, seen = _videos(root), [], [], set[int]()
    rows = 0
    for number, line in lines(root / "questions.jsonl"):
        rows += 1
        where = f"questions.jsonl line {number}"
        row = parse(QuestionRow, line)
        if isinstance(row, str):
            problems.append(Problem(where=where, message=row))
            continue
        where = f"question {row.question_id}"
        found = [Problem(where=where, message=m, fatal=f) for m, f in _check(row, root)]
        if row.question_id in seen:
            found.append(Problem(where=where, message="id occurs twice; the first one is kept"))
        seen.add(row.question_id)
        try:
            if not any(p.fatal for p in found):
                items.append(_item(row, root, videos))
        except ValidationError as error:
            found.append(Problem(where=where, message=reason(error)))
        problems += found
    if not items:
        first = f" (first problem: {problems[0]})" if problems else ""
        raise DataError(f"{root / 'questions.jsonl'}: no usable question{first}")
    items.sort(key=lambda i: int(i.question.id))
    return LoadedSet(name=name, root=str(root), items=tuple(items), problems=tuple(problems), rows=rows)
