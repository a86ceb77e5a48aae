"""Coverage and error rates of the statistics by simulation: python -m benchmarks_perf.stats_coverage [--reps 4000]."""

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks_perf._clusters import Floats, Ints, answers, cluster_rates, cluster_sizes, normal_rates
from proofreel.stats import (
    accuracy_interval,
    bootstrap_means,
    judge_corrected,
    mcnemar,
    mean_interval,
    sign_flip_test,
    wilson,
)

RATES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98)
ICCS = (0.0, 0.1, 0.25, 0.5)
BOOTSTRAP = 1000


def adjusted_coverage(
    rate: float, groups: Ints, draw: Callable[[], Floats], reps: int
) -> tuple[float, float, float]:
    """Coverage of the adjusted interval, of the plain one, and mean width of the adjusted one."""
    rng = np.random.default_rng(7)
    hit = plain = 0
    width = 0.0
    for _ in range(reps):
        right = answers(draw(), groups, rng)
        interval = accuracy_interval(right, groups).interval
        assert interval is not None
        hit += rate in interval
        plain += rate in wilson(float(right.sum()), len(right))
        width += interval.high - interval.low
    return hit / reps, plain / reps, width / reps


def bootstrap_coverage(
    rate: float, groups: Ints, draw: Callable[[], Floats], reps: int
) -> tuple[float, float]:
    """Coverage of the percentile bootstrap by item and by cluster; the repetitions share their resamples."""
    rng = np.random.default_rng(8)
    data = np.stack([answers(draw(), groups, rng) for _ in range(reps)])
    found = []
    for clusters in (None, groups):
        means = bootstrap_means(data, clusters, BOOTSTRAP, seed=3)
        low, high = np.quantile(means, (0.025, 0.975), axis=0)
        found.append(float(((low <= rate + 1e-9) & (rate - 1e-9 <= high)).mean()))
    return found[0], found[1]


def headline(reps: int) -> None:
    print("\nHeadline interval, nominal 95 %. Beta-binomial answers, unequal videos.")
    seen = []
    for items, videos in ((100, 71), (500, 138)):
        sizes = cluster_sizes(items, videos, 1.0, seed=5)
        groups = np.repeat(np.arange(videos), sizes)
        print(f"\n{items} questions on {videos} videos (largest {sizes.max()}); coverage in %")
        print("ICC   accuracy  adjusted Wilson  plain Wilson  bootstrap by question  by video")
        for icc in ICCS:
            for rate in RATES:
                rng = np.random.default_rng(int(1000 * icc) + int(1000 * rate))

                def draw(icc: float = icc, rate: float = rate, rng: np.random.Generator = rng) -> Floats:
                    return cluster_rates(rate, icc, videos, rng)  # noqa: B023

                adjusted, plain, _ = adjusted_coverage(rate, groups, draw, reps)
                by_item, by_video = bootstrap_coverage(rate, groups, draw, min(reps, 2000))
                seen.append(adjusted)
                print(
                    f"{icc:<5} {rate:<9} {adjusted:>15.1%}  {plain:>12.1%}  {by_item:>21.1%}  {by_video:>8.1%}",
                    flush=True,
                )
    inside = sum(0.93 <= value <= 0.97 for value in seen)
    print(
        f"\nadjusted: {inside} of {len(seen)} cells within 93-97 %, least {min(seen):.1%}, most {max(seen):.1%}"
    )


def other_designs(reps: int) -> None:
    print("\nHeadline interval on other designs: coverage in % (mean width)")
    print("items videos evenness law           " + "".join(f"{rate:>16}" for rate in (0.02, 0.05, 0.2, 0.5)))
    cases = [
        (100, 71, 100.0, "ICC 0"),
        (100, 71, 100.0, "ICC 0.5"),
        (500, 138, 100.0, "ICC 0.5"),
        (500, 138, 0.5, "ICC 0.5"),
        (500, 138, 1.0, "logit-normal 2"),
        (100, 71, 1.0, "logit-normal 2"),
        (100, 20, 1.0, "ICC 0.25"),
        (100, 10, 1.0, "ICC 0.25"),
        (60, 6, 100.0, "ICC 0.25"),
        (40, 30, 1.0, "ICC 0.25"),
        (1000, 50, 1.0, "ICC 0.25"),
    ]
    for items, videos, evenness, law in cases:
        groups = np.repeat(np.arange(videos), cluster_sizes(items, videos, evenness, seed=5))
        cells = []
        for rate in (0.02, 0.05, 0.2, 0.5):
            rng = np.random.default_rng(11)
            strength = float(law.split()[1])
            make = cluster_rates if law.startswith("ICC") else normal_rates

            def draw(
                make: Callable[..., Floats] = make,
                rate: float = rate,
                strength: float = strength,
                rng: np.random.Generator = rng,
                videos: int = videos,
            ) -> Floats:
                return make(rate, strength, videos, rng)

            covered, _, width = adjusted_coverage(rate, groups, draw, reps)
            cells.append(f"{covered:>8.1%} ({width:.3f})")
        print(f"{items:>5} {videos:>6} {evenness:>8} {law:<14}" + "".join(cells), flush=True)


