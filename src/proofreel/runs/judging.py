"""The verdict on a trajectory, by the rules of a mode, with or without a judge model."""

from typing import Any, Literal

from proofreel.benchmarks.agentvidbench.extraction import judge_letter
from proofreel.core import Item, Outcome, TokenUse, Trajectory
from proofreel.judges import Verdict, judge_answer

Mode = Literal["careful", "official"]


async def verdict_of(
    trajectory: Trajectory, item: Item, mode: Mode, judge: Any = None
) -> tuple[Verdict, TokenUse]:
    """How an item ended, and what the judge took to see it.

    Open answers, agents that asked no model, and faults of the harness are judged by the local rules in both modes.
    For the others the letter is read as the mode says: by local rules, or, given a judge model, by its votes.

    Args:
        trajectory: what the agent did.
        item: question and gold.
        mode: careful or official.
        judge: engine model that reads letters, None for local rules.
    """
    local = judge_answer(trajectory, item)
    by_model = trajectory.model is not None and bool(item.question.options)
    if not by_model or local.outcome is Outcome.HARNESS_FAILED or (mode == "careful" and judge is None):
        return local, TokenUse()
    how: Literal["local", "vote"] = "local" if judge is None else "vote"
    verdict, record = await judge_letter(trajectory, item, how=how, mode=mode, extractor=judge)
    return verdict, TokenUse.model_validate(record.get("tokens") or {})
