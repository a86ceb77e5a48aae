"""Leaderboards: the order of runs on the questions they share, and how sure that order is."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from proofreel.core._base import Record
from proofreel.runs.numbers import value_of
from proofreel.runs.numbers_letters import group_letters
from proofreel.runs.numbers_load import ScoredRun
from proofreel.stats import holm, rank_stability, sign_flip_test

LEVEL = 0.05
"""Adjusted p below which two runs count as different."""
MOST_RUNS = 100
"""Above this many runs the tests of all pairs are left out."""


class Place(Record):
    """A run's place.

    Attributes:
        run: its number in the report, from 0.
        score: accuracy on the shared questions.
        rank: 1 is best; ties share the best rank.
        rank_low: better end of the 95 % rank interval.
        rank_high: worse end.
        p_first: share of resamples in which it comes first, ties included.
        p_top3: share in which it is among the first three.
        letters: runs that share one do not differ at ``LEVEL`` after Holm's correction; None when not tested.
    """

    run: int
    score: float
    rank: int
    rank_low: float
    rank_high: float
    p_first: float
    p_top3: float
    letters: str | None


class Leaderboard(Record):
    """Runs of one benchmark, best first.

    Attributes:
        questions: shared by all runs and answered for in each.
        videos: on which these questions are; whole videos are resampled and exchanged.
        tau_b: mean agreement of a resample's order with this order, None when undefined.
        left_out: runs (by number) that share no question with the others.
        different: pairs of runs that differ, of ``pairs`` tested.
    """

    benchmark: str
    questions: int
    videos: int
    places: tuple[Place, ...]
    tau_b: float | None
    left_out: tuple[int, ...] = ()
    different: int = 0
    pairs: int = 0


def leaderboards(
    runs: Sequence[ScoredRun], *, resamples: int = 10_000, seed: int = 0
) -> tuple[Leaderboard, ...]:
    """One leaderboard for every benchmark with two runs or more on the same questions.

    A run's score on a question is its mean over epochs. Questions that one of the runs has no verdict of its model on
    (failed judge or harness, not run) are left out for all.
    """
    found = []
    for benchmark in dict.fromkeys(r.settings.benchmark for r in runs):
        places = [n for n, r in enumerate(runs) if r.settings.benchmark == benchmark]
        board = _board(benchmark, runs, places, resamples, seed)
        if board is not None:
            found.append(board)
    return tuple(found)


def question_scores(run: ScoredRun) -> dict[str, float]:
    """Mean over epochs of 1 (right) and 0, by question; without those that say nothing about the model."""
    values: dict[str, list[float]] = {}
    for key in run.settings.keys:
        if (value := value_of(run.verdicts.get(key))) is not None:
            values.setdefault(key[0], []).append(value)
    return {name: fmean(v) for name, v in values.items()}


def _board(
    benchmark: str, runs: Sequence[ScoredRun], places: list[int], resamples: int, seed: int
) -> Leaderboard | None:
    scores = {n: question_scores(runs[n]) for n in places}
    kept = [n for n in places if scores[n]]
    if len(kept) < 2:
        return None
    shared = [q for q in scores[kept[0]] if all(q in scores[n] for n in kept)]
    if not shared:
        return None
    videos = [runs[kept[0]].video(q) for q in shared]
    rows = [[scores[n][q] for q in shared] for n in kept]
    stability = rank_stability(rows, videos, resamples=resamples, seed=seed)
    order = sorted(range(len(kept)), key=lambda k: (-stability.rows[k].score, k))
    differ, pairs = _differences([rows[k] for k in order], videos)
    letters = group_letters(len(order), differ) if pairs else [None] * len(order)
    return Leaderboard(
        benchmark=benchmark,
        questions=len(shared),
        videos=len(set(videos)),
        places=tuple(
            Place(run=kept[k], letters=letters[at], **vars(stability.rows[k])) for at, k in enumerate(order)
        ),
        tau_b=stability.tau_b,
        left_out=tuple(n for n in places if n not in kept),
        different=len(differ),
        pairs=pairs,
    )


def _differences(rows: Sequence[Sequence[float]], videos: Sequence[str]) -> tuple[set[tuple[int, int]], int]:
    """Pairs of rows that differ after Holm's correction, and how many pairs were tested."""
    if len(rows) > MOST_RUNS:
        return set(), 0
    pairs = list(combinations(range(len(rows)), 2))
    adjusted = holm([sign_flip_test(rows[i], rows[j], videos).p for i, j in pairs])
    return {pair for pair, p in zip(pairs, adjusted, strict=True) if p < LEVEL}, len(pairs)
