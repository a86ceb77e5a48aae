import io
from fractions import Fraction
from importlib import util
from pathlib import Path
from types import ModuleType

import av
import numpy as np
import pytest

from proofreel.video import (
    At,
    BadRequest,
    NoVideoStream,
    OutOfRange,
    Rate,
    cut_clip,
    probe,
    read_audio,
    read_frames,
)
from proofreel.video.clip import transcode_under
from support import need_shared_media, shared_media

MEDIA = shared_media()


@pytest.fixture(scope="module")
def marker() -> ModuleType:
    """The reader of the frame numbers burnt into the test videos."""
    spec = util.spec_from_file_location("marker", need_shared_media() / "marker.py")
    assert spec is not None and spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shown(clip: Path, marker: ModuleType) -> tuple[list[int], np.ndarray]:
    """The burnt-in numbers of all frames of a clip, and their times."""
    frames = read_frames(clip, Rate(5000))
    return [marker.read_index(image) for image in frames.images], frames.times


@pytest.mark.parametrize(
    ("name", "start", "end", "first"),
    [
        ("h264_cfr30_gop250_b3.mp4", 3.02, 4.0, 90),  # frame 90 is shown from 3.000 to 3.033 s
        ("rot90.mp4", 1.0, 1.5, 30),
        ("copycut_editlist.mp4", 2.0, 3.0, 189),  # cut at 4.3 s of a 30 fps video: 0 is frame 129
        ("start_10h.ts", 4.03, 5.0, 100),  # frame 100 is shown from 4.011 s
        ("audio_late.mp4", 1.0, 3.0, 30),
        ("sar_4_3_anamorphic.mp4", 1.0, 2.0, 25),
        ("two_hours_static.mp4", 6000.2, 6002.0, 12000),
    ],
)
def test_window_is_exact(
    name: str, start: float, end: float, first: int, marker: ModuleType, tmp_path: Path
) -> None:
    source = need_shared_media() / name
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(source, start, end))
    numbers, times = _shown(clip, marker)
    assert numbers == list(range(first, first + len(numbers)))
    info, before = probe(clip), probe(source)
    step = 1 / before.fps
    assert info.duration == pytest.approx(end - start, abs=step)
    assert abs(len(numbers) - (end - start) / step) <= 1.01
    assert times[0] == 0 and np.allclose(np.diff(times)[1:], step, atol=0.002)
    assert info.has_audio == before.has_audio and info.rotation == 0
    assert (info.width, info.height) == (before.width, before.height)
    assert marker.tiles_ok(read_frames(clip, At([0])).images[0])


def test_rate_and_height(marker: ModuleType, tmp_path: Path) -> None:
    clip = tmp_path / "c.mp4"
    clip.write_bytes(
        cut_clip(need_shared_media() / "h264_cfr30_gop250_b3.mp4", 2.0, 5.0, fps=4, height=99, audio=False)
    )
    numbers, times = _shown(clip, marker)
    # 2.00, 2.25, 2.50 ... at 30 frames a second: the last frame not after each
    assert numbers == [60, 67, 75, 82, 90, 97, 105, 112, 120, 127, 135, 142]
    assert np.allclose(times, np.arange(12) / 4, atol=1e-4)
    info = probe(clip)
    assert (info.width, info.height, info.has_audio) == (174, 98, False) and info.fps == pytest.approx(4)
    assert info.duration == pytest.approx(3.0, abs=0.01)


def test_a_frame_each_forty_minutes(marker: ModuleType, tmp_path: Path) -> None:
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(need_shared_media() / "two_hours_static.mp4", 0, 7200, fps=1 / 2400))
    numbers, times = _shown(clip, marker)
    assert numbers == [0, 4800, 9600] and np.allclose(times, [0, 2400, 4800])
    assert probe(clip).duration == pytest.approx(7200, abs=0.1)


def test_variable_rate_keeps_its_times(marker: ModuleType, tmp_path: Path) -> None:
    source = need_shared_media() / "h264_vfr_slides.mkv"  # a slide a second, then 60 frames a second
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(source, 17.5, 20.5))
    numbers, times = _shown(clip, marker)
    truth = read_frames(source, Rate(5000, 17.5, 20.5))
    assert numbers == truth.indices.tolist()
    assert times[0] == 0 and np.allclose(times[1:], truth.times[1:] - 17.5, atol=0.001)
    assert probe(clip).duration == pytest.approx(3.0, abs=0.02)


