"""From the data folder to items; every row is checked, and a bad row never stops the good ones."""

from pathlib import Path, PurePosixPath

from proofreel.benchmarks._jsonl import lines, parse
from proofreel.benchmarks.benchmark import DataError, LoadedSet, Problem
from proofreel.benchmarks.videogaia.check import check_counts, check_row
from proofreel.benchmarks.videogaia.rows import Row
from proofreel.core import Gold, Item, Question

FILE = "videogaia_271.jsonl"


def question_file(root: Path) -> Path:
    """The question file of a folder: the published name, or the only ``videogaia*.jsonl``.

    Raises:
        DataError: no folder, no file, or several.
    """
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; give the folder that holds {FILE}")
    if (root / FILE).is_file():
        return root / FILE
    found = sorted(root.glob("videogaia*.jsonl"))
    if len(found) == 1:
        return found[0]
    names = ", ".join(p.name for p in found)
    why = f"holds several question files ({names}); keep one" if found else f"holds no {FILE}"
    raise DataError(f"{root}: {why}")


def _video(root: Path, name: str) -> Path | str:
    """The video's path, or why there is none."""
    given = PurePosixPath(name)
    if given.is_absolute() or ".." in given.parts or "\\" in name:
        return f"video path {name!r} leaves the data folder"
    path = root / given
    if not path.is_file():
        return f"video {name} is missing"
    return path if path.stat().st_size else f"video {name} is empty"


def _item(row: Row, video: Path) -> Item:
    """Category, difficulty and reference stay out of the question: an agent must not see them."""
    question = Question.ask(row.question_en, str(video), id=row.sample_id, duration=row.video.duration_sec)
    metadata = {
        "category": row.category,
        "difficulty": row.difficulty,
        "video": {"file_name": row.video.local_path},
    }
    return Item(
        question=question,
        gold=Gold(answer=row.answer, aliases=row.aliases),
        metadata={k: v for k, v in metadata.items() if v is not None},
    )


def load_folder(root: Path, *, name: str = "videogaia") -> LoadedSet:
    """Items in the order of the file. The benchmark has no transcript, and none is looked for.

    Raises:
        DataError: no folder, no question file, or not one usable row.
    """
    path = question_file(root)
    items: list[Item] = []
    problems: list[Problem] = []
    good: list[Row] = []
    seen: set[str] = set()
    count = 0
    for number, line in lines(path):
        count += 1
        row = parse(Row, line)
        if isinstance(row, str):
            problems.append(Problem(where=f"{path.name} line {number}", message=row))
            continue
        where = f"task {row.sample_id}"
        if row.sample_id in seen:
            problems.append(Problem(where=where, message="id occurs twice; the first one is kept"))
            continue
        seen.add(row.sample_id)
        good.append(row)
        problems += [Problem(where=where, message=m, fatal=False) for m in check_row(row)]
        video = _video(root, row.video.local_path)
        if isinstance(video, str):
            problems.append(Problem(where=where, message=video))
        else:
            items.append(_item(row, video))
    problems += [Problem(where=path.name, message=m, fatal=False) for m in check_counts(good, path.name)]
    if not items:
        first = next((str(p) for p in problems if p.fatal), "the file is empty")
        raise DataError(f"{path}: no usable task (first problem: {first})")
    return LoadedSet(name=name, root=str(root), items=tuple(items), problems=tuple(problems), rows=count)
