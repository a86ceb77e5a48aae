"""The published prediction file: in, out, and scored."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proofreel.benchmarks.benchmark import DataError
from proofreel.benchmarks.hooks import RunView
from proofreel.benchmarks.videozerobench.aggregate import metrics, score_question
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.table import read_table
from proofreel.benchmarks.videozerobench.text import Mode

SCORED = "_scored.json"


def prediction_rows(view: RunView, epoch: int = 1) -> list[dict[str, Any]]:
    """The rows of a prediction file from a judged run: the table's columns, and ``prediction`` as JSON text.

    Questions that were not run have an empty cell, which the published scorer counts as wrong on every level.
    """
    return [_row(s.item, s.details) for s in view.scored if s.epoch == epoch]


def _row(item: Any, details: Mapping[str, Any]) -> dict[str, Any]:
    case, meta = Case.of_item(item), item.metadata
    predictions = details.get("predictions")
    return {
        "question_id": item.question.id,
        "video": (meta.get("video") or {}).get("file_name"),
        "duration": item.question.duration,
        "question": item.question.text,
        "answer": item.gold.answer,
        "language": meta.get("language"),
        "category": meta.get("category"),
        "evidence_span": meta.get("evidence_span"),
        "annotation_capabilities": json.dumps(meta.get("abilities") or [], ensure_ascii=False),
        "evidence_windows": json.dumps(case.evidence_windows, ensure_ascii=False),
        "evidence_boxes": json.dumps(case.evidence_boxes, ensure_ascii=False),
        "prediction": json.dumps(predictions, ensure_ascii=False) if predictions else "",
    }


def write_predictions(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Writes rows as ``.tsv`` or ``.json``, by the name's ending.

    Raises:
        DataError: no rows, or another ending.
    """
    if not rows:
        raise DataError(f"{path}: no rows to write")
    if path.suffix == ".json":
        path.write_text(json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    elif path.suffix == ".tsv":
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, list(rows[0]), dialect="excel-tab", lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
        path.write_text(out.getvalue(), encoding="utf-8", newline="")
    else:
        raise DataError(f"{path}: predictions are written as .tsv or .json")
    return path


def read_predictions(path: Path) -> list[dict[str, Any]]:
    """Rows of a prediction file; ``prediction`` stays as it is.

    Raises:
        DataError: it cannot be read, or has no column ``prediction``.
    """
    rows = read_table(path)
    if not any("prediction" in row for row in rows):
        raise DataError(f"{path}: no column prediction; is this a prediction file?")
    return rows


def scored(
    rows: Iterable[Mapping[str, Any]], box_mode: str | None = None, mode: Mode = "careful"
) -> dict[str, Any]:
    """The published scored form: ``metrics``, and ``results`` with each row and its ``eval_results``.

    Args:
        rows: of a prediction file.
        box_mode: how boxes are written. Officially the only source: left out, no box counts, which is the published
            fault of scoring a stored file in a new process. Carefully what is stored with the boxes goes first.
        mode: careful or official.

    Raises:
        CoordinateModeMissingError: carefully, boxes without a coordinate mode.
    """
    kept = [dict(row) for row in rows]
    scores = [score_question(row, box_mode, mode) for row in kept]
    results = [row | {"eval_results": s.stored()} for row, s in zip(kept, scores, strict=True)]
    return {"metrics": metrics(scores), "results": results}


def score_file(
    path: Path, box_mode: str | None = None, mode: Mode = "careful"
) -> tuple[dict[str, float], Path]:
    """Scores a prediction file and writes ``<name>_scored.json`` beside it.

    Raises:
        DataError: as ``read_predictions`` and ``scored``.
    """
    if box_mode is not None and box_mode not in list(CoordinateMode):
        raise DataError(f"box mode is one of {', '.join(CoordinateMode)}; got {box_mode!r}")
    found = scored(read_predictions(path), box_mode, mode)
    target = path.with_name(path.stem + SCORED)
    target.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return found["metrics"], target
