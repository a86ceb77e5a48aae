"""How levels 4 and 5 depend on their thresholds, from per-question values: nothing is scored again."""

from collections.abc import Sequence

from proofreel.benchmarks.videozerobench.aggregate import QuestionScore

GRID = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Thresholds of the printed grid; 0.1, 0.3 and 0.5 are the published ones."""


def level4_curve(scores: Sequence[QuestionScore], thresholds: Sequence[float] = GRID) -> list[float]:
    """Level-4 score in percent of all questions at every tIoU threshold (strictly above).

    Raises:
        ValueError: no questions.
    """
    return [_percent(sum(s.level4(t) for s in scores), len(scores)) for t in thresholds]


def level5_grid(
    scores: Sequence[QuestionScore],
    tious: Sequence[float] = GRID,
    vious: Sequence[float] = GRID,
) -> list[list[float]]:
    """Level-5 score in percent of all questions: a row for every tIoU threshold, a column for every vIoU threshold.

    Raises:
        ValueError: no questions.
    """
    return [[_percent(sum(s.level5(t, v) for s in scores), len(scores)) for v in vious] for t in tious]


def _percent(count: int, total: int) -> float:
    if not total:
        raise ValueError("thresholds need at least one question")
    return 100 * count / total
