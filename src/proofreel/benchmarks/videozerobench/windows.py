"""Moments in a reply; agents that look for moments read them so too, hence the code is theirs."""

from proofreel.agents.moments import Pair, parse_pred_windows

__all__ = ["Pair", "parse_pred_windows"]
