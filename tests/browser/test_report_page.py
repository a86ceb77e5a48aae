"""The report page in a real browser: 100 questions, four agents, small videos inside the page."""

import json
import time
from pathlib import Path

import pytest
from tests.report.made_report import AGENTS, make_agent_run, make_set

from proofreel.report.run_page import Written, write_run_report
from proofreel.runs.numbers_load import load_run

LOADED = "document.querySelector('#video').readyState >= 2 && !document.querySelector('#video').seeking"
TIME = "document.querySelector('#video').currentTime"
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    place = tmp_path_factory.mktemp("report #1")
    data = make_set(place / "data", questions=100, videos=10)
    for agent, right in zip(AGENTS, (0.3, 0.5, 0.35, 0.6), strict=True):
        make_agent_run(place / agent, data, agent, right)
    runs = [load_run(place / a, probe_videos=False) for a in AGENTS]
    return write_run_report(runs, place / "out", figures=False)


def at_rest(v, question: int = 0, run: int = 0) -> None:
    v.page.evaluate(f"location.hash = 'questions/{question}/{run}'")
    v.until(f"document.querySelectorAll('#panel .pick')[{run}]?.getAttribute('aria-pressed') === 'true'")
    v.until(LOADED)


def test_a_hundred_questions_by_four_agents_open_at_once(visit, written: Written) -> None:
    size = written.page.stat().st_size / 1e6
    began = time.monotonic()
    v = visit(written.page)
    seconds = time.monotonic() - began
    print(f"page {size:.1f} MB, ready after {seconds:.2f} s")
    assert size < 8
    assert seconds < 6, "a page of this size must be ready at once, even on a busy machine"
    assert v.page.locator("article.run").count() == 4
    assert v.page.locator("#list button").count() == 0, "questions are listed when they are looked at"
    v.page.get_by_role("link", name="Questions").click()
    v.until("document.querySelectorAll('#list button').length === 100")
    v.assert_clean()
    assert len([u for u in v.requests if u.startswith("file:")]) == 1, "nothing but the page itself"


def test_a_step_moves_the_player_and_draws_its_boxes(visit, written: Written) -> None:
    v = visit(written.page)
    at_rest(v, 0, 3)
    v.page.locator("#step-8 summary").click()  # the fourth look: 11 to 14 s
    v.until(f"Math.abs({TIME} - 11) < 0.05 && {LOADED}")
    assert v.page.locator("#timeline .moment").count() == 1
    assert v.page.locator("#timeline .seen").count() == 2, "all frames seen, and those of this step on top"
    assert v.page.locator("#step-8[aria-current=step]").count() == 1
    v.page.evaluate("document.querySelector('#video').currentTime = 12.2")
    v.until("document.querySelectorAll('#boxes .edge').length === 1")
    box = v.page.evaluate(
        "(() => { const e = document.querySelector('#boxes .edge'), s = document.querySelector('#stage');"
        "return [Number(e.getAttribute('x')) / s.clientWidth, Number(e.getAttribute('y')) / s.clientHeight]; })()"
    )
    assert box == pytest.approx([0.25, 0.35], abs=0.02)  # 0.1 + 0.05 * 3 from the left, 0.35 from the top
    assert "Observations" in v.page.locator("#step-8 pre").inner_text()
    v.assert_clean()


def test_agents_are_switched_and_judged(visit, written: Written) -> None:
    v = visit(written.page)
    data = json.loads(v.page.locator("#report-data").inner_text())
    place = next(
        n for n, q in enumerate(data["questions"]) if {c["e"] for c in q["cells"]} == {"right", "wrong"}
    )
    right = next(n for n, c in enumerate(data["questions"][place]["cells"]) if c["e"] == "right")
    wrong = next(n for n, c in enumerate(data["questions"][place]["cells"]) if c["e"] == "wrong")
    at_rest(v, place, right)
    assert v.page.locator(".judged h3").inner_text() == "Verdict: right"
    assert v.page.locator(".marker").count() == 1
    assert v.page.locator(".milestones li").count() == 2
    v.page.keyboard.press(str(wrong + 1))
    v.until("document.querySelector('.judged h3').textContent === 'Verdict: wrong'")
    assert "cites none" in v.page.locator(".evidence-list h3").inner_text()
    v.page.locator(".judged .chip", has_text="0:04.0 to 0:09.0").click()
    v.until(f"Math.abs({TIME} - 4) < 0.05")
    v.assert_clean()


