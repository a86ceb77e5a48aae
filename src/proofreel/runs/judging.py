"""The judgement of a trajectory: the benchmark's own way, or the rules that all share."""

from typing import Literal

from proofreel.benchmarks import JudgeContext, Judged, get_benchmark
from proofreel.benchmarks.agentvidbench.extraction import judge_letter
from proofreel.benchmarks.hooks import Mode
from proofreel.core import Item, Outcome, TokenUse, Trajectory
from proofreel.judges import judge_answer

__all__ = ["Mode", "judged_of"]


async def judged_of(trajectory: Trajectory, item: Item, benchmark: str, ctx: JudgeContext) -> Judged:
    """How an item ended, and what the judge took to see it.

    A benchmark with a ``judge`` hook decides itself. For the others, open answers, agents that asked no model, and
    faults of the harness are judged by the local rules in both modes; else the letter is read as the mode says: by
    local rules, or, given a judge model, by its votes.

    Args:
        trajectory: what the agent did.
        item: question and gold.
        benchmark: name of the benchmark.
        ctx: mode and judge models.
    """
    own = get_benchmark(benchmark).judge
    if own is not None:
        return await own(trajectory, item, ctx)
    local = judge_answer(trajectory, item)
    by_model = trajectory.model is not None and bool(item.question.options)
    harness = local.outcome is Outcome.HARNESS_FAILED
    if not by_model or harness or (ctx.mode == "careful" and ctx.judge is None):
        return Judged(verdict=local)
    how: Literal["local", "vote"] = "local" if ctx.judge is None else "vote"
    verdict, record = await judge_letter(trajectory, item, how=how, mode=ctx.mode, extractor=ctx.judge)
    return Judged(
        verdict=verdict,
        tokens=TokenUse.model_validate(record.get("tokens") or {}),
        details={"letter": record},
    )
