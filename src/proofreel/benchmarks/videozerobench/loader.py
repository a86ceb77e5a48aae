"""From the data folder to items; every row is checked, and a bad row never stops the good ones."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from proofreel.benchmarks._jsonl import reason
from proofreel.benchmarks.benchmark import DataError, LoadedSet, Problem
from proofreel.benchmarks.videozerobench.check import check_row
from proofreel.benchmarks.videozerobench.gold import as_list, extract_gt_boxes_by_time, extract_gt_windows
from proofreel.benchmarks.videozerobench.levels import EVIDENCE
from proofreel.benchmarks.videozerobench.rows import Row
from proofreel.benchmarks.videozerobench.table import find_table, has_table, read_table
from proofreel.benchmarks.videozerobench.unpack import unpacked
from proofreel.core import Box, Gold, Item, Question, TimedBox, Window

ARCHIVE = "compressed.zip"
OWN = "questions.jsonl"


def parse_rows(root: Path) -> Iterator[tuple[str, Row | str]]:
    """(place, row or reason) of every row of the table.

    Raises:
        DataError: no folder, no table, or one that cannot be read.
    """
    table = find_table(root)
    for number, raw in enumerate(read_table(table), 1):
        try:
            row = Row.model_validate({k: v for k, v in raw.items() if isinstance(k, str)})
        except ValidationError as error:
            yield f"{table.name} row {number}", reason(error)
        else:
            yield f"question {row.question_id}", row


def load_rows(root: Path) -> list[Row]:
    """The typed rows with their evidence as written: what ``evaluate_run`` needs for bit-exact scores.

    Raises:
        DataError: as ``parse_rows``.
    """
    return [row for _, row in parse_rows(root) if isinstance(row, Row)]


def video_folders(root: Path) -> list[Path]:
    """Where videos may lie; the archive is unpacked into the cache when ``compressed/`` is not there.

    Raises:
        DataError: the archive cannot be unpacked.
    """
    places = [root / "compressed", root]
    archive = root / ARCHIVE
    if archive.is_file() and not places[0].is_dir():
        from proofreel.video import cache_dir

        folder = unpacked(archive, cache_dir())
        places += [folder / "compressed", folder]
    return places


def _find(name: str, places: list[Path]) -> Path | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        return None
    return next((place / path for place in places if (place / path).is_file()), None)


def length_group(duration: float | None) -> str | None:
    """``short`` below 5 minutes, ``medium`` to 15, ``long`` beyond; None when the length is unknown."""
    if duration is None:
        return None
    return "short" if duration < 300 else "medium" if duration <= 900 else "long"


def _own_folder(root: Path, name: str) -> LoadedSet:
    """A folder of your own; questions that the video does not answer cannot be asked on levels."""
    from proofreel.benchmarks.folder.loader import load_folder as load_own

    loaded = load_own(root, name=name)
    kept = tuple(i for i in loaded.items if i.gold.answer is not None)
    gone = [i.question.id for i in loaded.items if i.gold.answer is None]
    said = "has no answer (null); the levels need one"
    problems = (*loaded.problems, *(Problem(where=f"question {q}", message=said) for q in gone))
    if not kept:
        raise DataError(f"{root / OWN}: no question with an answer")
    return loaded.model_copy(update={"items": kept, "problems": problems})


def gold_of(row: Row) -> Gold:
    """The reference in the core's words: windows and boxes the careful scorer can use, cut to what a video has."""
    windows = [(max(a, 0.0), b) for a, b in extract_gt_windows(row.evidence_windows) if b > 0]
    boxes = []
    for time, quads in extract_gt_boxes_by_time(row.evidence_boxes).items():
        cut = ([min(max(v, 0.0), 1.0) for v in quad] for quad in quads)
        solid = [Box(x0=a, y0=b, x1=c, y1=d) for a, b, c, d in cut if c > a and d > b]
        boxes += [TimedBox(time=time, box=box) for box in solid if time >= 0]
    return Gold(
        answer=row.answer, windows=tuple(Window(start=a, end=b) for a, b in windows), boxes=tuple(boxes)
    )


def _entries(field: object) -> list[dict[str, Any]]:
    """The list as written, for bit-exact scores; what is no object keeps its place as an empty one."""
    return [e if isinstance(e, dict) else {} for e in as_list(field)]


def _item(row: Row, video: Path) -> Item:
    gold = gold_of(row)
    marks = [name for name, given in (("windows", gold.windows), ("boxes", gold.boxes)) if given]
    metadata = {
        "category": row.category,
        "evidence_span": row.evidence_span,
        "language": row.language,
        "abilities": row.annotation_capabilities,
        "length": length_group(row.duration),
        "annotation": " and ".join(marks) or "neither",
        "video": {"file_name": row.video},
        EVIDENCE: {"windows": _entries(row.evidence_windows), "boxes": _entries(row.evidence_boxes)},
    }
    question = Question.ask(row.question, str(video), id=str(row.question_id), duration=row.duration)
    return Item(question=question, gold=gold, metadata={k: v for k, v in metadata.items() if v is not None})


def load_folder(root: Path, *, name: str = "videozerobench") -> LoadedSet:
    """Items in the order of the table; nothing is written below ``root``.

    A folder with ``questions.jsonl`` and no table is read by the benchmark ``folder``.

    Raises:
        DataError: no folder, no table, an archive that cannot be unpacked, or not one usable row.
    """
    if not has_table(root) and (root / OWN).is_file():
        return _own_folder(root, name)
    parsed = list(parse_rows(root))
    places = video_folders(root)
    items: list[Item] = []
    problems: list[Problem] = []
    seen: set[int] = set()
    for where, row in parsed:
        if isinstance(row, str):
            problems.append(Problem(where=where, message=row))
            continue
        problems += [Problem(where=where, message=m, fatal=False) for m in check_row(row)]
        video = _find(row.video, places)
        if video is None:
            problems.append(Problem(where=where, message=f"video {row.video} is missing"))
        elif row.question_id in seen:
            problems.append(Problem(where=where, message="id occurs twice; the first one is kept"))
        else:
            seen.add(row.question_id)
            items.append(_item(row, video))
    if not items:
        first = next((str(p) for p in problems if p.fatal), "the table is empty")
        raise DataError(f"{root}: no usable question (first problem: {first})")
    return LoadedSet(
        name=name, root=str(root), items=tuple(items), problems=tuple(problems), rows=len(parsed)
    )
