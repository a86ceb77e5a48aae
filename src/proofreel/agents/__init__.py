"""Agents: one file each, found by their decorator."""

from proofreel.agents.agent import AgentContext, AgentSpec, agent, list_agents, run_agent
from proofreel.agents.budget import Budget, BudgetExceeded, Limits, UnknownPrice
from proofreel.tools.registry import UnknownName

__all__ = [
    "AgentContext",
    "AgentSpec",
    "Budget",
    "BudgetExceeded",
    "Limits",
    "UnknownName",
    "UnknownPrice",
    "agent",
    "list_agents",
    "run_agent",
]
