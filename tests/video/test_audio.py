import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofreel.video import (
    BadRequest,
    DecodeTimeout,
    NoAudio,
    OutOfRange,
    UnreadableContainer,
    audio,
    read_audio,
)
from proofreel.video.audio import iter_audio
from support import shared_media

MEDIA = shared_media()
RATE = 16000
needs_media = pytest.mark.skipif(MEDIA is None, reason="the shared media folder is not here")


def _facts() -> list[dict]:
    if MEDIA is None:
        return []
    return json.loads((MEDIA / "manifest.json").read_text("utf-8"))["files"]


# The tone of variable_resolution.ts starts anew in each of its three parts: it has a test of its own.
TONES = [
    f
    for f in _facts()
    if (f.get("audio") or {}).get("tone_zero_at") is not None and f["kind"] != "variable_resolution"
]


def _tone(t: float) -> float:
    """Hz at t seconds of the recipe: second k is a sine of 400 + 50 * (k mod 32)."""
    return 400.0 + 50.0 * (int(np.floor(t)) % 32)


def _pitch(samples: np.ndarray, at: float) -> float:
    """Strongest frequency in the tenth of a second around ``at``; 0 for silence."""
    first = round((at - 0.05) * RATE)
    piece = samples[first : first + RATE // 10]
    if np.abs(piece).max() < 0.005:
        return 0.0
    power = np.abs(np.fft.rfft(piece * np.hanning(len(piece)), 8 * len(piece)))
    hertz = np.fft.rfftfreq(8 * len(piece), 1 / RATE)
    power[hertz < 350] = 0
    return float(hertz[power.argmax()])


def _check_tones(samples: np.ndarray, offset: float, zero: float, ends: float) -> int:
    """Every 50 ms away from a change, the pitch is the recipe's; silence before it starts. Number of checks."""
    checked = 0
    for at in np.arange(0.05, len(samples) / RATE - 0.05, 0.05):
        t = float(at) + offset - zero
        if t + zero > ends - 0.1 or min(t % 1, 1 - t % 1) < 0.1:
            continue
        wanted = _tone(t) if t >= 0 or zero < 0 else 0.0
        assert _pitch(samples, float(at)) == pytest.approx(wanted, abs=12), f"at {at + offset:.2f} s"
        checked += 1
    return checked


def _sound_end(path: Path) -> float:
    """Where the last audio packet ends on the container's timeline."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        ends = [p.pts + (p.duration or 0) for p in container.demux(stream) if p.pts is not None]
        return float(max(ends) * stream.time_base) - (container.start_time or 0) / 1e6


@needs_media
@pytest.mark.parametrize("fact", TONES, ids=lambda f: f["file"])
def test_every_second_of_sound_is_where_the_recipe_put_it(fact: dict) -> None:
    path = MEDIA / fact["file"]
    samples = read_audio(path)
    assert samples.dtype == np.float32 and samples.ndim == 1 and np.abs(samples).max() <= 1
    zero, ends = fact["audio"]["tone_zero_at"], min(_sound_end(path), len(samples) / RATE)
    assert _check_tones(samples, 0.0, zero, ends) >= min(40, int((ends - max(zero, 0)) * 10))
    span = len(samples) / RATE
    start, end = span * 0.55, span * 0.95
    window = read_audio(path, start, end)
    assert len(window) == round((end - start) * RATE)
    _check_tones(window, start, zero, ends)


@needs_media
def test_length_is_the_files() -> None:
    assert len(read_audio(MEDIA / "audio_late.mp4")) == 8 * RATE  # video to 8 s, sound from 1.5 to 7.5 s
    assert len(read_audio(MEDIA / "audio_only.m4a")) == 12 * RATE
    assert len(read_audio(MEDIA / "wrong_duration_x3.mkv")) / RATE == pytest.approx(
        8.03, abs=0.05
    )  # header: 24 s
    assert len(read_audio(MEDIA / "audio_late.mp4", 7.0, 100.0)) == RATE
    assert len(read_audio(MEDIA / "audio_late.mp4", 2.0, 2.0)) == 0


@needs_media
def test_parts_with_their_own_clocks_follow_each_other() -> None:
    samples = read_audio(MEDIA / "variable_resolution.ts")
    for part in range(3):
        for second in range(4):
            assert _pitch(samples, 4.0 * part + second + 0.5) == pytest.approx(_tone(second), abs=12)


@needs_media
@pytest.mark.parametrize("name", ["audio_late.mp4", "start_10h.ts", "audio_5_1.mkv", "fragmented.mp4"])
def test_chunks_are_the_same_samples(name: str) -> None:
    whole = read_audio(MEDIA / name, 0.4, 6.9)
    chunks = list(iter_audio(MEDIA / name, 0.75, start=0.4, end=6.9))
    assert [len(c) for c in chunks[:-1]] == [12000] * (len(chunks) - 1) and 0 < len(chunks[-1]) <= 12000
    assert np.array_equal(np.concatenate(chunks), whole)
    assert np.array_equal(read_audio(MEDIA / name, 0.4, 6.9, isolate=False), whole)


@needs_media
def test_centre_channel_is_kept_above_the_others() -> None:
    samples = read_audio(MEDIA / "audio_5_1.mkv", 2.2, 2.9)
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1 / RATE)
    tone = power[np.abs(hertz - 500) < 20].sum()
    assert tone > 0.2 * power.sum()
    assert np.abs(samples).max() > 0.02


@needs_media
def test_real_speech_reads() -> None:
    samples = read_audio(MEDIA / "real_extra" / "jfk_1961.flac")
    assert len(samples) / RATE == pytest.approx(11.0, abs=0.01)
    assert 0.01 < float(np.sqrt((samples**2).mean())) < 0.5


@needs_media
def test_no_audio_is_a_typed_answer() -> None:
    with pytest.raises(NoAudio, match=r"no_audio\.mp4: has no audio track"):
        read_audio(MEDIA / "no_audio.mp4")


@needs_media
@pytest.mark.parametrize(
    ("name", "start"), [("audio_late.mp4", 8.0), ("audio_only.m4a", 50.0), ("start_10h.ts", 8.5)]
)
def test_start_past_the_end(name: str, start: float) -> None:
    with pytest.raises(OutOfRange, match=rf"{name}: sound asked from {start:.3f} s, but the file ends at"):
        read_audio(MEDIA / name, start)


@needs_media
@pytest.mark.parametrize(
    "name", ["text_as.mp4", "empty.mp4", "moov_missing.mp4", "not_there.mp4", "real_extra"]
)
def test_what_is_no_media(name: str) -> None:
    with pytest.raises(UnreadableContainer, match=name):
        read_audio(MEDIA / name)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 2, "end": 1},
        {"start": float("nan")},
        {"start": -1},
        {"end": float("inf")},
        {"rate": 0},
        {"rate": 16000.5},
        {"timeout": 0},
    ],
)
def test_bad_requests_are_refused_before_the_file_is_touched(wrong: dict) -> None:
    with pytest.raises(BadRequest) as caught:
        read_audio("/nowhere/at/all.mp4", **wrong)
    assert "\n" not in str(caught.value)
    with pytest.raises(BadRequest):
        iter_audio("/nowhere/at/all.mp4", **wrong)
    with pytest.raises(BadRequest):
        iter_audio("/nowhere/at/all.mp4", chunk_seconds=0)


def _write(
    path: Path,
    samples: np.ndarray,
    codec: str,
    rate: int,
    late: float = 0.0,
    channels: int = 1,
    options: dict[str, str] | None = None,
) -> Path:
    """One audio track of int16 ``samples`` [n] or [n, channels], starting ``late`` seconds after 0."""
    layout = "mono" if channels == 1 else "stereo"
    with av.open(str(path), "w", options=options or {}) as container:
        stream = container.add_stream(codec, rate=rate, layout=layout)
        for at in range(0, len(samples), 1152):
            block = np.ascontiguousarray(samples[at : at + 1152].reshape(1, -1))
            frame = av.AudioFrame.from_ndarray(block, format="s16", layout=layout)
            frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
            frame.pts = at + round(late * rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    samples = np.random.default_rng(5).integers(-20000, 20000, 12 * RATE).astype(np.int16)
    return _write(tmp_path_factory.mktemp("pcm") / "noise.mov", samples, "pcm_s16le", RATE), samples


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 11.9), st.floats(0, 13))
def test_any_window_of_uncompressed_sound_is_exact(
    noise: tuple[Path, np.ndarray], start: float, length: float
) -> None:
    path, truth = noise
    end = start + length
    first = round(start * RATE)
    wanted = truth[first : first + round((min(end, 12.0) - start) * RATE)] / 32768
    got = read_audio(path, start, end)
    assert abs(len(got) - len(wanted)) <= 1
    size = min(len(got), len(wanted))
    assert np.allclose(got[:size], wanted[:size], atol=2e-7)


def test_late_track_is_silent_first(tmp_path: Path) -> None:
    truth = np.full(RATE, 8000, np.int16)
    other = _write(tmp_path / "a.mka", truth, "pcm_s16le", RATE, late=0.0)
    with av.open(str(tmp_path / "late.mkv"), "w") as out, av.open(str(other)) as source:
        picture = out.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
        picture.width = picture.height = 64
        picture.pix_fmt = "yuv420p"
        sound = out.add_stream_from_template(source.streams.audio[0])
        for number in range(30):
            frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            out.mux(picture.encode(frame))
        out.mux(picture.encode(None))
        for packet in source.demux():
            if packet.pts is not None:
                packet.pts = packet.dts = packet.pts + round(Fraction(5, 4) / packet.time_base)
                packet.stream = sound
                out.mux(packet)
    samples = read_audio(tmp_path / "late.mkv")
    assert len(samples) == 3 * RATE
    loud = np.flatnonzero(samples > 0.1)
    assert loud[0] / RATE == pytest.approx(1.25, abs=0.002) and loud[-1] / RATE == pytest.approx(
        2.25, abs=0.002
    )
    assert not samples[: loud[0]].any() and not samples[loud[-1] + 1 :].any()


def test_sum_of_channels_does_not_clip(tmp_path: Path) -> None:
    both = np.full((RATE, 2), 32767, np.int16)
    samples = read_audio(_write(tmp_path / "s.mov", both, "pcm_s16le", RATE, channels=2))
    assert samples[100:-100].min() > 0.99 and samples.max() <= 1.0


def test_damaged_packets_cost_only_themselves(tmp_path: Path) -> None:
    rate = 44100
    at = np.arange(10 * rate)
    pitch = 400 + 50 * (at // rate % 32)
    tone = (9000 * np.sin(2 * np.pi * np.cumsum(pitch) / rate)).astype(np.int16)
    path = _write(tmp_path / "t.ts", tone, "mp2", rate)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 188 * 188
    for packet in range(middle, middle + 12 * 188, 188):
        data[packet + 8 : packet + 180] = b"\xff" * 172
    path.write_bytes(data)
    samples = read_audio(path)
    assert len(samples) / RATE == pytest.approx(10.0, abs=0.1)
    right = [abs(_pitch(samples, s + 0.5) - 400 - 50 * s) < 12 for s in range(10)]
    assert right.count(False) <= 1 and all(right[:4]) and all(right[6:])


def test_programme_that_turns_up_late_disturbs_nothing(tmp_path: Path) -> None:
    tone = (9000 * np.sin(2 * np.pi * 500 * np.arange(200 * 44100) / 44100)).astype(np.int16)
    first = _write(tmp_path / "a.ts", tone, "mp2", 44100)
    other = {"mpegts_start_pid": "0x300", "mpegts_service_id": "2", "mpegts_pmt_start_pid": "0x1100"}
    second = _write(tmp_path / "b.ts", tone[: 3 * 44100], "mp2", 44100, late=190.0, options=other)
    head, tail = first.read_bytes(), second.read_bytes()
    cut = len(head) * 19 // 20 // 188 * 188  # later than what is looked at to find the tracks
    (tmp_path / "ab.ts").write_bytes(head[:cut] + tail + head[cut:])
    samples = read_audio(tmp_path / "ab.ts", 180, 199)
    assert [round(_pitch(samples, at)) for at in (0.5, 9.0, 11.5, 18.5)] == pytest.approx([500] * 4, abs=5)


def test_twenty_minutes_are_read_in_bounded_memory(tmp_path: Path) -> None:
    long = _write(tmp_path / "h.flac", np.zeros(1200 * RATE, np.int16), "flac", RATE)
    code = (
        "import resource, sys\n"
        "from proofreel.video.audio import iter_audio\n"
        "use = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "first = next(iter_audio(sys.argv[1], isolate=False)); before = use()\n"
        "total = sum(len(c) for c in iter_audio(sys.argv[1], isolate=False))\n"
        "print(total, (use() - before) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(long)], capture_output=True, text=True, check=True)
    total, grown_mib = map(int, done.stdout.split())
    assert total == 1200 * RATE
    assert grown_mib < 30  # all of it at once would be 73 MiB


def test_sound_that_does_not_fit_is_refused(
    noise: tuple[Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audio, "_MEMORY_SHARE", 1e-9)
    with pytest.raises(BadRequest, match=r"noise\.mov: the sound does not fit in memory; use iter_audio"):
        read_audio(noise[0])


def test_time_limit_ends_the_work(noise: tuple[Path, np.ndarray]) -> None:
    with pytest.raises(DecodeTimeout, match="not decoded within"):
        read_audio(noise[0], timeout=1e-6)
    assert len(read_audio(noise[0], 0, 1)) == RATE  # and the next request is served
