"""The local verdict on an answer, whatever its kind."""

from proofreel.core import Item, Trajectory
from proofreel.judges.choice import Verdict, judge_choice
from proofreel.judges.open_exact import judge_open


def judge_answer(trajectory: Trajectory, item: Item) -> Verdict:
    """``judge_choice`` for questions with options, ``judge_open`` for open ones; no model is asked."""
    judge = judge_choice if item.question.options else judge_open
    return judge(trajectory, item.gold)
