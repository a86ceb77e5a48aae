"""Rules for every test: own cache, no network beyond this machine, no silent skips in continuous integration."""

import os
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """One cache folder for a whole test run, shared by its workers: weights are joined once, not once a test."""
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "cache"
    before = os.environ.get("PROOFREEL_CACHE")
    os.environ["PROOFREEL_CACHE"] = str(root)
    yield root
    if before is None:
        del os.environ["PROOFREEL_CACHE"]
    else:
        os.environ["PROOFREEL_CACHE"] = before


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Generator[None]:
    """A test that tries to reach another machine fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(host).startswith(
            ("127.", "::1", "localhost")
        ):
            raise OSError(f"tests may only talk to this machine, not to {host}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign,assignment]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """With PROOFREEL_NO_SKIPS set, a skipped test is a failed one."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("PROOFREEL_NO_SKIPS"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome, report.longrepr = "failed", f"skipped where nothing may be skipped: {reason}"
    return report
