"""Proofreel: video agents that show their proof."""
