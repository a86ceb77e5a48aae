"""Judges: they see gold and decide; agents never import them.

Judges of trajectories and of runs are loaded on first use; those of answers at once, for they are light.
"""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names
from proofreel.judges.answer import judge_answer
from proofreel.judges.choice import Verdict, judge_choice
from proofreel.judges.grounding import window_score
from proofreel.judges.letters_vote import LettersVote, judge_vote, vote_letter
from proofreel.judges.open_exact import judge_open

if TYPE_CHECKING:
    from proofreel.judges.audit import Cause, assign_cause
    from proofreel.judges.judged import JudgedRun, RubricSummary, summary_of
    from proofreel.judges.milestones import Extraction, extract_milestones, lint_milestones
    from proofreel.judges.path_cues import Cue, path_cues
    from proofreel.judges.rubric import Judgement, MilestoneLabel, RubricSettings, judge_rubric

_HOME = {
    "Cause": "audit",
    "Cue": "path_cues",
    "Extraction": "milestones",
    "JudgedRun": "judged",
    "Judgement": "rubric",
    "MilestoneLabel": "rubric",
    "RubricSettings": "rubric",
    "RubricSummary": "judged",
    "assign_cause": "audit",
    "extract_milestones": "milestones",
    "judge_rubric": "rubric",
    "lint_milestones": "milestones",
    "path_cues": "path_cues",
    "summary_of": "judged",
}

__all__ = [
    "Cause",
    "Cue",
    "Extraction",
    "JudgedRun",
    "Judgement",
    "LettersVote",
    "MilestoneLabel",
    "RubricSettings",
    "RubricSummary",
    "Verdict",
    "assign_cause",
    "extract_milestones",
    "judge_answer",
    "judge_choice",
    "judge_open",
    "judge_rubric",
    "judge_vote",
    "lint_milestones",
    "path_cues",
    "summary_of",
    "vote_letter",
    "window_score",
]

__getattr__ = lazy_names(__name__, _HOME)
