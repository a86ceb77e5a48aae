"""Made data with known truth: questions on videos, right or wrong, correlated within a video."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def cluster_sizes(items: int, clusters: int, evenness: float, seed: int) -> Ints:
    """Unequal sizes of at least 1 that sum to `items`; evenness 1 is a long tail, 100 nearly even."""
    rng = np.random.default_rng(seed)
    share = rng.gamma(evenness, size=clusters)
    return 1 + rng.multinomial(items - clusters, share / share.sum()).astype(np.int64)


def cluster_rates(rate: float, icc: float, clusters: int, rng: np.random.Generator) -> Floats:
    """True accuracy of each video, beta with mean `rate`; answers then correlate by `icc` within a video."""
    if icc == 0:
        return np.full(clusters, rate)
    total = (1 - icc) / icc
    return rng.beta(rate * total, (1 - rate) * total, size=clusters)


def normal_rates(rate: float, spread: float, clusters: int, rng: np.random.Generator) -> Floats:
    """As `cluster_rates` with a logit-normal law of the given spread, mean solved for."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    low, high = -30.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        mean = float((weights / (1 + np.exp(-(middle + spread * nodes)))).sum() / weights.sum())
        low, high = (middle, high) if mean < rate else (low, middle)
    return 1 / (1 + np.exp(-(low + spread * rng.standard_normal(clusters))))


def answers(rates: Floats, groups: Ints, rng: np.random.Generator) -> Floats:
    """Right (1) or wrong (0) for every item."""
    return (rng.random(len(groups)) < rates[groups]).astype(np.float64)