def paired(reps: int) -> None:
    print("\nTwo equally good systems whose strengths differ by video: rejections at 5 %")
    print("items videos ICC   McNemar exact  sign-flip by video")
    for items, videos in ((100, 10), (100, 20), (100, 71), (500, 25), (500, 138)):
        groups = np.repeat(np.arange(videos), cluster_sizes(items, videos, 1.0, seed=5))
        for icc in (0.0, 0.2, 0.5):
            rng = np.random.default_rng(13)
            plain = flipped = 0
            for _ in range(reps):
                a = answers(cluster_rates(0.5, icc, videos, rng), groups, rng)
                b = answers(cluster_rates(0.5, icc, videos, rng), groups, rng)
                plain += mcnemar(int((a > b).sum()), int((b > a).sum())).exact_p < 0.05
                flipped += sign_flip_test(a, b, groups).p < 0.05
            print(
                f"{items:>5} {videos:>6} {icc:<5} {plain / reps:>13.1%}  {flipped / reps:>18.1%}", flush=True
            )


def differences(reps: int) -> None:
    print("\nDifference of two systems, true value 0.15: coverage of 95 % intervals")
    print("items videos ICC   bootstrap by question  by video  mean_interval by video")
    for items, videos in ((100, 10), (100, 20), (100, 71), (500, 138)):
        groups = np.repeat(np.arange(videos), cluster_sizes(items, videos, 1.0, seed=5))
        for icc in (0.0, 0.2, 0.5):
            rng = np.random.default_rng(19)
            rows = np.empty((reps, items))
            for row in rows:
                row[:] = answers(cluster_rates(0.6, icc, videos, rng), groups, rng)
                row -= answers(cluster_rates(0.45, icc, videos, rng), groups, rng)
            found = []
            for clusters in (None, groups):
                means = bootstrap_means(rows, clusters, BOOTSTRAP, seed=3)
                low, high = np.quantile(means, (0.025, 0.975), axis=0)
                found.append(float(((low <= 0.15 + 1e-9) & (high >= 0.15 - 1e-9)).mean()))
            robust = [mean_interval(row, groups).interval for row in rows]
            share = sum(interval is not None and 0.15 in interval for interval in robust) / reps
            print(
                f"{items:>5} {videos:>6} {icc:<5} {found[0]:>21.1%}  {found[1]:>8.1%}  {share:>22.1%}",
                flush=True,
            )


def judged(reps: int) -> None:
    print("\nJudge with errors, corrected by a rated subset: coverage of 95 % intervals (mean width)")
    print("items rated accuracy sens. spec.  corrected        human subset     judge alone")
    for items, rated in ((100, 20), (100, 40), (500, 100)):
        for rate in (0.05, 0.3, 0.9):
            for sensitivity, specificity in ((0.99, 0.99), (0.95, 0.95), (0.85, 0.8)):
                rng = np.random.default_rng(17)
                hits = np.zeros(3)
                widths = np.zeros(2)
                for _ in range(reps):
                    truth = (rng.random(items) < rate).astype(np.float64)
                    says = np.where(
                        truth == 1, rng.random(items) < sensitivity, rng.random(items) >= specificity
                    )
                    human = np.full(items, np.nan)
                    chosen = rng.choice(items, rated, replace=False)
                    human[chosen] = truth[chosen]
                    mended = judge_corrected(says, human).interval
                    subset = wilson(float(truth[chosen].sum()), rated)
                    hits += (rate in mended, rate in subset, rate in wilson(float(says.sum()), items))
                    widths += (mended.high - mended.low, subset.high - subset.low)
                hits, widths = hits / reps, widths / reps
                print(
                    f"{items:>5} {rated:>5} {rate:>8} {sensitivity:>5} {specificity:>5}  "
                    f"{hits[0]:.1%} ({widths[0]:.3f})  {hits[1]:.1%} ({widths[1]:.3f})  {hits[2]:.1%}",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=4000, help="data sets per cell (default 4000)")
    reps = parser.parse_args().reps
    start = time.perf_counter()
    headline(reps)
    other_designs(max(1, reps // 2))
    paired(max(1, reps // 2))
    differences(max(1, reps // 2))
    judged(max(1, reps // 4))
    print(f"\n{reps} data sets a cell: standard error of a 95 % cell {np.sqrt(0.95 * 0.05 / reps):.2%}")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
