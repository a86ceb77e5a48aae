"""Agents: one file each, found by their decorator."""

from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext, AgentSpec, agent, list_agents, run_agent
from proofreel.agents.budget import Budget, BudgetExceeded, Limits, UnknownPriceError
from proofreel.tools.registry import UnknownNameError

__all__ = [
    "AgentContext",
    "AgentSpec",
    "Budget",
    "BudgetExceeded",
    "Limits",
    "Recorder",
    "UnknownNameError",
    "UnknownPriceError",
    "agent",
    "list_agents",
    "run_agent",
]
