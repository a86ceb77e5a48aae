"""What is doubtful about a task or a whole file; nothing here stops a row, everything is said in one line."""

from collections import Counter
from collections.abc import Iterator, Sequence

from proofreel.benchmarks.videogaia.rows import CATEGORIES, LEVEL_TASKS, LEVELS, TASKS, Row


def check_row(row: Row) -> Iterator[str]:
    """Labels outside the published vocabulary, and a missing length."""
    if row.category not in CATEGORIES:
        yield f"unknown category {row.category!r}; there are {', '.join(CATEGORIES)}"
    if row.difficulty not in LEVELS:
        yield f"unknown difficulty {row.difficulty!r}; there are {' and '.join(LEVELS)}"
    if row.video.duration_sec is None:
        yield "video.duration_sec is missing; the length is read from the file when it is needed"


def check_counts(rows: Sequence[Row], name: str) -> Iterator[str]:
    """How a file of the published name differs from the published sizes."""
    if "271" not in name:
        return
    for what, wanted, had in (
        ("category", TASKS, Counter(r.category for r in rows)),
        ("difficulty", LEVEL_TASKS, Counter(r.difficulty for r in rows)),
    ):
        off = [f"{k} {had[k]} instead of {n}" for k, n in wanted.items() if had[k] != n]
        if off:
            yield f"tasks by {what} differ from the published sizes: {', '.join(off)}"
