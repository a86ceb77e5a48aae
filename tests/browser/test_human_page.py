"""The page of the agent ``human`` in a real browser: watch, search, mark, draw, answer."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from agents.wire import write_clip
from proofreel.core import StopReason, Trajectory

HARBOUR = Path(__file__).parents[2] / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"
SUBTITLES = "1\n00:00:05,600 --> 00:00:07,000\nThe ferry now leaves from <b>gate two</b>.\n"


class Desk:
    """``proofreel ask --agent human`` in its own process, and what it wrote."""

    def __init__(self, folder: Path, *words: str) -> None:
        (folder / "said.srt").write_text(SUBTITLES)
        write_clip(folder / "v.mp4", seconds=8, size=(640, 360))
        options = ["--option", "Gate 1", "--option", "Gate 2", "--transcript", "said.srt", "--out", "p.html"]
        command = [sys.executable, "-m", "proofreel", "human", "v.mp4", "Which <i>gate</i>?", "--no-open"]
        self.process = subprocess.Popen(
            [*command, *options, *words],
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for line in self.process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+/\S+/", line):
                self.address = found[0]
                break

    def end(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


@pytest.fixture
def page(browser: Browser) -> Generator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(10_000)
    yield page
    context.close()


def until(page: Page, truth: str, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not page.evaluate(truth):
        assert time.monotonic() < end, f"never came true: {truth}"
        page.wait_for_timeout(25)


def test_a_person_watches_marks_and_answers(page: Page, tmp_path: Path) -> None:
    complaints: list[str] = []
    outside: list[str] = []
    desk = Desk(tmp_path, "--minutes", "5")
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("request", lambda r: outside.append(r.url) if not r.url.startswith(desk.address) else None)
    page.goto(desk.address)
    until(page, "!document.querySelector('#desk').hidden")
    until(page, "document.querySelector('video').readyState >= 2")
    assert page.locator("h1#question").inner_text() == "Which <i>gate</i>?", "words are words, never markup"
    until(page, "/^(4:5\\d|5:00) left$/.test(document.querySelector('#timer').innerText)")

    # Watch two seconds or so.
    page.locator("[data-do=play]").click()
    until(page, "document.querySelector('video').currentTime > 1.5")
    page.locator("[data-do=play]").click()
    until(page, "document.querySelectorAll('#timeline .seen').length === 1")

    # Search, go there, take the quote.
    page.locator("#query").fill("gate two")
    page.locator("#search button[type=submit]").click()
    page.locator("#found li", has_text="The ferry now leaves").first.wait_for(timeout=90_000)
    page.locator("#found li", has_text="The ferry now leaves").get_by_role("button", name="Go to").click()
    until(page, "Math.abs(document.querySelector('video').currentTime - 5.6) < 0.01")
    page.locator("#found li", has_text="The ferry now leaves").get_by_role("button", name="Quote").click()
    assert page.locator("#start").input_value() == "5.600"

    # Draw a box over the right half of the picture, with the mouse.
    page.keyboard.press("Escape")
    page.locator("#box").click()
    stage = page.locator("#stage").bounding_box()
    scale = min(stage["width"] / 640, stage["height"] / 360)
    left = stage["x"] + (stage["width"] - 640 * scale) / 2
    top = stage["y"] + (stage["height"] - 360 * scale) / 2
    page.mouse.move(left + 320 * scale, top + 90 * scale)
    page.mouse.down()
    page.mouse.move(left + 400 * scale, top + 120 * scale)
    page.mouse.move(left + 576 * scale, top + 270 * scale)
    page.mouse.up()
    until(page, "document.querySelector('#drawn').innerText.startsWith('box at 0:05.6')")
    until(page, "document.querySelectorAll('#boxes .edge').length === 1")
    page.locator("#note").fill("the voice")
    page.locator("#evidence button[type=submit]").click()
    until(page, "document.querySelectorAll('#marks li').length === 1")
    until(page, "document.querySelectorAll('#timeline .marker').length === 1")
    page.locator("#start").fill("3")
    page.locator("#end").fill("2")
    page.locator("#evidence button[type=submit]").click()
    until(page, "document.querySelector('#trouble').innerText.includes('ends before it starts')")
    complaints[:] = [c for c in complaints if "400" not in c]  # the browser logs the refusal we asked for

    # A reload loses nothing.
    page.locator("#options label", has_text="Gate 2").locator("input").check()
    page.locator("#reason").fill("it is said")
    until(page, "fetch('state').then(r => r.json()).then(s => s.draft.reason === 'it is said')")
    page.reload()
    until(page, "!document.querySelector('#desk').hidden")
    assert page.locator("#marks li").count() == 1
    assert page.locator("#options label", has_text="Gate 2").locator("input").is_checked()
    page.locator("#answer button[type=submit]").click()
    until(page, "!document.querySelector('#between').hidden")
    assert desk.end() == 0
    assert not outside
    assert not [c for c in complaints if "ERR_CONNECTION_REFUSED" not in c], complaints

    proof = (tmp_path / "p.html").read_text()
    assert "Gate 2" in proof
    assert "the voice" in proof


def test_blank_is_asked_about_twice_and_keys_work(page: Page, tmp_path: Path) -> None:
    desk = Desk(tmp_path, "--no-search")
    page.goto(desk.address)
    until(page, "!document.querySelector('#desk').hidden && document.querySelector('video').readyState >= 2")
    assert page.locator("#search").is_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(page, "Math.abs(document.querySelector('video').currentTime - 2) < 0.01")
    page.keyboard.press("[")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    assert page.locator("#start").input_value() == "2.000"
    assert page.locator("#end").input_value() == "3.000"
    submit = page.locator("#answer button[type=submit]")
    submit.click()
    until(page, "document.querySelector('#answer .main').innerText === 'Leave it blank? It counts as wrong'")
    assert desk.process.poll() is None
    submit.click()
    until(page, "!document.querySelector('#between').hidden")
    assert desk.end() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_a_video_the_browser_cannot_play_is_shown_frame_by_frame(
    page: Page, tmp_path: Path, width: int
) -> None:
    desk = Desk(tmp_path, "--no-search")
    page.set_viewport_size({"width": width, "height": 800})
    page.route("**/video", lambda route: route.fulfill(status=200, body="no video", content_type="video/mp4"))
    page.goto(desk.address)
    until(
        page,
        "!document.querySelector('#notice').hidden && document.querySelector('#stage-still').naturalWidth > 0",
    )
    page.locator("[data-by='5']").click()
    until(page, "document.querySelector('#stage-still').src.endsWith('frame?t=5.000')")
    until(page, "document.querySelector('#stage-still').complete")
    # A moment counts once somebody stays on it.
    until(page, "fetch('state').then(r => r.json()).then(s => s.watched.some(w => w[0] === 5 && w[1] === 5))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    page.evaluate(
        "fetch('act', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{\"do\": \"answer\"}'})"
    )
    assert desk.end() == 0


def test_the_trajectory_of_a_page(page: Page, tmp_path: Path) -> None:
    """With ``--json`` of ``ask`` the whole of it can be read back."""
    words = [
        sys.executable,
        "-m",
        "proofreel",
        "ask",
        str(HARBOUR),
        "Which?",
        "--option",
        "a",
        "--option",
        "b",
    ]
    words += ["--agent", "human", "--json", "--out", "p.html"]
    process = subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    address = next(a[0] for line in process.stderr if (a := re.search(r"http://127\S+/", line)))
    page.goto(address)
    until(page, "document.querySelector('video').readyState >= 2")
    page.locator("[data-do=play]").click()
    until(page, "document.querySelector('video').currentTime > 1")
    jump = "const v = document.querySelector('video'); const t = v.currentTime; v.currentTime = 30; return t;"
    left = page.evaluate(f"(() => {{ {jump} }})()")
    until(page, "document.querySelector('video').currentTime > 30.5")
    page.locator("[data-do=play]").click()
    page.locator("#options label").first.locator("input").check()
    page.locator("#answer button[type=submit]").click()
    out, _ = process.communicate(timeout=60)
    done = Trajectory.model_validate(json.loads(out))
    assert done.answer.stop is StopReason.ANSWERED
    watched = [c.arguments for s in done.steps for c in s.calls if c.name == "watch"]
    assert len(watched) == 2, watched
    first, second = watched
    assert first["start"] < 0.2
    assert left - 0.7 < first["end"] < left + 0.1, "what was jumped over was not watched"
    assert 29.9 <= second["start"] <= 30.2
    assert second["end"] > 30.4