def test_sound_goes_along_in_time(tmp_path: Path) -> None:
    def pitch(samples: np.ndarray, at: float) -> float:
        piece = samples[round((at - 0.1) * 16000) : round((at + 0.1) * 16000)]
        power = np.abs(np.fft.rfft(piece * np.hanning(len(piece)), 65536))
        return float(power.argmax() * 16000 / 65536) if np.abs(piece).max() > 0.01 else 0.0

    data = cut_clip(need_shared_media() / "audio_late.mp4", 0.5, 4.25, fps=2)
    clip = tmp_path / "c.mp4"
    clip.write_bytes(data)
    with av.open(str(clip)) as made:
        (sound,) = made.streams.audio
        assert (sound.codec_context.name, sound.codec_context.layout.name) == ("aac", "mono")
        assert float(sound.duration * sound.time_base) == pytest.approx(3.75, abs=0.05)
    # The tone starts at 1.5 s with 400 Hz and rises by 50 Hz each second; the clip starts at 0.5 s.
    samples = read_audio(clip)
    assert [round(pitch(samples, at)) for at in (0.5, 1.5, 2.5, 3.5)] == pytest.approx(
        [0, 400, 450, 500], abs=12
    )
    onset = np.flatnonzero(np.abs(samples) > 0.05)[0] / 16000
    assert onset == pytest.approx(1.0, abs=0.05)


def test_same_bytes_each_time_and_index_in_front() -> None:
    source = need_shared_media() / "audio_5_1.mkv"
    data = cut_clip(source, 1.0, 2.5, height=90)
    assert cut_clip(source, 1.0, 2.5, height=90) == data
    assert 0 < data.find(b"moov") < data.find(b"mdat")
    with av.open(io.BytesIO(data)) as made:
        context = made.streams.video[0].codec_context
        assert (context.name, context.pix_fmt, context.width % 2, context.height % 2) == (
            "h264",
            "yuv420p",
            0,
            0,
        )
        assert made.streams.video[0].sample_aspect_ratio in (None, 1)


def test_end_past_the_video_is_its_end(tmp_path: Path) -> None:
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(need_shared_media() / "short_7frames.mp4", 0.1, 60))
    info = probe(clip)
    assert info.frame_count == 4 and info.duration == pytest.approx(0.134, abs=0.034)


def test_odd_picture_gets_even_sides(marker: ModuleType, tmp_path: Path) -> None:
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(need_shared_media() / "odd_size.mp4", 0.5, 1.0))
    numbers, _ = _shown(clip, marker)
    assert numbers[0] == 15 and probe(clip).width % 2 == probe(clip).height % 2 == 0


def test_colours_survive(tmp_path: Path) -> None:
    colours = [(200, 30, 30), (30, 180, 30), (30, 30, 200), (128, 128, 128), (250, 250, 250), (4, 4, 4)]
    picture = np.repeat(np.repeat(np.array([colours], np.uint8), 64, axis=0), 32, axis=1)
    with av.open(str(tmp_path / "s.mkv"), "w") as out:
        stream = out.add_stream("ffv1", rate=10)
        stream.height, stream.width, stream.pix_fmt = 64, 192, "bgr0"
        for number in range(20):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    clip = tmp_path / "c.mp4"
    clip.write_bytes(cut_clip(tmp_path / "s.mkv", 0.5, 1.5))
    got = read_frames(clip, At([0.5])).images[0].astype(int)
    for number, colour in enumerate(colours):
        assert np.abs(got[20:44, number * 32 + 10 : number * 32 + 22].mean(axis=(0, 1)) - colour).max() < 6


def test_clip_under_a_size(tmp_path: Path) -> None:
    source = need_shared_media() / "bigbuckbunny.mp4"
    whole = cut_clip(source, 0, 0.6)
    small = transcode_under(source, len(whole) // 4, 0, 0.6)
    assert len(small) <= len(whole) // 4
    (tmp_path / "c.mp4").write_bytes(small)
    info = probe(tmp_path / "c.mp4")
    assert 64 <= info.height < 720 and info.duration == pytest.approx(0.6, abs=0.04) and info.has_audio
    assert transcode_under(source, len(whole), 0, 0.6) == whole
    with pytest.raises(
        BadRequest, match=r"bigbuckbunny\.mp4: 0\.6 s take \d+ bytes at 64 rows, more than 1000;"
    ):
        transcode_under(source, 1000, 0, 0.6)


def test_start_past_the_end_and_no_picture() -> None:
    with pytest.raises(OutOfRange, match=r"short_7frames\.mp4"):
        cut_clip(need_shared_media() / "short_7frames.mp4", 5, 6)
    with pytest.raises(NoVideoStream, match=r"audio_only\.m4a"):
        cut_clip(need_shared_media() / "audio_only.m4a", 0, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 2, "end": 1},
        {"start": 1, "end": 1},
        {"start": float("nan")},
        {"start": -1},
        {"end": float("inf")},
        {"fps": 0},
        {"fps": float("nan")},
        {"height": 1},
        {"height": 90.5},
    ],
)
def test_bad_requests_are_refused_before_the_file_is_touched(wrong: dict) -> None:
    with pytest.raises(BadRequest) as caught:
        cut_clip("/nowhere/at/all.mp4", **{"start": 0, "end": 1, **wrong})
    assert "\n" not in str(caught.value)
