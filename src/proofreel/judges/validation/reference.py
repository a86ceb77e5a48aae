"""Do milestones lead the judge to the same scores as the explanation of a person?"""

from collections.abc import Sequence
from statistics import fmean

from proofreel.judges.rubric_scores import ABBREVIATIONS, AXES
from proofreel.judges.validation.result import (
    LEAST,
    Case,
    CheckResult,
    Judged,
    count,
    decided,
    figure,
    number,
    plain_table,
    text,
)

NAME = "reference"
LEAST_R = 0.7


def reference(cases: Sequence[Case], base: Judged, explained: Judged) -> CheckResult:
    """Pearson's r between both references on every axis, and the mean over the axes.

    Published: 0.66 to 0.84, mean 0.76.
    """
    from proofreel.stats import pearson

    rows: list[tuple[str | float | None, ...]] = []
    values: dict[str, float | None] = {}
    both = [c for c in cases if c.id in base and c.id in explained and explained[c.id].traj is not None]
    for axis in AXES:
        pairs = [
            (a, b)
            for c in both
            if (a := base[c.id].scores.get(axis)) is not None
            and (b := explained[c.id].scores.get(axis)) is not None
        ]
        r = pearson([a for a, _ in pairs], [b for _, b in pairs]).value if len(pairs) > 1 else None
        values[ABBREVIATIONS[axis]] = r
        rows.append((ABBREVIATIONS[axis], len(pairs), r))
    known = [v for v in values.values() if v is not None]
    mean = fmean(known) if known else None
    values["mean"] = mean
    rows.append(("mean", len(both), mean))
    said = (
        f"r {figure(mean)} on average over {len(known)} axes between milestones and explanation as reference "
        f"({len(both)} trajectories; at least {LEAST_R} is asked for)"
    )
    return decided(
        NAME,
        mean >= LEAST_R if mean is not None and len(both) >= LEAST else None,
        said,
        f"mean r >= {LEAST_R}",
        n=len(both),
        values=values,
        tables=[
            plain_table(
                NAME,
                "Milestones against explanation",
                [text("axis"), count("trajectories"), number("Pearson r")],
                rows,
            )
        ],
    )
