import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.report.proof_sample import (
    ABSTAINED,
    ANSWERED,
    GATE_BOX,
    GATE_TIME,
    HARBOUR,
    PAGE,
    QUESTION,
    speech,
    trajectory,
)

from proofreel.core import Answer, Question, StopReason
from proofreel.report import write_proof

# By time: 1 the old board (8 s), 2 the new one with a box (17.2 s), 3 the voice (17.6 s).
STARTS = {1: 8.0, 2: 17.2, 3: 17.6}
LOADED = "document.querySelector('video').readyState >= 2 && !document.querySelector('video').seeking"
TIME = "document.querySelector('video').currentTime"
PAUSED = "document.querySelector('video').paused"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page beside its video."""
    place = tmp_path_factory.mktemp("proof page #1")
    shutil.copy(HARBOUR, place / "harbour.mp4")
    seen = [x / 2 for x in range(30, 52)]
    wave = [0.2 + 0.6 * (i % 7) / 7 for i in range(120)]
    write_proof(
        ANSWERED, QUESTION, place / "harbour.mp4", place / "proof.html", frames_seen=seen, waveform=wave
    )
    write_proof(ABSTAINED, QUESTION, place / "harbour.mp4", place / "abstained.html")
    return place


def boxes(visit, n: int) -> None:
    visit.until(f"document.querySelectorAll('#boxes .edge').length === {n}")


def seek(visit, t: float) -> None:
    visit.page.evaluate(
        "t => { const v = document.querySelector('video'); v.pause(); v.currentTime = t; }", t
    )
    visit.until(f"Math.abs({TIME} - {t}) < 0.01 && {LOADED}")


def test_opens_from_disk_on_its_proof(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    assert abs(v.page.evaluate(TIME) - GATE_TIME) < 0.05, "the page must open on what the agent named first"
    assert v.page.locator("#evidence-2[aria-current=true]").count() == 1
    assert v.page.locator(".marker").count() == 3 and v.page.locator("#timeline .seen").count() == 1
    assert v.page.locator(".options .chosen").inner_text().startswith("B")
    assert v.page.locator("#notice").is_hidden()
    v.assert_clean()


def test_policy_stops_every_way_out(visit, folder: Path) -> None:
    asked: list[str] = []

    class Ear(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ear)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        v = visit(folder / "proof.html")
        blocked = v.page.evaluate(
            """async base => {
                const wait = node => new Promise(done => {
                    node.onload = () => done(0);
                    node.onerror = () => done(1);
                    document.head.append(node);
                    setTimeout(() => done(1), 1500);
                });
                const make = (tag, more) => Object.assign(document.createElement(tag), more);
                return await Promise.all([
                    fetch(base + "fetch").then(() => 0, () => 1),
                    wait(make("img", { src: base + "img" })),
                    wait(make("script", { src: base + "script" })),
                    wait(make("link", { rel: "stylesheet", href: base + "style" })),
                    wait(make("iframe", { src: base + "frame" })).then(() => 1),
                    wait(make("video", { src: base + "video" })),
                ]);
            }""",
            f"http://127.0.0.1:{server.server_port}/",
        )
    finally:
        server.shutdown()
        server.server_close()
    assert blocked == [1] * 6 and asked == []


@pytest.mark.parametrize("n", [1, 3])
def test_marker_seeks_and_plays(visit, folder: Path, n: int) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    v.page.locator(f".marker[data-n='{n}']").click()
    v.until(f"!{PAUSED} && {TIME} > {STARTS[n]}")
    assert STARTS[n] < v.page.evaluate(TIME) < STARTS[n] + 3
    assert v.page.locator(f"#evidence-{n}[aria-current=true]").count() == 1
    v.assert_clean()


def test_press_on_the_line_seeks_there(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    v.page.locator("#timeline").scroll_into_view_if_needed()
    line = v.page.locator("#timeline .track").bounding_box()
    v.page.mouse.click(line["x"] + line["width"] * 0.8, line["y"] + line["height"] - 3)
    v.until(f"Math.abs({TIME} - 0.8 * document.querySelector('video').duration) < 0.2")
    head = v.page.locator("#timeline .head line").bounding_box()
    assert abs(head["x"] + head["width"] / 2 - (line["x"] + line["width"] * 0.8)) < 2


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1280, 500), (390, 844)])
def test_box_is_drawn_where_it_is(visit, folder: Path, width: int, height: int) -> None:
    v = visit(folder / "proof.html", width, height)
    v.until(LOADED)
    seek(v, GATE_TIME)
    area = v.page.locator("#stage").bounding_box()
    # 640x360 fitted whole and centred in the stage.
    scale = min(area["width"] / 640, area["height"] / 360)
    left = area["x"] + (area["width"] - 640 * scale) / 2
    top = area["y"] + (area["height"] - 360 * scale) / 2
    x0, y0, x1, y1 = GATE_BOX
    expected = (
        left + x0 * 640 * scale,
        top + y0 * 360 * scale,
        (x1 - x0) * 640 * scale,
        (y1 - y0) * 360 * scale,
    )
    boxes(v, 1)
    edge = v.page.locator("#boxes rect.edge").bounding_box()
    # The stroke is 3 px wide and may count in the measured rectangle.
    assert (edge["x"], edge["y"], edge["width"], edge["height"]) == pytest.approx(expected, abs=3.1)
    centre = (edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2)
    assert centre == pytest.approx((expected[0] + expected[2] / 2, expected[1] + expected[3] / 2), abs=0.6)
    if height == 500:
        assert scale * 640 < area["width"] - 20, "this case is meant to have bars at the sides"


def test_box_lasts_as_long_as_its_window(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    for t, shown in ((15.0, False), (17.3, True), (25.3, True), (27.0, False)):
        seek(v, t)
        boxes(v, int(shown))


def test_keyboard(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    v.page.keyboard.press("ArrowRight")
    v.until(f"Math.abs({TIME} - {STARTS[3]}) < 0.01")
    v.page.keyboard.press("ArrowRight")  # past the last comes the first
    v.until(f"Math.abs({TIME} - {STARTS[1]}) < 0.01")
    v.page.keyboard.press("ArrowLeft")
    v.until(f"Math.abs({TIME} - {STARTS[3]}) < 0.01")
    v.page.keyboard.press("Space")
    v.until(f"!{PAUSED}")
    v.page.keyboard.press("Space")
    v.until(PAUSED)


def test_everything_is_reached_by_tab_with_a_name_and_a_visible_focus(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    stops = []
    for _ in range(30):
        v.page.keyboard.press("Tab")
        stop = v.page.evaluate(
            """() => { const e = document.activeElement; if (e === document.body) return null;
                const bar = e.querySelector && e.querySelector('.bar');
                const s = getComputedStyle(bar && e.classList.contains('marker') ? bar : e);
                return { kind: e.classList.contains('marker') ? 'marker' : e.classList.contains('track') ? 'track'
                               : e.dataset.do || e.tagName.toLowerCase(),
                         name: e.getAttribute('aria-label') || e.textContent.trim(),
                         ring: bar ? parseFloat(s.strokeWidth) > 3 : s.outlineStyle !== 'none' }; }"""
        )
        if stop is None:
            break
        stops.append(stop)
    kinds = [s["kind"] for s in stops]
    for kind in ("play", "prev", "next", "mute", "track", "marker", "button", "summary", "a"):
        assert kind in kinds, f"{kind} cannot be reached by Tab: {kinds}"
    assert kinds.count("marker") == 1, "the markers are one stop; arrows go between them"
    assert kinds.index("play") < kinds.index("marker") < kinds.index("summary")
    assert all(s["name"] for s in stops), f"a stop without a name: {stops}"
    assert all(s["ring"] for s in stops), f"a stop without a visible focus: {stops}"


def test_slider_and_marker_by_keyboard(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.until(LOADED)
    v.page.locator("#timeline .track").focus()
    v.page.keyboard.press("ArrowUp")
    v.until(f"Math.abs({TIME} - {GATE_TIME + 1}) < 0.05")
    assert v.page.locator(".track").get_attribute("aria-valuetext").startswith("0:21.0 of 0:5")
    v.page.locator(".marker[data-n='1']").focus()
    v.page.keyboard.press("Enter")
    v.until(f"!{PAUSED} && {TIME} > 8 && {TIME} < 12")


def test_abstention(visit, folder: Path) -> None:
    v = visit(folder / "abstained.html")
    answer = v.page.locator(".answer").inner_text()
    assert "Abstained" in answer and "No answer" in answer and "What was searched" in answer
    assert v.page.locator(".options .chosen").count() == 0 and v.page.locator(".marker").count() == 0
    v.page.keyboard.press("ArrowRight")  # nothing to step to
    v.assert_clean()


@pytest.mark.parametrize("clips", [True, False])
def test_moved_video(visit, tmp_path: Path, clips: bool) -> None:
    video = shutil.copy(HARBOUR, tmp_path / "v.mp4")
    page = write_proof(ANSWERED, QUESTION, video, tmp_path / "p.html", embed_clips=clips)
    Path(video).unlink()
    v = visit(page)
    v.page.wait_for_selector("#notice:not([hidden])")
    assert "could not be loaded" in v.page.locator("#notice").inner_text()
    if not clips:
        assert v.page.locator("#stage-still").is_visible() and v.page.locator("[data-do=play]").is_disabled()
        v.page.locator(".marker[data-n='1']").click()
        assert "09:15 Dublin Gate 5" in v.page.locator("#caption").inner_text()
        v.assert_clean(missing_video=True)
        return
    v.page.locator(".marker[data-n='2']").click()
    v.until(f"!{PAUSED} && {LOADED} && {TIME} > 0.2")
    assert v.page.evaluate("document.querySelector('video').currentSrc").startswith("blob:")
    boxes(v, 1)  # on the clip too
    first = v.page.evaluate("document.querySelector('video').currentSrc")
    v.page.locator(".marker[data-n='1']").click()
    v.until(f"document.querySelector('video').currentSrc !== '{first}' && {LOADED} && !{PAUSED}")
    shown = v.page.locator("#controls output").inner_text()
    assert shown.startswith(("0:08", "0:09", "0:10", "0:11", "0:12")), f"clip time is not video time: {shown}"
    v.assert_clean(missing_video=True)


def test_another_video_at_the_same_place_is_noticed(visit, tmp_path: Path) -> None:
    video = tmp_path / "v.mp4"
    shutil.copy(HARBOUR, video)
    page = write_proof(ANSWERED, QUESTION, video, tmp_path / "p.html", embed_clips=False)
    shutil.copy(HARBOUR.with_name("workshop.mp4"), video)
    v = visit(page)
    v.page.wait_for_selector("#notice:not([hidden])")
    assert "may not be the same video" in v.page.locator("#notice").inner_text()


def test_hostile_words_and_names(visit, tmp_path: Path) -> None:
    video = tmp_path / "a b #1 100% 视频 é?&<i>.mp4"
    shutil.copy(HARBOUR, video)
    nasty = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\u202e<!--"
    evidence = speech(8.0, 12.0, nasty).model_copy(update={"note": nasty})
    run = trajectory(Answer(value=nasty, reason=nasty, evidence=(evidence, PAGE)))
    page = write_proof(run, Question.ask(nasty, str(video)), video, tmp_path / "p #%.html")
    v = visit(page)
    v.until(LOADED)
    assert v.page.evaluate("window.hacked") is None
    assert v.page.locator("h1").inner_text() == nasty
    assert v.page.locator("blockquote").first.inner_text() == nasty
    assert v.page.locator(".facts bdi").inner_text() == video.name
    assert v.page.locator(".marker").get_attribute("aria-label").endswith(nasty)
    v.assert_clean()


CONTRAST = """selectors => selectors.flatMap(sel => [...document.querySelectorAll(sel)].slice(0, 2).map(e => {
    const parse = c => c.match(/[\\d.]+/g).map(Number);
    const lum = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    let under = e, back;
    do { back = parse(getComputedStyle(under).backgroundColor); under = under.parentElement; }
    while (back.length > 3 && back[3] === 0 && under);
    const [a, b] = [lum(parse(getComputedStyle(e).color)), lum(back)].sort((x, y) => y - x);
    return [sel, (a + 0.05) / (b + 0.05)];
}))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_fits_and_is_legible(visit, folder: Path, scheme: str, width: int) -> None:
    for name in ("proof.html", "abstained.html"):
        v = visit(folder / name, width, color_scheme=scheme)
        assert v.page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
        cut = v.page.evaluate(
            "[...document.querySelectorAll('.card, .answer, .hero, #screen, .reel, aside')]"
            ".filter(e => e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.className || e.id)"
        )
        assert not cut, f"cut off at the side: {cut}"
        texts = ["h1", ".stop", ".status", ".value", ".facts *", ".source", ".number", ".from", ".note", ".card .time",
                 ".gist", ".cost", ".failed", ".title code", ".heading p", "footer p", "#caption .words", "output",
                 ".options li", ".options .letter", ".searched code", ".result"]  # fmt: skip
        low = [(s, round(c, 2)) for s, c in v.page.evaluate(CONTRAST, texts) if c < 4.5]
        assert not low, f"text below 4.5:1 in {scheme}: {low}"
        v.assert_clean()


