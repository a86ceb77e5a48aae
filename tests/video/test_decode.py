"""Exact frames from media made here, kind by kind: the number burnt into every frame is the truth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.media_maker import cut_bytes, cut_from_key, damage, make_clip, read_number, upright

from proofreel.video import (
    At,
    BadRequest,
    DamagedFrame,
    FrameFlag,
    NoVideoStream,
    Numbered,
    OutOfRange,
    Rate,
    Uniform,
    UnreadableContainer,
    VideoError,
    WithKeyFrames,
    iter_frames,
    probe,
    read_frames,
)

TICK = 1 / 90_000
PHONE = [i * 3000 + (i % 3 - 1) * 400 + (54_000 if i > 40 else 0) + 400 for i in range(80)]
X264_OPEN = {
    "x264-params": "open-gop=1:bframes=3:b-pyramid=normal:b-adapt=0:scenecut=0:keyint=24:min-keyint=24"
}

KINDS: dict[str, tuple[Callable[[Path], Path], list[float]]] = {
    "cfr_bframes.mp4": (
        lambda p: make_clip(p, 120, 30, gop=50, options={"bf": "3"}),
        [i / 30 for i in range(120)],
    ),
    "open_gop.mp4": (lambda p: make_clip(p, 120, 25, options=X264_OPEN), [i / 25 for i in range(120)]),
    "ntsc.mov": (
        lambda p: make_clip(p, 75, Fraction(30000, 1001), gop=25),
        [i * 1001 / 30000 for i in range(75)],
    ),
    "phone.mp4": (
        lambda p: make_clip(p, 80, 30, ticks=PHONE, options={"bf": "0"}),
        [t * TICK for t in PHONE],
    ),
    "all_intra.mkv": (lambda p: make_clip(p, 40, 20, gop=1), [i / 20 for i in range(40)]),
    "hevc.mp4": (
        lambda p: make_clip(p, 60, 24, codec="libx265", gop=20, options={"x265-params": "log-level=none"}),
        [i / 24 for i in range(60)],
    ),
    "vp8_hidden_frames.webm": (
        lambda p: make_clip(p, 90, 30, codec="libvpx", options={"auto-alt-ref": "1", "lag-in-frames": "12"}),
        [i / 30 for i in range(90)],
    ),
    "av1.mp4": (
        lambda p: make_clip(p, 64, 30, codec="libsvtav1", options={"preset": "12"}),
        [i / 30 for i in range(64)],
    ),
    "vp9.webm": (lambda p: make_clip(p, 60, 30, codec="libvpx-vp9"), [i / 30 for i in range(60)]),
    "ten_hours.ts": (
        lambda p: make_clip(p, 75, 25, gop=25, first_tick=36_000 * 90_000),
        [i / 25 for i in range(75)],
    ),
    "wraps.ts": (
        lambda p: make_clip(p, 75, 25, gop=25, first_tick=2**33 - 90_000),
        [i / 25 for i in range(75)],
    ),
    "mpeg2.ts": (lambda p: make_clip(p, 60, 25, codec="mpeg2video", gop=12), [i / 25 for i in range(60)]),
    "fragmented.mp4": (
        lambda p: make_clip(
            p, 60, 30, gop=20, container_options={"movflags": "frag_keyframe+empty_moov+default_base_moof"}
        ),
        [i / 30 for i in range(60)],
    ),
    "one_frame.mp4": (lambda p: make_clip(p, 1, 30), [0.0]),
}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder, made = tmp_path_factory.mktemp("clips"), {}

    def get(name: str) -> Path:
        if name not in made:
            made[name] = KINDS[name][0](folder / name)
        return made[name]

    return get


@pytest.fixture
def plain(clip: Callable[[str], Path]) -> Path:
    return clip("cfr_bframes.mp4")


@pytest.mark.parametrize("name", KINDS)
def test_every_frame_by_time_and_by_number_in_any_order(name: str, clip: Callable[[str], Path]) -> None:
    path, times = clip(name), np.array(KINDS[name][1])
    info = probe(path)
    assert info.frame_count == len(times)
    times = times - times[0] + info.start
    order = np.random.default_rng(3).permutation(len(times))
    for asked in (np.arange(len(times)), order):
        by_time = read_frames(path, At(times[asked] + 0.002))
        assert [read_number(image) for image in by_time.images] == asked.tolist()
        assert np.abs(by_time.times - times[asked]).max() < 0.0015
        assert not any(by_time.flags)
    by_number = read_frames(path, Numbered(order))
    assert [read_number(image) for image in by_number.images] == order.tolist()
    assert by_number.indices.tolist() == order.tolist()
    few = read_frames(path, At([times[-1] + 0.001]))
    assert read_number(few.images[0]) == len(times) - 1


@pytest.mark.parametrize(
    "name", ["cfr_bframes.mp4", "open_gop.mp4", "phone.mp4", "mpeg2.ts", "hevc.mp4", "av1.mp4"]
)
def test_skipping_unneeded_frames_changes_no_pixel(name: str, clip: Callable[[str], Path]) -> None:
    path = clip(name)
    every = read_frames(path, Uniform(1000))
    some = read_frames(path, Numbered(range(0, len(every), 7)))
    assert np.array_equal(every.images[::7], some.images)


def test_isolated_and_in_process_agree(plain: Path) -> None:
    plan = At([3.2, 0.1, 0.1, 2.0])
    away, here = read_frames(plain, plan), read_frames(plain, plan, isolate=False)
    assert np.array_equal(away.images, here.images)
    assert away.indices.tolist() == here.indices.tolist() == [96, 3, 3, 60]
    assert probe(plain) == probe(plain, isolate=False)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotated_pictures_come_out_upright(rotation: int, tmp_path: Path) -> None:
    path = make_clip(tmp_path / "turned.mp4", 12, size=(96, 160), rotation=rotation)
    info = probe(path)
    assert (info.width, info.height, info.rotation) == (96, 160, rotation)
    frames = read_frames(path, Uniform(12))
    assert frames.images.shape == (12, 160, 96, 3)
    assert all(upright(image) for image in frames.images)
    assert [read_number(image) for image in frames.images] == list(range(12))
    corner = read_frames(path, Numbered([4]), crop=(0.5, 0.0, 1.0, 0.3)).images[0]
    assert np.abs(corner.reshape(-1, 3).mean(axis=0) - (40, 180, 40)).max() < 40


def test_wide_pixels_are_made_square(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "wide.mp4", 6, size=(120, 96), sample_aspect=Fraction(4, 3))
    info = probe(path)
    assert (info.width, info.height) == (160, 96)
    frames = read_frames(path, Uniform(6))
    assert frames.images.shape == (6, 96, 160, 3)
    assert [read_number(image) for image in frames.images] == list(range(6))


def test_sizes(plain: Path) -> None:
    assert read_frames(plain, Uniform(2), height=48).images.shape == (2, 48, 80, 3)
    assert read_frames(plain, Uniform(2), height=50).images.shape == (2, 50, 83, 3)
    assert read_frames(plain, Uniform(2), height=50, width_multiple=32).images.shape == (2, 50, 64, 3)
    assert read_frames(plain, Uniform(2), height=4, width_multiple=32).images.shape == (2, 4, 32, 3)
    big = read_frames(plain, Uniform(3), height=192)
    assert big.images.shape == (3, 192, 320, 3)
    assert big.images.flags.c_contiguous
    assert [read_number(image) for image in big.images] == [0, 59, 119]


def test_crop_is_cut_from_the_source(plain: Path) -> None:
    whole = read_frames(plain, Numbered([70])).images[0]
    part = read_frames(plain, Numbered([70]), crop=(0.25, 0.5, 0.75, 1.0)).images[0]
    assert part.shape == (48, 80, 3)
    assert np.abs(part.astype(int) - whole[48:, 40:120]).max() <= 2
    enlarged = read_frames(plain, Numbered([70]), crop=(0.25, 0.5, 0.75, 1.0), height=96).images[0]
    assert enlarged.shape == (96, 160, 3)
    dot = read_frames(plain, Numbered([70]), crop=(0.999, 0.999, 1.0, 1.0)).images
    assert dot.shape == (1, 1, 1, 3)


def test_stream_is_in_display_order_and_gives_each_request(plain: Path) -> None:
    got = list(iter_frames(plain, At([3.0, 1.0, 3.0, 2.0]), height=48))
    assert [frame.index for frame in got] == [30, 60, 90, 90]
    assert [frame.request for frame in got] == [1, 3, 0, 2]
    assert [frame.requested for frame in got] == [1.0, 2.0, 3.0, 3.0]
    assert [read_number(frame.image) for frame in got] == [30, 60, 90, 90]


def test_stream_can_be_left_early_again_and_again(plain: Path) -> None:
    for _ in range(5):
        stream = iter_frames(plain, Uniform(120))
        assert read_number(next(stream).image) == 0
        stream.close()  # type: ignore[attr-defined]
    assert [read_number(f.image) for f in iter_frames(plain, Uniform(3))] == [0, 59, 119]


def test_frames_stay_as_they_were_given(plain: Path) -> None:
    kept = [(frame.index, frame.image) for frame in iter_frames(plain, Uniform(120))]
    assert [read_number(image) for _, image in kept] == [index for index, _ in kept] == list(range(120))


def test_rates(plain: Path) -> None:
    assert read_frames(plain, Rate(2)).indices.tolist() == [0, 15, 30, 45, 60, 75, 90, 105]
    assert read_frames(plain, Rate(2_000_000, 1.0, 1.2)).indices.tolist() == [30, 31, 32, 33, 34, 35]
    assert read_frames(plain, WithKeyFrames(Uniform(3), [1.0], cap=2)).indices.tolist() == [0, 30]


def test_past_the_end(plain: Path) -> None:
    frames = read_frames(plain, At([3.99, 4.5, 1e6]))
    assert frames.indices.tolist() == [119, 119, 119]
    assert frames.flags == (FrameFlag.OK, FrameFlag.CLAMPED, FrameFlag.CLAMPED)
    assert frames.times.tolist() == [pytest.approx(119 / 30)] * 3
    with pytest.raises(OutOfRange, match=r"4\.500 s is past its end at 4\.000 s"):
        read_frames(plain, At([4.5]), strict=True)
    with pytest.raises(OutOfRange, match="starts at 4.100 s"):
        read_frames(plain, Rate(1, 4.1))


def test_bad_requests_come_before_the_file(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.mp4"
    for wrong in (
        {"height": 0},
        {"height": 2.5},
        {"width_multiple": 0},
        {"crop": (0, 0, 1)},
        {"crop": (0, 0, 1.5, 1)},
        {"crop": (0.5, 0, 0.5, 1)},
        {"crop": (0, float("nan"), 1, 1)},
        {"timeout": 0},
        {"timeout": float("nan")},
    ):
        with pytest.raises(BadRequest):
            iter_frames(nowhere, Uniform(3), **wrong)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="sampling plan"):
        read_frames(nowhere, 8)  # type: ignore[arg-type]


def test_too_much_memory_is_refused(plain: Path) -> None:
    with pytest.raises(BadRequest, match="iter_frames"):
        read_frames(plain, At(np.full(400, 1.0)), height=20_000)


def test_what_is_no_video(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "page.mp4").write_text("<html>403</html>" * 50)
    for path in (
        tmp_path / "empty.mp4",
        tmp_path / "page.mp4",
        tmp_path / "none.mp4",
        tmp_path,
        Path("/dev/zero"),
    ):
        for use in (probe, lambda p: read_frames(p, Uniform(2)), lambda p: list(iter_frames(p, Uniform(2)))):
            with pytest.raises(UnreadableContainer) as caught:
                use(path)
            assert str(path) in str(caught.value)
            assert "\n" not in str(caught.value)


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    import wave

    path = tmp_path / "tone.wav"
    with wave.open(str(path), "wb") as tone:
        tone.setparams((1, 2, 8000, 0, "NONE", ""))
        tone.writeframes(np.zeros(16_000, "<i2").tobytes())
    info = probe(path)
    assert (info.has_video, info.has_audio, info.frame_count) == (False, True, None)
    assert info.duration == pytest.approx(2.0)
    with pytest.raises(NoVideoStream):
        read_frames(path, Uniform(2))


def test_truncated_file(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "cut.mp4", 150, 30, gop=30, container_options={"movflags": "faststart"})
    whole = path.stat().st_size
    cut_bytes(path, 0.6)
    assert path.stat().st_size < whole
    info = probe(path)
    assert info.truncated
    assert info.declared_frames == 150
    assert info.frame_count is not None and 30 < info.frame_count < 140
    assert info.duration_source == "packets"
    assert info.duration < 4.7
    frames = read_frames(path, Uniform(20))
    assert len(set(frames.indices.tolist())) == 20
    good = [(read_number(f.image), f.index, f.time) for f in frames if not f.flags]
    assert len(good) >= 18
    assert all(number == round(time * 30) for number, _, time in good)
    past = read_frames(path, At([4.9]))
    assert past.flags[0].clamped and past.flags[0].truncated
    with pytest.raises(OutOfRange):
        read_frames(path, At([4.9]), strict=True)
    with pytest.raises(OutOfRange):
        read_frames(path, Rate(1, 4.9))


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
@pytest.mark.parametrize("hit", [range(65, 72), [60], range(60, 90)])
def test_damage_is_flagged_and_stays_in_its_group(suffix: str, hit: list[int], tmp_path: Path) -> None:
    options = {"x264-params": "open-gop=0:scenecut=0:keyint=30:min-keyint=30"}
    path = damage(make_clip(tmp_path / f"hurt{suffix}", 120, 30, options=options), hit)
    frames = read_frames(path, Uniform(1000))
    start = probe(path).start
    assert len(frames) == 120
    for number, frame in enumerate(frames):
        if frame.flags:
            assert 60 <= number < 90
            assert frame.flags.damaged
        else:
            assert read_number(frame.image) == number
            assert frame.time == pytest.approx(start + number / 30, abs=0.002)
    assert any(frame.flags for frame in frames)
    replaced = [f for f in frames if f.flags and f.index != f.request]
    assert all(read_number(f.image) == f.index and f.index < f.request for f in replaced)
    flagged = next(f for f in frames if f.flags)
    with pytest.raises(DamagedFrame):
        read_frames(path, Numbered([flagged.request]), strict=True)
    assert read_number(read_frames(path, Numbered([100]), strict=True).images[0]) == 100


def test_lost_key_frame_in_a_transport_stream_is_noticed(tmp_path: Path) -> None:
    """Noise over whole transport packets: the frame is simply absent, and no decoder complains."""
    options = {"x264-params": "open-gop=0:scenecut=0:keyint=25:min-keyint=25"}
    path = damage(make_clip(tmp_path / "hurt.ts", 100, 25, gop=25, options=options), [50], spare=0)
    start = probe(path).start
    frames = read_frames(path, At([start + i / 25 + 0.005 for i in range(100)]))
    numbers = [read_number(image) for image in frames.images]
    for asked, (number, flag) in enumerate(zip(numbers, frames.flags, strict=True)):
        assert flag.damaged or number == asked
    assert all(flag.damaged for flag in frames.flags[50:75])
    assert not any(frames.flags[:47]) and not any(frames.flags[75:])


@pytest.mark.parametrize(
    ("codec", "spare", "options"),
    [
        (
            "libx264",
            0,
            {"x264-params": "open-gop=0:scenecut=0:keyint=30:min-keyint=30"},
        ),  # the blocks go missing
        ("mpeg2video", 12, {}),  # the decoder passes over the noise without a word
        ("mpeg4", 0, {}),
    ],
)
def test_frames_that_vanish_taint_those_after_them(
    codec: str, spare: int, options: dict[str, str], tmp_path: Path
) -> None:
    path = damage(
        make_clip(tmp_path / "hurt.mkv", 120, 30, codec=codec, options=options), range(64, 67), spare=spare
    )
    start = probe(path).start
    frames = read_frames(path, At([start + i / 30 + 0.005 for i in range(120)]))
    for asked, (image, flag) in enumerate(zip(frames.images, frames.flags, strict=True)):
        assert flag.damaged or read_number(image) == asked
    assert any(flag.damaged for flag in frames.flags)
    assert not any(frames.flags[:60])
    alone = read_frames(path, At([start + 80 / 30 + 0.005]))
    assert alone.flags[0].damaged or read_number(alone.images[0]) == 80


@pytest.mark.parametrize(("codec", "suffix"), [("libx264", ".mkv"), ("libx264", ".ts"), ("libx265", ".mkv")])
def test_pictures_orphaned_by_a_cut_at_an_open_group_are_not_frames(
    codec: str, suffix: str, tmp_path: Path
) -> None:
    hevc = {"x265-params": "log-level=none:keyint=24:min-keyint=24:open-gop=1:bframes=3:b-adapt=0:scenecut=0"}
    source = make_clip(
        tmp_path / f"whole{suffix}", 120, 25, codec=codec, options=X264_OPEN if codec == "libx264" else hevc
    )
    path = cut_from_key(source, tmp_path / f"cut{suffix}", key=2)
    frames = read_frames(path, Uniform(1000))
    numbers = [read_number(image) for image in frames.images]
    assert numbers[0] is not None and 24 < numbers[0] < 72
    assert numbers == list(range(numbers[0], 120))
    assert not any(frames.flags)


def test_errors_are_one_family() -> None:
    assert issubclass(VideoError, ValueError)
    for kind in (BadRequest, DamagedFrame, NoVideoStream, OutOfRange, UnreadableContainer):
        assert issubclass(kind, VideoError)


def test_reprs_do_not_dump_pixels(plain: Path) -> None:
    frames = read_frames(plain, Uniform(4))
    assert repr(frames) == "<4 Frames 160x96, 0.000 to 3.967 s, 0 flagged>"
    assert len(repr(frames[0])) < 80


def test_a_programme_that_turns_up_late_disturbs_nothing(tmp_path: Path) -> None:
    # The analysis at opening reads 5 s or 5 MB: the second programme comes after both the index and PyAV looked.
    options = {"crf": "12"}
    first = make_clip(tmp_path / "a.ts", count=900, size=(320, 192), options=options)
    other = {"mpegts_start_pid": "0x300", "mpegts_service_id": "2", "mpegts_pmt_start_pid": "0x1100"}
    second = make_clip(
        tmp_path / "b.ts", count=30, first_tick=25 * 90_000, container_options=other, options=options
    )
    head, tail = first.read_bytes(), second.read_bytes()
    cut = len(head) * 9 // 10 // 188 * 188
    both = tmp_path / "ab.ts"
    both.write_bytes(head[:cut] + tail + head[cut:])
    numbers = [30, 450, 700, 760]
    frames = read_frames(both, Numbered(tuple(numbers)))
    assert [read_number(image) for image in frames.images] == numbers
