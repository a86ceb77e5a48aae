"""Verdicts as engine scores, for ``inspect eval`` and ``inspect view``.

Right is ``C``; wrong and unparsed are ``I``; what carries no verdict (a failed model, judge or harness, an excluded
item) is an unscored sample with its reason, never a 0.
"""

from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from proofreel.core import Gold, Outcome, Trajectory
from proofreel.judges.choice import Verdict, judge_choice
from proofreel.judges.grounding import window_score

STORE_KEY = "proofreel_trajectory"
"""Where ``agents.engine`` keeps the trajectory."""


def score_of(verdict: Verdict, tiou: float | None = None, explanation: str | None = None) -> Score:
    """The engine's form of a verdict."""
    metadata: dict[str, Any] = {"outcome": verdict.outcome.value, "abstained": verdict.abstained}
    if tiou is not None:
        metadata["tiou"] = tiou
    said = explanation or verdict.reason or None
    if verdict.outcome.scored or verdict.outcome is Outcome.UNPARSED:
        value = CORRECT if verdict.outcome is Outcome.RIGHT else INCORRECT
        return Score(value=value, answer=verdict.letter, explanation=said, metadata=metadata)
    return Score.unscored(reason=verdict.outcome.value, explanation=said, metadata=metadata)


@scorer(metrics=[accuracy(), stderr()], name="choice")
def choice() -> Scorer:
    """Judges the trajectory that ``video_agent`` left, against ``metadata["gold"]``."""

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(STORE_KEY)
        if kept is None:
            return Score.unscored(reason="harness_failed", explanation="the agent left no trajectory")
        gold = Gold.model_validate(state.metadata.get("gold") or {"answer": target.text})
        trajectory = Trajectory.model_validate(kept)
        return score_of(judge_choice(trajectory, gold), window_score(trajectory, gold))

    return score
