"""Judges: they see gold and decide; agents never import them."""

from proofreel.judges.answer import judge_answer
from proofreel.judges.choice import Verdict, judge_choice
from proofreel.judges.grounding import window_score
from proofreel.judges.letters_vote import LettersVote, judge_vote, vote_letter
from proofreel.judges.open_exact import judge_open

__all__ = [
    "LettersVote",
    "Verdict",
    "judge_answer",
    "judge_choice",
    "judge_open",
    "judge_vote",
    "vote_letter",
    "window_score",
]
