import hashlib
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from proofreel.video import (
    At,
    BadRequest,
    ClipRef,
    FramesRef,
    MediaCache,
    Plan,
    Rate,
    Uniform,
    UnreadableContainer,
    WithKeyFrames,
    cut_clip,
    expand_clip,
    expand_frames,
    file_hash,
    read_frames,
)
from proofreel.video import (
    ref as ref_module,
)
from proofreel.video.jpeg import encode_jpeg
from proofreel.video.ref import MediaChanged, parse_ref
from support import need_shared_media

SHA = "ab" * 32

plans = st.one_of(
    st.builds(Uniform, st.integers(1, 500), st.sampled_from(["ends", "mid"])),
    st.builds(Rate, st.floats(0.01, 60), st.floats(0, 100), st.none(), st.none() | st.integers(1, 99)),
    st.builds(At, st.lists(st.floats(0, 1e5), min_size=1, max_size=5)),
    st.builds(
        WithKeyFrames, st.builds(Uniform, st.integers(1, 9)), st.tuples(st.floats(0, 9)), st.integers(1, 9)
    ),
)
frames_refs = st.builds(
    lambda plan, **rest: FramesRef(video="v.mp4", sha256=SHA, plan=plan.to_dict(), **rest),
    plans,
    height=st.none() | st.integers(1, 2000),
    width_multiple=st.integers(1, 64),
    quality=st.integers(1, 100),
    crop=st.none() | st.just((0.1, 0.2, 0.5, 1.0)),
)
clip_refs = st.builds(
    lambda start, length, **rest: ClipRef(video="v.mp4", sha256=SHA, start=start, end=start + length, **rest),
    st.floats(0, 1e4),
    st.floats(0.1, 1e3),
    fps=st.none() | st.floats(0.1, 60),
    height=st.none() | st.integers(2, 2000),
    audio=st.booleans(),
    media_resolution=st.none() | st.just("low"),
)


@given(frames_refs | clip_refs)
def test_json_round_trip(ref: FramesRef | ClipRef) -> None:
    back = parse_ref(json.loads(ref.model_dump_json()))
    assert back == ref and type(back) is type(ref) and back.id == ref.id and hash(back) == hash(ref)
    assert len(ref.id) == 32 and int(ref.id, 16) >= 0


@given(frames_refs | clip_refs, frames_refs | clip_refs)
def test_id_is_the_settings_without_the_path(a: FramesRef | ClipRef, b: FramesRef | ClipRef) -> None:
    assert (a.id == b.id) == (a == b)
    assert a.model_copy(update={"video": "elsewhere.mp4"}).id == a.id
    assert a.model_copy(update={"sha256": "cd" * 32}).id != a.id


def test_every_setting_changes_the_id() -> None:
    base = {"video": "v", "sha256": SHA, "plan": Uniform(8).to_dict()}
    refs = [FramesRef(**base), FramesRef(**{**base, "plan": Uniform(8, "mid").to_dict()})]
    refs += [FramesRef(**base, **{k: v}) for k, v in (("height", 9), ("width_multiple", 28), ("quality", 84))]
    refs += [FramesRef(**base, crop=(0, 0, 1, 0.5))]
    clip = {"video": "v", "sha256": SHA, "start": 1.0, "end": 2.0}
    more = ({}, {"fps": 2}, {"height": 90}, {"audio": False}, {"media_resolution": "low"}, {"end": 3})
    refs += [ClipRef(**{**clip, **m}) for m in more]
    assert len({ref.id for ref in refs}) == len(refs) == 12


def test_plan_forms_that_mean_the_same_are_the_same() -> None:
    assert FramesRef(video="v", sha256=SHA, plan={"verb": "uniform", "n": 8}) == FramesRef(
        video="v", sha256=SHA, plan=Uniform(8).to_dict()
    )
    assert FramesRef(video="v", sha256=SHA, plan=Rate(1).to_dict()).sampling == Rate(1.0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"kind": "frames", "video": "v", "sha256": SHA, "plan": {"verb": "nope"}}, "unknown sampling plan"),
        ({"kind": "frames", "video": "v", "sha256": "xyz", "plan": Uniform(1).to_dict()}, "sha256"),
        ({"kind": "frames", "video": "v", "sha256": SHA, "plan": Uniform(1).to_dict(), "extra": 1}, "extra"),
        ({"kind": "clip", "video": "v", "sha256": SHA, "start": 2, "end": 1}, "end after it starts"),
        ({"kind": "clip", "video": "v", "sha256": SHA, "start": float("nan"), "end": 1}, "start"),
        ({"kind": "sound"}, "kind|frames|sound"),
        ("text", "not a media reference"),
    ],
)
def test_what_is_no_reference(data: object, said: str) -> None:
    with pytest.raises(BadRequest, match=said) as caught:
        parse_ref(data)
    assert "\n" not in str(caught.value)


