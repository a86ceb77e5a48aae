"""Ten questions on two small clips, shipped with the package: the form of AgentVidBench in one minute."""

from proofreel.benchmarks.mini import card

__all__ = ["card"]
