"""The human study: answers, moments and boxes of people, from a CSV file to the rows of the tables.

Columns: ``participant``, ``question_id``, ``answer``, ``windows``, ``boxes``; further ones are left alone. A blank
answer is wrong. ``windows`` are seconds such as ``12.5-15; 20 to 22`` (or the words of level 4), ``boxes`` the JSON of
level 5 in coordinates 0-1. One line a participant and question.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from proofreel.benchmarks.benchmark import DataError
from proofreel.benchmarks.videozerobench.aggregate import score_question
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.marks import HEADINGS, LevelRun, Mark, published
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.tables_slices import HUMAN_ABILITIES
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.core import Column, Item, Table
from proofreel.core.table import Cell

COLUMNS = ("participant", "question_id", "answer", "windows", "boxes")
NEEDED = COLUMNS[:3]
MOST = 10
"""Questions a participant may have at most, by the published design."""
SHOWN = ("acc3", "tiou", "l4", "viou", "l5")


@dataclass(frozen=True)
class Reply:
    """One participant on one question."""

    participant: str
    question_id: str
    answer: str
    windows: str
    boxes: str


@dataclass(frozen=True)
class Study:
    """Marks of all participants by question.

    Attributes:
        marks: by question id, one a participant.
        participants: how many.
        notes: what is unlike the published design.
    """

    marks: Mapping[str, tuple[Mark, ...]]
    participants: int
    notes: tuple[str, ...] = ()

    def mean(self, name: str, keep: Callable[[Item], bool] = lambda i: True) -> tuple[float | None, int]:
        """(percent, questions): mean over participants within a question, then over questions."""
        within = []
        for marks in self.marks.values():
            if keep(marks[0].item):
                values = [v for m in marks if (v := m.value(name)) is not None]
                within += [fmean(values)] if values else []
        return (100 * fmean(within) if within else None), len(within)


def read_replies(path: Path) -> list[Reply]:
    """The lines of the file.

    Raises:
        DataError: it cannot be read, a column is missing, or a line names no participant or question.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}); name the CSV file") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: no UTF-8 text ({error})") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    replies, seen = [], set()
    try:
        if missing := [c for c in NEEDED if c not in (reader.fieldnames or ())]:
            raise DataError(f"{path}: no column {', '.join(missing)}; it needs {', '.join(NEEDED)}")
        for row in reader:
            given = {c: (row.get(c) or "").strip() for c in COLUMNS}
            if not given["participant"] or not given["question_id"]:
                raise DataError(f"{path} line {reader.line_num}: no participant or no question_id")
            key = (given["participant"], given["question_id"])
            if key in seen:
                raise DataError(f"{path} line {reader.line_num}: {key[0]} has question {key[1]} twice")
            seen.add(key)
            replies.append(Reply(**given))
    except csv.Error as error:
        raise DataError(f"{path} line {reader.reader.line_num}: not a row of a CSV file ({error})") from None
    if not replies:
        raise DataError(f"{path}: no replies")
    return replies


def aggregate(replies: Iterable[Reply], items: Mapping[str, Item], mode: Mode = "careful") -> Study:
    """Scores every reply by the rules and thresholds of the models.

    Raises:
        DataError: a reply to a question that the data do not have.
    """
    marks: dict[str, list[Mark]] = {}
    load: dict[str, int] = {}
    for reply in replies:
        item = items.get(reply.question_id)
        if item is None:
            raise DataError(
                f"question {reply.question_id} of participant {reply.participant} is not in the data"
            )
        load[reply.participant] = load.get(reply.participant, 0) + 1
        marks.setdefault(reply.question_id, []).append(_mark(reply, item, mode))
    over = sorted(p for p, n in load.items() if n > MOST)
    alone = sum(len(m) == 1 for m in marks.values())
    notes = [f"{', '.join(over)}: more than {MOST} questions"] if over else []
    notes += [f"{alone} of {len(marks)} questions have one participant only"] if alone else []
    return Study({q: tuple(m) for q, m in marks.items()}, len(load), tuple(notes))


def _mark(reply: Reply, item: Item, mode: Mode) -> Mark:
    boxes: dict[str, Any] = {"model_answer": reply.boxes or None, "box_mode": str(CoordinateMode.UNIT)}
    prediction = {
        "level-3": {"model_answer": reply.answer or None},
        "level-4": {"model_answer": reply.windows or None},
        "level-5": boxes,
    }
    row = Case.of_item(item).scored(item.gold.answer, prediction, item.question.id)
    score = score_question(row, str(CoordinateMode.UNIT), mode)
    return Mark(item, 1, {"acc3": score.acc3, "tiou": score.tiou, "viou": score.viou}, form="human")


def human_tables(study: Study, runs: Sequence[LevelRun] = (), mode: Mode = "careful") -> list[Table]:
    """Levels, abilities and languages of people, with models on the same questions where runs are given."""
    models = [_as_study(run, study) for run in runs]
    everyone = [("human", study), *((run.label, s) for run, s in zip(runs, models, strict=True))]
    return [_levels(everyone, study, mode), _abilities(everyone), _languages(everyone)]


def _as_study(run: LevelRun, study: Study) -> Study:
    found: dict[str, list[Mark]] = {}
    for mark in run.marks:
        if mark.item.question.id in study.marks:
            found.setdefault(mark.item.question.id, []).append(mark)
    return Study({q: tuple(m) for q, m in found.items()}, 0)


def _levels(everyone: Sequence[tuple[str, Study]], study: Study, mode: Mode) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, len(s.marks), s.participants or None, *(s.mean(n)[0] for n in SHOWN)) for name, s in everyone
    ]
    told = published()["human"]
    rows.append((f"{told['label']}, published", told["questions"], 20, *(told[n] for n in SHOWN)))
    return Table(
        id="vzb_human_levels",
        title="VideoZeroBench: human study",
        columns=(
            Column(name="who"),
            Column(name="questions", unit="count"),
            Column(name="participants", unit="count"),
            *(Column(name=HEADINGS[n], unit="percent") for n in SHOWN),
        ),
        rows=tuple(rows),
        note="; ".join(
            (
                f"Mean over participants within a question, then over questions; read in {mode} mode.",
                *study.notes,
            )
        ),
        group="VideoZeroBench",
    )


def _needs(ability: str, item: Item) -> bool:
    return ability in (item.metadata.get("abilities") or ())


def _in_language(language: str, item: Item) -> bool:
    return item.metadata.get("language") == language


def _abilities(everyone: Sequence[tuple[str, Study]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for ability in HUMAN_ABILITIES:
        means = [s.mean("acc3", partial(_needs, ability)) for _, s in everyone]
        rows.append((ability, means[0][1], *(m for m, _ in means)))
    return _by("vzb_t11_human", "ability", everyone, rows)


def _languages(everyone: Sequence[tuple[str, Study]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for language in ("cn", "en"):
        means = [s.mean("acc3", partial(_in_language, language)) for _, s in everyone]
        rows.append((language, means[0][1], *(m for m, _ in means)))
    return _by("vzb_human_languages", "language", everyone, rows)


def _by(
    name: str, what: str, everyone: Sequence[tuple[str, Study]], rows: Sequence[tuple[Cell, ...]]
) -> Table:
    return Table(
        id=name,
        title=f"VideoZeroBench: people and models by {what}",
        columns=(
            Column(name=what),
            Column(name="questions", unit="count"),
            *(Column(name=who, unit="percent", better="high") for who, _ in everyone),
        ),
        rows=tuple(rows),
        note="Level 3. A question with several abilities counts in each."
        if what == "ability"
        else "Level 3.",
        group="VideoZeroBench",
    )
