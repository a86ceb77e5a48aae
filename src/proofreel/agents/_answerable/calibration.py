"""From features to the probability of a right answer: a logistic regression made on questions kept for that."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Calibration:
    """Coefficients by feature name, the intercept, and the least probability at which to answer."""

    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Probability in (0, 1) that the candidate is the right answer."""
        z = self.intercept + sum(w * features.get(name, 0.0) for name, w in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z))))


@cache
def load_calibration(vectors: bool = True) -> Calibration:
    """The shipped calibration, with or without sentence vectors; how it was made is written in the same file."""
    data = json.loads(files("proofreel.agents._answerable").joinpath("calibration.json").read_text("utf-8"))
    fit = data["with_vectors" if vectors else "without_vectors"]
    return Calibration(fit["intercept"], fit["weights"], fit["threshold"])
