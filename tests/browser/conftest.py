"""A real Chromium for the pages; without one these tests are skipped, and say so."""

import shutil
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    return next(
        (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
    )


# Per module: while Playwright is open its event loop counts as running, and no other test may start one.
@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    path = chromium()
    if path is None:
        pytest.skip(
            "no chromium, chromium-browser or google-chrome on the PATH: the pages are not tried in a browser"
        )
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@dataclass
class Visit:
    """An open page with everything it asked for and complained about."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def until(self, truth: str, seconds: float = 30.0) -> None:
        """Waits for a JavaScript expression; Playwright's own waiting needs the eval that the pages forbid."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(truth):
            assert time.monotonic() < end, f"never came true: {truth}"
            self.page.wait_for_timeout(25)

    def assert_clean(self, *, missing_video: bool = False) -> None:
        outside = [u for u in self.requests if not u.startswith(("file:", "data:", "blob:"))]
        assert not outside, f"the page went out to {outside}"
        # The browser itself logs a file that is not there.
        wrong = [c for c in self.complaints if not (missing_video and "ERR_FILE_NOT_FOUND" in c)]
        assert not wrong, f"console: {wrong}"


@pytest.fixture
def visit(browser: Browser) -> Generator[Callable[..., Visit]]:
    contexts = []

    def go(file: Path, width: int = 1280, height: int = 900, **settings: object) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        seen = Visit(context.new_page())
        seen.page.set_default_timeout(30_000)
        seen.page.on("request", lambda r: seen.requests.append(r.url))
        seen.page.on(
            "console", lambda m: seen.complaints.append(m.text) if m.type in ("error", "warning") else None
        )
        seen.page.on("pageerror", lambda e: seen.complaints.append(str(e)))
        seen.page.goto(file.as_uri())
        seen.until("document.documentElement.dataset.ready !== undefined")
        return seen

    yield go
    for context in contexts:
        context.close()
