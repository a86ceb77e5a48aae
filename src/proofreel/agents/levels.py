"""Levels: not an agent that looks by itself but the direct calls of a benchmark that puts a question on several levels.

VideoZeroBench puts the question (``benchmarks/videozerobench/exam.py``); here stands the name only, so that it can be
listed, chosen and compared like any other agent.
"""

from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError


@agent(
    "levels", needs_model=True, summary="direct calls on the levels of VideoZeroBench: answer, moments, boxes"
)
async def levels(question: Question, ctx: AgentContext) -> Trajectory:
    """Refuses: without a benchmark that has levels there is nothing to put.

    Raises:
        UserError: always.
    """
    raise UserError(
        "agent 'levels' is for benchmarks with levels (proofreel run videozerobench --data DIR --agent levels); "
        "here use single_turn"
    )
