"""Judges: they see gold and decide; agents never import them."""

from proofreel.judges.choice import Verdict, judge_choice
from proofreel.judges.grounding import window_score

__all__ = ["Verdict", "judge_choice", "window_score"]
