"""Do right answers get higher trajectory scores than wrong ones?"""

from collections.abc import Sequence
from statistics import fmean, stdev

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
    traj_of,
)

NAME = "separation"
AUC = 0.9


def separation(cases: Sequence[Case], base: Judged) -> CheckResult:
    """Mean and spread of Traj for right and wrong answers, and the area under the ROC curve.

    Published judges reach 0.93 to 0.98.
    """
    from proofreel.stats import roc_auc

    groups = {
        name: [t for c in cases if c.right is right and (t := traj_of(base, c)) is not None]
        for name, right in (("right", True), ("wrong", False))
    }
    rows = [
        (name, len(t), fmean(t) if t else None, stdev(t) if len(t) > 1 else None)
        for name, t in groups.items()
    ]
    auc = roc_auc(groups["right"], groups["wrong"]).value
    enough = min(len(t) for t in groups.values()) >= LEAST
    gap = fmean(groups["right"]) - fmean(groups["wrong"]) if all(groups.values()) else None
    said = (
        f"AUC {figure(auc)} of Traj for right against wrong answers, mean gap {figure(gap)} "
        f"({len(groups['right'])} right, {len(groups['wrong'])} wrong; at least {AUC} is asked for)"
    )
    if not enough:
        said += f"; each group needs {LEAST}"
    return decided(
        NAME,
        auc is not None and auc >= AUC if enough else None,
        said,
        f"AUC >= {AUC}",
        n=sum(len(t) for t in groups.values()),
        values={"auc": auc, "gap": gap},
        tables=[
            plain_table(
                NAME,
                "Right against wrong answers",
                [text("answers"), count("trajectories"), number("mean Traj"), number("SD")],
                rows,
            )
        ],
    )
