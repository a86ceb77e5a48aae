"""A counter that grows with every packet read or decoded: how a watcher tells slow from hung."""

from __future__ import annotations

count = 0


def tick() -> None:
    """One more packet."""
    global count
    count += 1
