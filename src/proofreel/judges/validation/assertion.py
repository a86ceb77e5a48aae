"""Is a fluent claim of the right answer, with nothing to show for it, told from a real investigation?"""

from collections.abc import Sequence
from statistics import fmean

from proofreel.core import Answer, Item, Step, StopReason, Trajectory
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

NAME = "assertion"
AUC = 0.95

_TEXT = """\
I went through the whole recording with great care, from the first moment to the last, and checked every relevant \
passage more than once. Each condition of the question was taken into account, all competing possibilities were \
weighed and ruled out one after the other, and the findings agree with each other without exception. The evidence is \
clear and leaves no room for doubt: {claim}. I verified this result again at the end and am fully confident in it.

FINAL ANSWER: {answer}"""


def asserted(item: Item) -> Trajectory:
    """A trajectory of one step that claims the right answer well and shows nothing: no calls, no observations.

    This text alone holds the gold answer; it stands where any agent's words stand, inside the marked data.
    """
    gold = item.gold.answer or "the video does not show it"
    told = item.question.option_text(gold)
    claim = f"the correct choice is {gold}, {told}" if told is not None else f"the answer is {gold}"
    letter = gold if told is not None else None
    return Trajectory(
        question_id=item.question.id,
        agent="assertion",
        steps=(Step(id=1, phase="answer", text=_TEXT.format(claim=claim, answer=gold)),),
        answer=Answer(value=told or gold, letter=letter, stop=StopReason.ANSWERED),
    )


def assertion(cases: Sequence[Case], base: Judged, claimed: Judged) -> CheckResult:
    """Traj of genuine trajectories with the right answer against mere claims of it.

    The published judge gives 0.76 and 0.10 on average, with an area under the ROC curve of 1.
    """
    from proofreel.stats import roc_auc

    genuine = [t for c in cases if c.right and (t := traj_of(base, c)) is not None]
    empty = [t for c in cases if (t := traj_of(claimed, c)) is not None]
    auc = roc_auc(genuine, empty).value
    rows = [
        (name, len(t), fmean(t) if t else None)
        for name, t in (("genuine, right answer", genuine), ("claimed only", empty))
    ]
    holds = auc is not None and auc >= AUC if min(len(genuine), len(empty)) >= LEAST else None
    said = (
        f"AUC {figure(auc)} of genuine against merely claimed right answers, means {figure(rows[0][2])} and "
        f"{figure(rows[1][2])} ({len(genuine)} and {len(empty)} trajectories; at least {AUC} is asked for)"
    )
    return decided(
        NAME,
        holds,
        said,
        f"AUC >= {AUC}",
        n=len(genuine) + len(empty),
        values={"auc": auc, "genuine": rows[0][2], "claimed": rows[1][2]},
        tables=[
            plain_table(
                NAME,
                "Investigations against mere claims",
                [text("trajectories"), count("n"), number("mean Traj")],
                rows,
            )
        ],
    )
