"""Cluster bootstrap and rank stability against plain loops on the same data in the same run."""

import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from benchmarks_perf._clusters import Floats, Ints, answers, cluster_rates, cluster_sizes
from proofreel.stats import bootstrap_intervals, rank_stability

RESAMPLES = 10_000
CONFIGURATIONS, ITEMS, VIDEOS, MODELS = 80, 100, 71, 16


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


def timed(call: Callable[[], object], times: float = 1.0) -> tuple[float, float]:
    """Wall and processor seconds, multiplied for a run on a share of the resamples."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * times, (time.process_time() - cpu) * times


def run(full: bool = False) -> None:
    """Prints times and ratios; `full` runs the loops on more resamples and more rounds."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(VIDEOS), cluster_sizes(ITEMS, VIDEOS, 1.0, seed=5))
    scores = np.stack(
        [
            answers(cluster_rates(r, 0.2, VIDEOS, rng), groups, rng)
            for r in np.linspace(0.1, 0.8, CONFIGURATIONS)
        ]
    )
    models = scores[:: CONFIGURATIONS // MODELS]
    bootstrap_intervals(scores, groups, resamples=10)  # loads what is loaded once
    rank_stability(models, groups, resamples=10)

    share = 5 if full else 20
    part = RESAMPLES // share
    runs: dict[str, list[tuple[float, float]]] = {}
    for _ in range(12 if full else 5):  # interleaved, so that a busy machine is busy for all
        for name, call, times in (
            ("ours", lambda: bootstrap_intervals(scores, groups), 1),
            ("ranks", lambda: rank_stability(models, groups), 1),
            ("shared", lambda: loop_shared(scores, groups, part), share),
            ("loop", lambda: loop_per_configuration(scores[:4], groups, part // 4), share * 80),
            ("scipy", lambda: loop_ranks(models, groups, part // 4), share * 4),
        ):
            runs.setdefault(name, []).append(timed(call, times))
    best = {name: (min(w for w, _ in seen), min(c for _, c in seen)) for name, seen in runs.items()}

    def line(name: str, against: str) -> str:
        (wall, cpu), (our_wall, our_cpu) = best[name], best[against]
        return f"{wall:.1f} s, {wall / our_wall:.0f} times as long ({cpu / our_cpu:.0f} times the processor time)"

    print(
        f"{RESAMPLES} resamples of {VIDEOS} videos, {ITEMS} items; best of {len(runs['ours'])}, loops scaled up"
    )
    print(f"cluster bootstrap, {CONFIGURATIONS} configurations: {best['ours'][0]:.3f} s")
    print(f"  loop per configuration: {line('loop', 'ours')}")
    print(f"  loop with shared draws: {line('shared', 'ours')}")
    print(f"rank stability, {len(models)} models: {best['ranks'][0]:.3f} s")
    print(f"  loop with SciPy ranks and tau-b: {line('scipy', 'ranks')}")
    print(f"in all {best['ours'][0] + best['ranks'][0]:.3f} s")


if __name__ == "__main__":
    run(full=True)
