"""Statistics on arrays: pure functions."""

from proofreel.stats.wilson import Interval, wilson

__all__ = ["Interval", "wilson"]
