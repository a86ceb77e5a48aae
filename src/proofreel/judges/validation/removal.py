"""Does the judge notice when the evidence for one milestone is gone?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from proofreel.core import Milestone
from proofreel.judges.rubric import Judgement, MilestoneLabel
from proofreel.judges.rubric_scores import WEIGHTS
from proofreel.judges.validation._cut import Cut, cut_milestone
from proofreel.judges.validation.result import (
    LEAST,
    Case,
    CaseId,
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

NAME = "removal"
DROP, DOWNGRADED = 0.05, 0.6
FROM = 0.5
"""Trajectories with a lower score are not used: nothing could drop."""


@dataclass(frozen=True)
class Removed:
    """A case without one milestone."""

    milestone: Milestone
    cut: Cut


def remove_one(case: Case, judgement: Judgement) -> Removed | None:
    """Takes out the covered milestone with the longest quote that can be found; None when there is none."""
    gold = {m.id: m for m in case.item.gold.milestones}
    covered = [m for m in judgement.milestones if m.status == "covered" and m.id in gold]
    question = f"{case.item.question.text} {' '.join(o.text for o in case.item.question.options)}"
    for label in sorted(covered, key=_promising):
        milestone = gold[label.id]
        quoted = {m.id: m.evidence for m in judgement.milestones}
        others = [(m, quoted.get(m.id, "")) for m in gold.values() if m.id != label.id]
        cut = cut_milestone(case.trajectory, milestone, label.evidence, question, others)
        if cut is not None and any(s.text.strip() or s.observations for s in cut.trajectory.steps):
            return Removed(milestone, cut)
    return None


def removal(
    cases: Sequence[Case], base: Judged, removed: Mapping[CaseId, Removed], judged: Judged
) -> CheckResult:
    """Drop of Traj, and how often exactly the label of the removed milestone goes down.

    The published judge drops by 0.41 on average and lowers the very milestone in 73 %.
    """
    rows: list[tuple[str | int | float | None, ...]] = []
    drops, lowered, side = [], [], []
    for case in cases:
        before, after = base.get(case.id), judged.get(case.id)
        if case.id not in removed or before is None or after is None:
            continue
        if before.traj is None or after.traj is None:
            continue
        what = removed[case.id]
        was, now = _status(before, what.milestone.id), _status(after, what.milestone.id)
        drops.append(before.traj - after.traj)
        lowered.append(WEIGHTS.get(now, 0.0) < WEIGHTS.get(was, 0.0))
        other = [
            m.id for m in before.milestones if m.id != what.milestone.id and _status(after, m.id) != m.status
        ]
        side.append(len(other))
        rows.append(
            (
                case.item.question.id,
                what.milestone.id,
                what.milestone.type,
                was,
                now,
                ", ".join(other),
                before.traj,
                after.traj,
                what.cut.calls,
                what.cut.sentences,
            )
        )
    drop = fmean(drops) if drops else None
    rate = fmean(lowered) if lowered else None
    holds = None
    if drop is not None and rate is not None and len(drops) >= LEAST:
        holds = drop >= DROP and rate >= DOWNGRADED
    said = (
        f"Traj drops by {figure(drop)} when one milestone is taken out, and its own label goes down in "
        f"{figure(None if rate is None else 100 * rate, 0)} % ({len(drops)} trajectories with Traj >= {FROM}; at "
        f"least {DROP} and {DOWNGRADED:.0%} are asked for)"
    )
    columns = [
        *(
            text(n)
            for n in ("question", "removed", "type", "label before", "label after", "other labels changed")
        ),
        number("Traj before"),
        number("Traj after"),
        count("calls removed"),
        count("sentences removed"),
    ]
    return decided(
        NAME,
        holds,
        said,
        f"mean drop >= {DROP}, exact label down in >= {DOWNGRADED:.0%}",
        n=len(drops),
        values={
            "drop": drop,
            "exact_downgraded": rate,
            "other_labels_changed": fmean(side) if side else None,
            "not_removable": float(sum(traj_of(base, c) is not None for c in cases) - len(removed)),
        },
        tables=[plain_table(NAME, "One milestone removed", columns, rows)],
    )


def _promising(label: MilestoneLabel) -> tuple[bool, int]:
    return not label.evidence, -len(label.evidence)


def _status(judgement: Judgement, milestone: str) -> str:
    return next((m.status for m in judgement.milestones if m.id == milestone), "missing")
