"""Fixtures of the agent tests."""

from agents.wire import _keys, clip, question

__all__ = ["_keys", "clip", "question"]
