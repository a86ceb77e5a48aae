"""From predictions to per-question values and the run's metrics, in both modes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from proofreel.benchmarks.benchmark import DataError
from proofreel.benchmarks.videozerobench.answers import is_correct
from proofreel.benchmarks.videozerobench.boxes import parse_pred_spatial_json, scored_times, viou_avg
from proofreel.benchmarks.videozerobench.gold import extract_gt_windows
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.benchmarks.videozerobench.windows import parse_pred_windows
from proofreel.core import Window, tiou

THRESHOLD = 0.3
"""tIoU and vIoU must be strictly above it."""


class CoordinateModeMissingError(DataError):
    """Stored boxes cannot be scored: nothing says how their numbers are meant."""


@dataclass(frozen=True)
class QuestionScore:
    """Values of one question; None means that there is no reference to compare with.

    Attributes:
        acc1: answer right on level 1; ``acc2`` and ``acc3`` likewise.
        tiou: of level 4, in [0, 1]; 0 when the reply holds no window.
        viou: of level 5, in [0, 1]; 0 when the reply holds no boxes.
    """

    acc1: float
    acc2: float
    acc3: float
    tiou: float | None
    viou: float | None

    def level4(self, threshold: float = THRESHOLD) -> bool:
        """Right on level 3 and the moments found."""
        return self.acc3 > 0 and self.tiou is not None and self.tiou > threshold

    def level5(self, t: float = THRESHOLD, v: float = THRESHOLD) -> bool:
        """Level 4 and the boxes found."""
        return self.level4(t) and self.viou is not None and self.viou > v

    def stored(self) -> dict[str, float]:
        """The published ``eval_results``: 0 where there is no reference."""
        both = {"tiou": self.tiou or 0.0, "viou": self.viou or 0.0}
        return {"acc1": self.acc1, "acc2": self.acc2, "acc3": self.acc3, **both}


def tiou_multi(gt: Iterable[Sequence[float]], pred: Iterable[Sequence[float]]) -> float:
    """tIoU of two lists of (start, end); what lies before second 0 counts like any other time."""
    gold, given = [list(w) for w in gt], [list(w) for w in pred]
    shift = -min([0.0, *(w[0] for w in gold + given)])
    first, second = ([Window(start=a + shift, end=b + shift) for a, b in ws] for ws in (gold, given))
    return tiou(first, second)


def read_prediction(cell: object, mode: Mode = "careful") -> dict[str, Any]:
    """The levels of a prediction cell; empty when it is blank or no JSON.

    Raises:
        TypeError: officially, JSON that is no object; carefully that is empty too.
    """
    if isinstance(cell, str):
        try:
            cell = json.loads(cell) if cell.strip() else {}
        except (ValueError, RecursionError):
            return {}
    elif not cell:
        return {}
    if isinstance(cell, dict):
        return cell
    if mode == "official":
        raise TypeError(f"a prediction must be an object, got {type(cell).__name__}")
    return {}


def _reply(levels: Mapping[str, Any], number: int, mode: Mode) -> Mapping[str, Any]:
    entry = levels.get(f"level-{number}", {})
    if isinstance(entry, Mapping):
        return entry
    if mode == "official":
        raise TypeError(f"level-{number} must be an object, got {type(entry).__name__}")
    return {}


def _box_mode(entry: Mapping[str, Any], row: Mapping[str, Any], given: str | None, mode: Mode) -> str | None:
    """Officially what the run says, if anything; carefully what is stored with the boxes goes first."""
    if mode == "official":
        return given
    chosen = entry.get("box_mode") or given
    if chosen not in list(CoordinateMode):
        name = row.get("question_id", row.get("index", "?"))
        raise CoordinateModeMissingError(
            f"question {name}: the coordinate mode of its boxes is {chosen!r}; "
            f"score with one of {', '.join(CoordinateMode)}"
        )
    return str(chosen)


def _viou(row: Mapping[str, Any], entry: Mapping[str, Any], box_mode: str | None, mode: Mode) -> float | None:
    boxes, answer = row.get("evidence_boxes"), entry.get("model_answer")
    if not scored_times(boxes, mode):
        return None
    if answer is None:
        return 0.0
    chosen = _box_mode(entry, row, box_mode, mode)
    return viou_avg(boxes, parse_pred_spatial_json(answer, chosen, entry.get("resized_hw"), mode), mode)


def score_question(row: Mapping[str, Any], box_mode: str | None, mode: Mode = "careful") -> QuestionScore:
    """Values of one row with ``answer``, ``evidence_windows``, ``evidence_boxes`` and ``prediction``.

    Raises:
        CoordinateModeMissingError: carefully, boxes without a coordinate mode; officially they score 0.
        TypeError: officially, a prediction that is no object.
    """
    levels = read_prediction(row.get("prediction"), mode)
    first, second, third, fourth, fifth = (_reply(levels, n, mode) for n in range(1, 6))
    right = [
        float(is_correct(row.get("answer"), r.get("model_answer"), mode)) for r in (first, second, third)
    ]
    gold = extract_gt_windows(row.get("evidence_windows"))
    given = parse_pred_windows(fourth.get("model_answer"), mode) or []
    overlap = tiou_multi(gold, given) if gold else None
    return QuestionScore(right[0], right[1], right[2], overlap, _viou(row, fifth, box_mode, mode))


def _share(hits: Iterable[bool], total: int) -> float:
    return 100 * sum(hits) / total if total else 0.0


def metrics(scores: Sequence[QuestionScore]) -> dict[str, float]:
    """The published metrics in percent: success over all questions, mean overlaps over the annotated ones."""
    n = len(scores)
    tious = [s.tiou for s in scores if s.tiou is not None]
    vious = [s.viou for s in scores if s.viou is not None]
    return {
        "Total_questions": n,
        "Level-1_acc": _share((s.acc1 > 0 for s in scores), n),
        "Level-2_acc": _share((s.acc2 > 0 for s in scores), n),
        "Level-3_acc": _share((s.acc3 > 0 for s in scores), n),
        "Level-4_mean_tIoU": 100 * fmean(tious) if tious else 0.0,
        "Level-4_score": _share((s.level4() for s in scores), n),
        "Level-5_mean_vIoU": 100 * fmean(vious) if vious else 0.0,
        "Level-5_score": _share((s.level5() for s in scores), n),
    }


@dataclass(frozen=True)
class Renormalised:
    """Successes over the questions on which success is possible.

    Attributes:
        count: successes.
        of: questions with windows (level 4), with windows and boxes (level 5).
        total: all questions.
    """

    count: int
    of: int
    total: int

    @property
    def percent(self) -> float | None:
        """Percent of the reachable questions; None when there are none."""
        return 100 * self.count / self.of if self.of else None

    @property
    def bound(self) -> float | None:
        """The most that the published percentage over all questions can reach."""
        return 100 * self.of / self.total if self.total else None


def renormalised(scores: Sequence[QuestionScore]) -> dict[str, Renormalised]:
    """Levels 4 and 5 over the questions that carry the annotations, beside the bounds of the published scores."""
    timed = [s for s in scores if s.tiou is not None]
    placed = [s for s in timed if s.viou is not None]
    return {
        "Level-4": Renormalised(sum(s.level4() for s in timed), len(timed), len(scores)),
        "Level-5": Renormalised(sum(s.level5() for s in placed), len(placed), len(scores)),
    }


def evaluate_run(
    rows: Iterable[Mapping[str, Any]], box_mode: str | None, mode: Mode = "careful"
) -> dict[str, Any]:
    """The published result of a run: ``metrics`` and ``per_question`` in the order of the rows.

    Raises:
        CoordinateModeMissingError: carefully, boxes without a coordinate mode.
        TypeError: officially, a prediction that is no object.
    """
    scores = [score_question(row, box_mode, mode) for row in rows]
    return {"metrics": metrics(scores), "per_question": [s.stored() for s in scores]}