def test_settings_are_checked_before_the_file() -> None:
    for wrong in ({"height": 0}, {"quality": 101}, {"crop": (0.5, 0, 0.5, 1)}):
        with pytest.raises(BadRequest):
            FramesRef.of("/nowhere.mp4", Uniform(1), **wrong)
    with pytest.raises(BadRequest, match="end after it starts"):
        ClipRef.of("/nowhere.mp4", 3, 2)
    with pytest.raises(UnreadableContainer, match="nowhere"):
        ClipRef.of("/nowhere.mp4", 1, 2)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    return Path(shutil.copy(need_shared_media() / "rot90.mp4", tmp_path / "v.mp4"))


def test_frames_are_those_of_read_frames(video: Path, tmp_path: Path) -> None:
    plan = At([2.0, 0.5, 0.5, 99.0])  # disorder, a repeat, past the end
    ref = FramesRef.of(video, plan, height=160, quality=90, crop=(0, 0.25, 1, 1))
    assert ref.sha256 == hashlib.sha256(video.read_bytes()).hexdigest() == file_hash(video)
    got = expand_frames(ref, MediaCache(tmp_path / "c", 10**8))
    want = read_frames(video, plan, height=160, crop=(0, 0.25, 1, 1))
    assert got.indices == want.indices.tolist() == [60, 15, 15, 119]
    assert (
        got.times == want.times.tolist() and got.flags == [int(f) for f in want.flags] and got.flags[3] == 1
    )
    assert (got.width, got.height) == want.images.shape[2:0:-1] and len(got) == 4
    for jpeg, sha, image in zip(got.jpegs, got.hashes, want.images, strict=True):
        assert hashlib.sha256(jpeg).hexdigest() == sha
        assert np.abs(np.asarray(Image.open(io.BytesIO(jpeg))).astype(int) - image).mean() < 6


def test_cache_answers_for_a_moved_file(video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = MediaCache(tmp_path / "c", 10**8)
    frames_ref, clip_ref = FramesRef.of(video, Uniform(4)), ClipRef.of(video, 1, 2, fps=5)
    frames, clip = expand_frames(frames_ref, cache), expand_clip(clip_ref, cache)
    assert clip == cut_clip(video, 1, 2, fps=5)
    moved = video.rename(tmp_path / "moved.mp4")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("decoded again")

    monkeypatch.setattr(ref_module, "iter_frames", never)
    monkeypatch.setattr(ref_module, "cut_clip", never)
    assert expand_frames(FramesRef.of(moved, Uniform(4)), cache) == frames
    assert expand_clip(ClipRef.of(moved, 1, 2, fps=5, media_resolution="low"), cache) == clip
    with pytest.raises(AssertionError, match="decoded again"):
        expand_frames(FramesRef.of(moved, Uniform(4), quality=80), cache)


def test_changed_file_is_refused(video: Path, tmp_path: Path) -> None:
    cache = MediaCache(tmp_path / "c", 10**8)
    refs = FramesRef.of(video, Uniform(2)), ClipRef.of(video, 0, 1)
    expand_frames(refs[0], cache)
    shutil.copy(need_shared_media() / "rot180.mov", video)
    with pytest.raises(MediaChanged, match=r"v\.mp4: is not the file of the reference") as caught:
        expand_frames(refs[0], cache)
    assert "\n" not in str(caught.value)
    with pytest.raises(MediaChanged):
        expand_clip(refs[1], cache)


def test_damaged_cache_entry_is_made_again(video: Path, tmp_path: Path) -> None:
    cache = MediaCache(tmp_path / "c", 10**8)
    ref = FramesRef.of(video, Uniform(3), height=60)
    first = expand_frames(ref, cache)
    (blob,) = [p for p in cache.root.glob("??/*") if p.is_file()]
    blob.write_bytes(blob.read_bytes()[:-20])
    assert expand_frames(ref, cache) == first


@pytest.mark.parametrize(
    "plan",
    [
        WithKeyFrames(Uniform(7), (0.7, 1.25, 99.0), None),
        WithKeyFrames(Uniform(7), (0.7, 1.25, 3.9), 6),
        WithKeyFrames(Rate(2.0, cap=5), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 4),
    ],
)
def test_key_frames_are_added_to_shared_frames_and_nothing_differs(
    video: Path, tmp_path: Path, plan: WithKeyFrames
) -> None:
    got = expand_frames(FramesRef.of(video, plan, height=96), MediaCache(tmp_path / "c", 10**8))
    want = read_frames(video, plan, height=96)
    assert got.indices == want.indices.tolist()
    assert got.times == want.times.tolist()
    assert got.flags == [int(f) for f in want.flags]
    assert got.hashes == [hashlib.sha256(encode_jpeg(i, 85)).hexdigest() for i in want.images]


def test_a_second_question_on_a_video_decodes_its_own_key_frames_alone(
    video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, asked = MediaCache(tmp_path / "c", 10**8), []
    real = ref_module.iter_frames

    def watched(path: str, plan: Plan, *rest: object) -> object:
        asked.append(plan.key())
        return real(path, plan, *rest)

    monkeypatch.setattr(ref_module, "iter_frames", watched)
    for key in (0.5, 2.5):
        expand_frames(FramesRef.of(video, WithKeyFrames(Uniform(8), (key,), None), height=96), cache)
    assert asked == [Uniform(8).key(), At([0.5]).key(), At([2.5]).key()]
