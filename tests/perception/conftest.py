"""Shared by the perception tests."""

import importlib.util

import pytest


@pytest.fixture
def hide(monkeypatch):
    """``hide("package", ...)`` makes packages look as if they were not installed."""
    real = importlib.util.find_spec

    def these(*packages):
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, *a: None if name in packages else real(name, *a)
        )

    return these
