"""Several runs against each other: paired differences on the items they share."""

from collections.abc import Sequence
from itertools import combinations

from proofreel.core._base import Record
from proofreel.runs.diff import paired_accuracy
from proofreel.runs.diff_records import Paired
from proofreel.runs.numbers_load import ScoredRun
from proofreel.stats import holm

MOST_RUNS = 12
"""Above this many runs each is compared with the first one only."""


class Pair(Record):
    """Two runs, by their places in the list; the difference is second minus first.

    Attributes:
        a: place of the first run.
        b: place of the second.
        paired: accuracies, difference, intervals and tests on shared (item, epoch) pairs.
        holm_p: the video-exchange p adjusted over all comparisons of the report.
    """

    a: int
    b: int
    paired: Paired
    holm_p: float


def compare_runs(runs: Sequence[ScoredRun]) -> tuple[Pair, ...]:
    """All pairs of runs on the same questions (each with the first one when there are many)."""
    places = list(combinations(range(len(runs)), 2))
    if len(runs) > MOST_RUNS:
        places = [(0, n) for n in range(1, len(runs))]
    found: list[tuple[int, int, Paired]] = []
    for a, b in places:
        first, second = runs[a], runs[b]
        if first.settings.benchmark != second.settings.benchmark:
            continue
        shared = [k for k in first.settings.keys if k in first.results and k in second.results]
        paired = paired_accuracy(first, second, shared)
        if paired is not None:
            found.append((a, b, paired))
    adjusted = holm([p.by_video_p for _, _, p in found]) if found else []
    return tuple(
        Pair(a=a, b=b, paired=paired, holm_p=float(p))
        for (a, b, paired), p in zip(found, adjusted, strict=True)
    )
