"""AgentVidBench: 26-option multi-hop video questions with milestones (protocol sections 1-4)."""

from proofreel.benchmarks.agentvidbench import card

__all__ = ["card"]
