"""The verdict is the level-3 answer; beside it stand all five levels, in both modes, and who is missing."""

from collections.abc import Mapping
from typing import Any

from proofreel.benchmarks.hooks import JudgeContext, Judged
from proofreel.benchmarks.videozerobench.aggregate import QuestionScore, score_question
from proofreel.benchmarks.videozerobench.answers import is_correct, norm_answer
from proofreel.benchmarks.videozerobench.evidence import joint_predictions
from proofreel.benchmarks.videozerobench.levels import LEVELS, Case
from proofreel.benchmarks.videozerobench.settings import BOX_TOLERANCE
from proofreel.benchmarks.videozerobench.text import Mode, last_answer
from proofreel.core import Item, Outcome, Trajectory
from proofreel.judges import Verdict, judge_answer

MODES: tuple[Mode, ...] = ("careful", "official")
SKIPPED = ("missing evidence_windows", "missing evidence_boxes", "evidence_boxes without a valid time")
HARNESS = ("media:", "harness_error:")
"""How errors begin that say nothing about the model: such a level has no value."""
NOT_A_FAILURE = (*SKIPPED, "nothing cited", "no box near a key time", "abstained")


def stored_predictions(trajectory: Trajectory) -> dict[str, dict[str, Any]]:
    """Replies by level of a trajectory that was asked level by level; empty for one that was asked once."""
    return {s.data["level"]: s.data["prediction"] for s in trajectory.steps if "prediction" in s.data}


def predictions_of(
    trajectory: Trajectory, item: Item, mode: Mode, tolerance: float = BOX_TOLERANCE
) -> dict[str, dict[str, Any]]:
    """The prediction store of a question: as asked level by level, else levels 3-5 from an answer and its evidence.

    A trajectory that ended in a failure has that failure as the error of every level, and no answer on any.
    """
    if stored := stored_predictions(trajectory):
        return stored
    answer = trajectory.answer
    given = answer.letter if item.question.options else answer.value
    if given is None:
        said = "abstained" if answer.abstained else f"{answer.stop.value}: {answer.reason}"
        tasks = {LEVELS[n].key: LEVELS[n].task for n in (3, 4, 5)}
        return {key: {"task": task, "model_answer": None, "error": said} for key, task in tasks.items()}
    boxes = Case.of_item(item).evidence_boxes
    return joint_predictions(given, answer.evidence, boxes, mode=mode, tolerance=tolerance)


async def judge(trajectory: Trajectory, item: Item, ctx: JudgeContext) -> Judged:
    """Scores a trajectory; no model is asked.

    Options: ``box_tolerance`` (seconds, see ``at_key_times``); ``lose_box_mode`` (official only): the published
    fault by which a re-scored run has no coordinate mode and no box counts.
    """
    tolerance = float(ctx.options.get("box_tolerance", BOX_TOLERANCE))
    lost = bool(ctx.options.get("lose_box_mode"))
    case = Case.of_item(item)
    scores: dict[str, dict[str, float | bool | None]] = {}
    kept: dict[str, dict[str, Any]] = {}
    for mode in MODES:
        predictions = predictions_of(trajectory, item, mode, tolerance)
        row = case.scored(item.gold.answer, predictions, item.question.id)
        box_mode = None if mode == "official" and lost else predictions.get("level-5", {}).get("box_mode")
        scores[mode] = _values(score_question(row, box_mode, mode), predictions)
        if mode == ctx.mode:
            kept = predictions
    errors = {k: e["error"] for k, e in kept.items() if e.get("error")}
    return Judged(
        verdict=_verdict(trajectory, item, kept, ctx.mode),
        details={
            "mode": ctx.mode,
            "form": "separate" if stored_predictions(trajectory) else "joint",
            "scores": scores,
            "predictions": kept,
            "failed": {k: e for k, e in errors.items() if e not in NOT_A_FAILURE},
            "skipped": {k: e for k, e in errors.items() if e in SKIPPED},
        },
    )


def _values(score: QuestionScore, predictions: Mapping[str, Any]) -> dict[str, float | bool | None]:
    """Values by name; None where a level was not asked or has no reference, never 0 for that."""
    entries = {n: predictions.get(LEVELS[n].key) for n in LEVELS}
    asked = {
        n: e is not None and not str(e.get("error") or "").startswith(HARNESS) for n, e in entries.items()
    }
    on4 = asked[4] and score.tiou is not None
    on5 = asked[5] and score.viou is not None
    return {
        "acc1": score.acc1 if asked[1] else None,
        "acc2": score.acc2 if asked[2] else None,
        "acc3": score.acc3 if asked[3] else None,
        "tiou": score.tiou if on4 else None,
        "viou": score.viou if on5 else None,
        "level4": score.level4() if on4 and asked[3] else None,
        "level5": score.level5() if on4 and on5 and asked[3] else None,
    }


def _verdict(trajectory: Trajectory, item: Item, predictions: Mapping[str, Any], mode: Mode) -> Verdict:
    entry = predictions.get("level-3")
    if entry is None:
        return Verdict(outcome=Outcome.EXCLUDED, reason="level 3 was not asked")
    local = judge_answer(trajectory, item)
    if entry["model_answer"] is None:
        return local
    given = entry["model_answer"]
    if mode == "careful" and not norm_answer(last_answer(str(given))):
        return Verdict(outcome=Outcome.UNPARSED, reason="the reply holds no answer")
    right = is_correct(item.gold.answer, given, mode)
    letter = trajectory.answer.letter
    return Verdict(outcome=Outcome.RIGHT if right else Outcome.WRONG, letter=letter)
