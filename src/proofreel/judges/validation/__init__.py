"""Checks of a trajectory judge: what it must be able to tell apart, and what must not move it. One file a check.

Source: AgentVidBench protocol, section 8; injection, padding and steadiness are checks of our own.
"""
