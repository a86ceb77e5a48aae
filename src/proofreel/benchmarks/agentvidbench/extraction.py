"""The letter of an answer, three ways: careful local rules, the published local rules, a model that votes."""

from typing import Any, Literal

from proofreel.agents.answers import (
    UNPARSED,
    after_thinking,
    allowed_letter,
    final_answer_letter,
    react_final_letter,
)
from proofreel.benchmarks.agentvidbench.fields import Mode
from proofreel.core import Item, Outcome, Trajectory, render_trajectory
from proofreel.judges import Verdict, judge_vote, vote_letter
from proofreel.judges.choice import judge_choice

How = Literal["local", "vote"]
PLANNERS = ("video_react",)
"""Agents whose answer is the planner's JSON; the others answer in free text."""
STRUCTURED = ("avp", "dvd")
"""Agents that hand their letter over in a field of its own: there is no text to read it from."""


def raw_answer(trajectory: Trajectory) -> str:
    """What a model wrote last: the text the letter is read from; empty when it wrote nothing.

    The step with which our own agents close (it says why they stopped) holds the reasons alone and is passed over.
    """
    said = [s for s in trajectory.steps if s.phase in ("thinking", "plan", "answer") and s.text.strip()]
    texts = [s.text for s in said if not (s.phase == "answer" and "stop" in s.data)]
    return texts[-1] if texts else trajectory.answer.reason


def local_letter(trajectory: Trajectory, mode: Mode, letters: list[str]) -> str | None:
    """The letter by the rules of the mode, None when they find none.

    Carefully only what follows the model's thinking is read and only letters of the question count.
    """
    if trajectory.agent in STRUCTURED:
        return trajectory.answer.letter
    text = raw_answer(trajectory)
    if trajectory.agent in PLANNERS:
        found = react_final_letter(text if mode == "official" else after_thinking(text), mode)
    else:
        found = final_answer_letter(text, mode)
    found = None if found == UNPARSED else found
    return found if mode == "official" else allowed_letter(found, letters)


async def judge_letter(
    trajectory: Trajectory,
    item: Item,
    *,
    how: How = "local",
    mode: Mode = "careful",
    extractor: Any = None,
    **settings: Any,
) -> tuple[Verdict, dict[str, Any]]:
    """Verdict of one multiple-choice answer, and the record of how its letter was found.

    Carefully a trajectory that ended in a failure or an abstention keeps its verdict and nobody is asked. Officially
    everything without the right letter is wrong.

    Args:
        trajectory: what the agent did.
        item: question and gold.
        how: ``local`` rules, or ``vote`` by the extractor model.
        mode: careful or official.
        extractor: engine model, for ``vote``.
        settings: further arguments of ``vote_letter``.

    Raises:
        ValueError: a vote without an extractor.
    """
    letters = [o.letter for o in item.question.options]
    if mode == "careful":
        verdict = judge_choice(trajectory, item.gold)
        if (not verdict.outcome.scored and verdict.outcome is not Outcome.UNPARSED) or verdict.abstained:
            return verdict, {"how": "stop"}
    if how == "local":
        letter = trajectory.answer.letter if mode == "careful" else None
        letter = letter or local_letter(trajectory, mode, letters)
        if letter is None and mode == "careful":
            return Verdict(outcome=Outcome.UNPARSED, reason="no option letter in the answer"), {
                "how": "local"
            }
        right = letter is not None and letter == item.gold.answer
        outcome = Outcome.RIGHT if right else Outcome.WRONG
        return Verdict(outcome=outcome, letter=letter), {"how": "local", "rules": mode}
    if extractor is None:
        raise ValueError("a vote needs an extractor model")
    text = raw_answer(trajectory) if not trajectory.tool_calls else render_trajectory(trajectory)
    vote = await vote_letter(text, extractor, options=len(letters), **settings)
    return judge_vote(vote, item.gold, letters, mode), {"how": "vote", **vote.model_dump(mode="json")}
