"""Cluster bootstrap and rank stability against plain loops on the same data in the same run."""

import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from benchmarks_perf._clusters import Floats, Ints, answers, cluster_rates, cluster_sizes
from proofreel.stats import bootstrap_intervals, rank_stability

RESAMPLES = 10_000
CONFIGURATIONS, ITEMS, VIDEOS, MODELS = 80, 100, 71, 16
LOOP_SHARE = 20  # the loops run on a share of the resamples, their time is multiplied


def loop_per_configuration(scores: Floats, groups: Ints, resamples: int) -> list[tuple[float, float]]:
    """As usually written: for every configuration and resample draw videos, gather items, average."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(groups == video) for video in range(VIDEOS)]
    intervals = []
    for row in scores:
        means = [
            row[np.concatenate([members[v] for v in rng.integers(0, VIDEOS, VIDEOS)])].mean()
            for _ in range(resamples)
        ]
        intervals.append((float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))))
    return intervals


def loop_shared(scores: Floats, groups: Ints, resamples: int) -> list[tuple[float, float]]:
    """The better loop: one draw for all configurations, averaged as columns."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(groups == video) for video in range(VIDEOS)]
    means = np.empty((resamples, len(scores)))
    for k in range(resamples):
        drawn = np.concatenate([members[v] for v in rng.integers(0, VIDEOS, VIDEOS)])
        means[k] = scores[:, drawn].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975), axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def loop_ranks(scores: Floats, groups: Ints, resamples: int) -> Floats:
    """Rank and tau-b of each resample with SciPy."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(groups == video) for video in range(VIDEOS)]
    full = scores.mean(axis=1)
    ranks = np.empty((resamples, len(scores)))
    for k in range(resamples):
        drawn = np.concatenate([members[v] for v in rng.integers(0, VIDEOS, VIDEOS)])
        means = scores[:, drawn].mean(axis=1)
        ranks[k] = stats.rankdata(-means.round(12), method="min")
        stats.kendalltau(means.round(12), full)
    return ranks


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def run(full: bool = False) -> None:
    """Prints times and ratios; `full` runs the loops on ten times as many resamples."""
    part = RESAMPLES // (LOOP_SHARE if full else 10 * LOOP_SHARE)
    times = RESAMPLES / part
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(VIDEOS), cluster_sizes(ITEMS, VIDEOS, 1.0, seed=5))
    scores = np.stack(
        [answers(cluster_rates(r, 0.2, VIDEOS, rng), groups, rng) for r in np.linspace(0.1, 0.8, 80)]
    )
    models = scores[:: CONFIGURATIONS // MODELS]
    bootstrap_intervals(scores, groups, resamples=10)  # loads what is loaded once

    ours, ranks, plain, shared, by_rank = [], [], [], [], []
    for _ in range(3):  # interleaved, so that a busy machine is busy for all
        ours.append(timed(lambda: bootstrap_intervals(scores, groups)))
        ranks.append(timed(lambda: rank_stability(models, groups)))
        shared.append(timed(lambda: loop_shared(scores, groups, part)) * times)
        by_rank.append(timed(lambda: loop_ranks(models, groups, part)) * times)
        plain.append(timed(lambda: loop_per_configuration(scores[:8], groups, part)) * times * 10)
    fast = min(ours), min(ranks)
    print(
        f"{RESAMPLES} resamples of {VIDEOS} videos, {ITEMS} items; best of 3, loops timed on {part} resamples"
    )
    print(f"cluster bootstrap, {CONFIGURATIONS} configurations: {fast[0]:.3f} s")
    print(f"  loop per configuration: {min(plain):.1f} s, {min(plain) / fast[0]:.0f} times as long")
    print(f"  loop with shared draws: {min(shared):.1f} s, {min(shared) / fast[0]:.0f} times as long")
    print(f"rank stability, {len(models)} models: {fast[1]:.3f} s")
    print(
        f"  loop with SciPy ranks and tau-b: {min(by_rank):.1f} s, {min(by_rank) / fast[1]:.0f} times as long"
    )
    total, loops = sum(fast), min(plain) + min(by_rank)
    print(f"in all {total:.3f} s; loops {loops:.1f} s, {loops / total:.0f} times as long")


if __name__ == "__main__":
    run(full=True)