def test_search_and_filters(visit, written: Written) -> None:
    v = visit(written.page)
    v.page.keyboard.press("/")
    v.until("document.activeElement.id === 'search'")
    v.page.keyboard.type("mark 77")
    v.until("document.querySelectorAll('#list button').length === 1")
    assert v.page.locator("#found").inner_text() == "1 of 100 questions"
    v.page.locator("#search").fill("")
    data = json.loads(v.page.locator("#report-data").inner_text())
    rights = sum(q["cells"][1]["e"] == "right" for q in data["questions"])
    v.page.locator("#filter-run").select_option("1")
    v.page.locator("#filter-ending").select_option("right")
    v.until(f"document.querySelectorAll('#list button').length === {rights}")
    v.page.locator("#filter-label").select_option("difficulty: hard")
    hard = sum(q["cells"][1]["e"] == "right" and "difficulty: hard" in q["labels"] for q in data["questions"])
    v.until(f"document.querySelectorAll('#list button').length === {hard}")


def test_everything_by_keyboard(visit, written: Written) -> None:
    v = visit(written.page)
    at_rest(v, 0, 0)
    v.page.keyboard.press("]")
    v.until("location.hash.startsWith('#questions/1/')")
    v.until(LOADED)
    v.page.keyboard.press("ArrowDown")
    v.until("document.querySelector('#step-1[aria-current=step]') !== null")
    v.until(f"Math.abs({TIME} - 2) < 0.05")
    v.page.keyboard.press("ArrowDown")
    v.until("document.querySelector('#step-2[aria-current=step]') !== null")
    v.page.keyboard.press("ArrowRight")
    v.until("document.querySelector('.moments button[aria-current]') !== null")
    v.page.keyboard.press(" ")
    v.until("!document.querySelector('#video').paused")
    v.page.keyboard.press(" ")
    v.until("document.querySelector('#video').paused")
    v.page.keyboard.press("[")
    v.until("location.hash.startsWith('#questions/0/')")
    v.page.keyboard.press("Escape")
    v.until("location.hash === '#questions'")
    v.assert_clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_fits_both_widths_and_both_schemes(visit, written: Written, width: int, scheme: str) -> None:
    v = visit(written.page, width=width, height=860, color_scheme=scheme)
    for place in ("overview", "questions", "questions/4/3", "tables", "settings"):
        v.page.evaluate(f"location.hash = '{place}'")
        v.page.wait_for_timeout(250)
        assert v.page.evaluate(WIDTH) <= width, place
    v.assert_clean()


def test_figures_are_drawn_for_the_page_and_have_text(visit, written: Written) -> None:
    v = visit(written.page)
    v.page.evaluate("location.hash = 'tables'")
    kinds = set()
    for figure in v.page.locator("#view-tables .figure").all():
        figure.scroll_into_view_if_needed()
        name = figure.get_attribute("data-figure")
        v.until(f"document.querySelector('#view-tables [data-figure=\"{name}\"] svg text') !== null")
        kinds.add(
            v.page.evaluate(
                f"JSON.parse(document.getElementById('report-data').textContent).figures['{name}'].plot.kind"
            )
        )
    assert {"bars", "grouped_bars", "stacks", "scatter", "radar", "intervals", "histogram"} <= kinds
    broken = v.page.evaluate(
        "[...document.querySelectorAll('.chart *')].filter(n => /NaN|Infinity/.test(n.outerHTML)).length"
    )
    assert broken == 0
    v.assert_clean()


def test_without_room_videos_are_linked_and_a_gone_one_is_told(
    visit, written: Written, tmp_path: Path
) -> None:
    place = tmp_path / "far"
    data = make_set(place / "data", questions=2, videos=1)
    make_agent_run(place / "run", data, "avp", 1.0, looks=2)
    page = write_run_report([load_run(place / "run")], place / "out", embed_mb=0, figures=False).page
    v = visit(page)
    assert not [u for u in v.requests if u.endswith(".mp4")], "no video is asked for before somebody looks"
    at_rest(v)
    v.until("document.querySelector('#video').getAttribute('src') === '../data/videos/video0.mp4'")
    assert "Open video0.mp4" in v.page.locator(".file a").inner_text()
    v.assert_clean()
    (data / "videos/video0.mp4").unlink()
    v = visit(page)
    v.page.evaluate("location.hash = 'questions/0/0'")
    v.until("!document.querySelector('#notice').hidden")
    assert "could not be loaded" in v.page.locator("#notice").inner_text()
    assert v.page.locator("#stage-still").is_visible(), "the poster stands in"
    v.page.locator("#step-2 summary").click()
    v.assert_clean(missing_video=True)