def test_steps_open_from_cards_and_together(visit, folder: Path) -> None:
    v = visit(folder / "proof.html")
    v.page.locator("#evidence-2 a[data-step='2']").click()
    step = v.page.locator("#step-2")
    assert step.evaluate("e => e.open")
    assert "top_k" in step.inner_text() and "failed: retry exhausted" in step.inner_text()
    v.page.locator("#steps-all").click()
    assert v.page.evaluate("[...document.querySelectorAll('details')].every(d => d.open)")
    assert v.page.locator("#steps-all").inner_text() == "Close all"


def test_calm_for_those_who_ask_for_it(visit, folder: Path) -> None:
    moving = "[...document.querySelectorAll('*')].filter(e => getComputedStyle(e).transitionDuration !== '0s').length"
    assert visit(folder / "proof.html", reduced_motion="reduce").page.evaluate(moving) == 0
    assert visit(folder / "proof.html", reduced_motion="no-preference").page.evaluate(moving) > 0


def test_reads_without_script(browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "proof.html").as_uri())
    text = page.inner_text("body")
    for words in (
        "Gate 2",
        "Voice and board agree.",
        "0:17.2–0:25.4",
        "The ferry to Dublin now leaves from gate two.",
    ):
        assert words in text
    assert page.locator(".still img").first.is_visible()
    context.close()


def test_failure_is_told(visit, tmp_path: Path) -> None:
    run = trajectory(Answer(stop=StopReason.MODEL_ERROR, reason="The server answered 503."))
    v = visit(write_proof(run, QUESTION, HARBOUR, tmp_path / "p.html", embed_clips=False))
    answer = v.page.locator(".answer").inner_text()
    assert "Model failed" in answer and "No answer" in answer and "The server answered 503." in answer
    v.assert_clean()
