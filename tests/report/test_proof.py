import base64
import hashlib
import html
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from tests.report.proof_sample import (
    ABSTAINED,
    ANSWERED,
    BEFORE,
    GATE_BOX,
    GATE_TIME,
    HARBOUR,
    PAGE,
    QUESTION,
    SAID,
    speech,
    trajectory,
    window,
)

from proofreel.core import Answer, Evidence, Provenance, Question, StopReason
from proofreel.report import ReportError, write_proof
from proofreel.video import At, read_frames


class Parts(HTMLParser):
    """Every address, script and style of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str, str]] = []
        self.blocks: dict[str, list[str]] = {"script": [], "style": []}
        self.policy = ""
        self._open: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {k: v or "" for k, v in attrs}
        self.addresses += [
            (tag, k, v) for k, v in values.items() if k in ("src", "href", "srcset", "action", "poster")
        ]
        assert "style" not in values, "the content policy forbids inline style attributes"
        assert not [k for k in values if k.startswith("on")], "the content policy forbids inline handlers"
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag in self.blocks:
            self._open = tag
            self.blocks[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = None if tag == self._open else self._open

    def handle_data(self, data: str) -> None:
        if self._open:
            self.blocks[self._open][-1] += data

    @property
    def data(self) -> dict:
        return json.loads(self.blocks["script"][0])


def parts(path: Path) -> Parts:
    return Parts(path.read_text(encoding="utf-8"))


def still_of(path: Path, n: int) -> np.ndarray:
    card = path.read_text().split(f'id="evidence-{n}"')[1]
    data = re.search(r"data:image/jpeg;base64,([^\"]+)", card)
    assert data
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data[1]))).convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("proof") / "deep" / "proof.html"
    return write_proof(ANSWERED, QUESTION, HARBOUR, out, frames_seen=[9.0, 12.0, 20.0], waveform=[0.1, 0.9])


def test_page_refers_to_nothing_but_its_video(page: Path) -> None:
    p = parts(page)
    outside = [a for a in p.addresses if not a[2].startswith(("data:image/jpeg;base64,", "#"))]
    assert outside == [("video", "src", HARBOUR.as_uri())]
    text = page.read_text()
    assert "http:" not in text and "https:" not in text and "@import" not in text
    assert list(page.parent.iterdir()) == [page], "no temporary file may stay behind"


def test_policy_allows_only_the_inlined_script_and_style(page: Path) -> None:
    p = parts(page)
    rules = dict(r.strip().split(" ", 1) for r in p.policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules["img-src"].split()) == {"data:", "blob:"}
    assert set(rules["media-src"].split()) <= {"'self'", "data:", "blob:", "file:"}
    for kind, text in (("script-src", p.blocks["script"][1]), ("style-src", p.blocks["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"


def test_still_is_the_frame_with_its_box(page: Path) -> None:
    frame = read_frames(HARBOUR, At([GATE_TIME]), height=360).images[0].astype(int)
    number = next(i["n"] for i in parts(page).data["items"] if i["boxes"])
    still = still_of(page, number)
    assert still.shape == frame.shape
    height, width = frame.shape[:2]
    x0, y0, x1, y1 = (round(v * s) for v, s in zip(GATE_BOX, (width, height, width, height), strict=True))
    teal = np.array([95, 224, 210])
    for x, y in ((x0, (y0 + y1) // 2), (x1, (y0 + y1) // 2), ((x0 + x1) // 2, y0), ((x0 + x1) // 2, y1)):
        near = still[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3)
        assert np.abs(near - teal).sum(1).min() < 60, f"no edge of the box at {x},{y}"
    changed = np.abs(still - frame).max(2) > 90
    assert not changed[: y0 - 12].any() and not changed[:, : x0 - 12].any(), "drawn outside the box"
    assert not changed[y0 + 12 : y1 - 12, x0 + 12 : x1 - 12].any(), "drawn over what the box marks"


def test_clips_show_their_moment_and_play(page: Path) -> None:
    data = parts(page).data
    assert data["clips"], "no clip embedded"
    for item in data["items"]:
        clip = data["clips"][item["clip"]]
        assert clip["start"] <= item["best"] <= clip["end"], "the clip misses the moment it is for"
        assert 3.0 <= clip["end"] - clip["start"] <= 8.0
    clip = data["clips"][next(i["clip"] for i in data["items"] if i["boxes"])]
    with av.open(io.BytesIO(base64.b64decode(clip["data"]))) as video:
        assert abs(video.duration / 1e6 - (clip["end"] - clip["start"])) < 0.2
        assert video.streams.video[0].codec_context.name == "h264" and video.streams.video[0].height == 360
        assert video.streams.audio, "the clip of spoken evidence needs its sound"
        shown = next(f for f in video.decode(video=0) if f.time + clip["start"] >= GATE_TIME).to_ndarray(
            format="rgb24"
        )
    frame = read_frames(HARBOUR, At([GATE_TIME]), height=360).images[0]
    assert np.abs(shown.astype(int) - frame).mean() < 6, "the clip shows another moment"


def test_data_carries_times_boxes_and_sources(page: Path) -> None:
    data = parts(page).data
    by_source = {(i["source"], i["start"]): i for i in data["items"]}
    assert [i["start"] for i in data["items"]] == sorted(i["start"] for i in data["items"])
    assert by_source["screen", 17.2]["boxes"] == [{"t": GATE_TIME, "box": list(GATE_BOX)}]
    assert by_source["speech", 17.6]["end"] == 21.9
    assert data["lead"] == by_source["screen", 17.2]["n"], "the page must open on what the agent named first"
    assert data["seen"] == [9.0, 12.0, 20.0] and data["wave"] == [0.1, 0.9]
    with av.open(str(HARBOUR)) as video:
        assert data["known"] and abs(data["duration"] - video.duration / 1e6) < 0.1


def test_equal_pictures_are_embedded_once(tmp_path: Path) -> None:
    twice = (
        speech(19.0, 21.0, "gate two"),
        speech(19.0, 21.0, "the ferry to Dublin"),
        speech(19.0, 21.0, "gate two"),
    )
    out = write_proof(trajectory(Answer(value="2", evidence=twice)), QUESTION, HARBOUR, tmp_path / "p.html")
    data = parts(out).data
    assert [i["words"] for i in data["items"]] == ["gate two", "the ferry to Dublin"], (
        "equal evidence stands once"
    )
    assert out.read_text().count("data:image/jpeg") == 1 and "Same picture as" in out.read_text()
    assert len(data["clips"]) == 1 and {i["clip"] for i in data["items"]} == {"c1"}


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    nasty = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028&amp;{{ 7*7 }}'\""
    evidence = speech(19.0, 20.0, nasty).model_copy(update={"note": nasty})
    step = ANSWERED.steps[0].model_copy(update={"text": nasty})
    run = ANSWERED.model_copy(
        update={
            "answer": Answer(value=nasty, reason=nasty, evidence=(evidence,)),
            "steps": (step,),
            "agent": nasty,
        }
    )
    question = Question.ask(nasty, str(HARBOUR), (nasty, "b"))
    out = write_proof(run, question, HARBOUR, tmp_path / "p.html", embed_clips=False)
    p = parts(out)
    assert len(p.blocks["script"]) == 2, "a string of the trajectory opened a script"
    assert p.data["items"][0]["words"] == nasty
    assert "<script>alert" not in out.read_text() and "<img src=x" not in out.read_text()
    assert out.read_text().count(html.escape("</script><script>alert(1)")) >= 6
    assert "49" not in re.findall(r"<h1[^>]*>(.*?)</h1>", out.read_text(), re.S)[0]


@pytest.mark.parametrize("stop", [s for s in StopReason if s not in (StopReason.ANSWERED, StopReason.FORCED)])
def test_what_is_not_an_answer_never_looks_like_one(tmp_path: Path, stop: StopReason) -> None:
    run = trajectory(
        Answer(value="Gate 2", letter="B", stop=stop, abstained=stop is StopReason.ABSTAINED), steps=()
    )
    out = write_proof(run, QUESTION, HARBOUR, tmp_path / "p.html", embed_clips=False)
    text = out.read_text()
    assert "(chosen)" not in text and 'class="chosen"' not in text
    value = re.search(r'<p class="value"[^>]*>(.*?)</p>', text, re.S)
    assert value and value[1].startswith("No answer")


def test_abstention_says_what_was_searched(tmp_path: Path) -> None:
    text = write_proof(ABSTAINED, QUESTION, HARBOUR, tmp_path / "p.html").read_text()
    searched = text.split("What was searched")[1].split("</ul>")[0]
    assert "search_clips" in searched and "query=board" in searched and "failed: retry exhausted" in searched
    assert "3 frames of the video were looked at" in searched
    assert "Nothing was found that could serve as evidence." in text


def test_uncited_findings_are_not_passed_off_as_proof(tmp_path: Path) -> None:
    run = trajectory(Answer(value="Gate 2", letter="B"))
    text = write_proof(run, QUESTION, HARBOUR, tmp_path / "p.html", embed_clips=False).read_text()
    assert "the agent cites none of them" in text and "Cited by the agent" not in text


def test_limit_keeps_what_the_agent_named_first(tmp_path: Path) -> None:
    out = write_proof(ANSWERED, QUESTION, HARBOUR, tmp_path / "p.html", embed_clips=False, max_evidence=2)
    # By time the three are BEFORE, GATE, SAID: numbers 1, 2, 3; the agent named BEFORE last.
    assert [i["n"] for i in parts(out).data["items"]] == [2, 3]
    assert "1 more piece of evidence not shown" in out.read_text()


def test_evidence_without_time_has_a_card_but_no_marker(tmp_path: Path) -> None:
    run = trajectory(Answer(value="Gate 2", evidence=(PAGE, BEFORE)))
    out = write_proof(run, QUESTION, HARBOUR, tmp_path / "p.html")
    web = parts(out).data["items"][-1]
    assert web["source"] == "web" and web["start"] is None and web["clip"] is None
    assert "no time" in out.read_text().split(f'id="evidence-{web["n"]}"')[1]


@pytest.mark.parametrize("content", [None, b"", b"not a video"])
def test_unreadable_video_gives_a_page_that_says_so(tmp_path: Path, content: bytes | None) -> None:
    video = tmp_path / "lost.mp4"
    if content is not None:
        video.write_bytes(content)
    out = write_proof(ANSWERED, QUESTION, video, tmp_path / "p.html")
    assert "The video could not be read when this page was written" in out.read_text()
    data = parts(out).data
    assert not data["known"] and data["clips"] == {} and data["duration"] == 25.4  # end of the last window


def test_moment_past_the_end_shows_nothing_in_its_place(tmp_path: Path) -> None:
    late = Evidence(window=window(400.0, 404.0), provenance=Provenance(claimed_by="model"))
    out = write_proof(
        trajectory(Answer(value="x", evidence=(late, SAID))), QUESTION, HARBOUR, tmp_path / "p.html"
    )
    said, past = parts(out).data["items"]
    assert (said["start"], said["clip"], past["start"], past["clip"]) == (17.6, "c1", 400.0, None)
    assert "Evidence 2 lies after the end of the video" in out.read_text()
    assert out.read_text().count("data:image/jpeg") == 1


def test_failed_write_leaves_the_old_page(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    with pytest.raises(ReportError, match=r"taken: the proof page cannot be written"):
        write_proof(ABSTAINED, QUESTION, HARBOUR, folder)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReportError, match="choose another path"):
        write_proof(ABSTAINED, QUESTION, HARBOUR, tmp_path / "file" / "p.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "taken"]


def test_package_import_is_light() -> None:
    heavy = ["av", "numpy", "jinja2", "rich", "inspect_ai"]
    code = f"import sys, proofreel.report; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_a_restless_video_still_gives_a_small_page(tmp_path: Path) -> None:
    """Noise does not compress: the page must come down in size and rate by itself, and keep what was named first."""
    video = tmp_path / "noise.mp4"
    noise = np.random.default_rng(7)
    with av.open(str(video), "w") as out:
        stream = out.add_stream("libx264", rate=10, options={"preset": "ultrafast", "crf": "30"})
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        for _ in range(130):
            picture = noise.integers(0, 256, (360, 640, 3), dtype=np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode(None))
    moments = tuple(speech(4.0 * i, 4.0 * i + 3.5, f"noise {i}") for i in (2, 0, 1))
    run = trajectory(Answer(value="x", evidence=moments))
    page = write_proof(run, QUESTION, video, tmp_path / "p.html")
    data = parts(page).data
    assert page.stat().st_size < 5_000_000
    assert next(i for i in data["items"] if i["n"] == data["lead"])["clip"] in data["clips"]
    missing = sum(i["clip"] is None for i in data["items"])
    assert (f"{missing} clip" in page.read_text()) == (missing > 0), "what was left out must be said"
