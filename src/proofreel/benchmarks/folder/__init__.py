"""Your own questions on your own videos: a folder with ``questions.jsonl`` is a benchmark, no code needed."""

from proofreel.benchmarks.folder import card

__all__ = ["card"]
