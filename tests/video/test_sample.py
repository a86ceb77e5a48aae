"""Sampling plans: the published vectors, hand-worked cases, and laws that hold for any video."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofreel.video import _rules
from proofreel.video.errors import BadRequest
from proofreel.video.sample import (
    At,
    Numbered,
    Plan,
    Rate,
    StartsPastEnd,
    Timeline,
    Uniform,
    WithKeyFrames,
    plan_from_dict,
)

VECTORS = Path(__file__).parents[1] / "parity"


def vectors(name: str, fn: str) -> list[Any]:
    rows = [json.loads(line) for line in (VECTORS / f"{name}.jsonl").read_text().splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["fn"] == fn]


def careful(row: dict[str, Any]) -> Any:
    return row["recommended"] if row.get("quirk") else row["expected"]


def is_error(expected: Any) -> bool:
    return isinstance(expected, dict) and "error" in expected


def steady(count: int, fps: float, start: float = 0.0) -> Timeline:
    times = start + np.arange(count) / fps
    end = start + count / fps
    return Timeline(times, end, end)


@pytest.mark.parametrize("row", vectors("vzb_sample_uniform_indices", "sample_uniform_indices"))
def test_uniform_ends_vectors(row: dict[str, Any]) -> None:
    total, n = row["input"]["total_frames"], row["input"]["nframe"]
    if is_error(careful(row)):
        with pytest.raises(BadRequest):
            _rules.uniform_ends(total, n)
    else:
        assert _rules.uniform_ends(total, n).tolist() == careful(row)
        if n:
            assert Uniform(n).resolve(steady(total, 30)).indices.tolist() == careful(row)


@pytest.mark.parametrize("row", vectors("vzb_times_to_frame_indices", "times_to_frame_indices"))
def test_times_to_frame_number_vectors(row: dict[str, Any]) -> None:
    given_ = row["input"]
    if is_error(careful(row)):
        with pytest.raises(BadRequest):
            _rules.times_to_frame_numbers(given_["times_sec"], given_["video_fps"], given_["total_frames"])
    else:
        got = _rules.times_to_frame_numbers(given_["times_sec"], given_["video_fps"], given_["total_frames"])
        assert got == careful(row)


@pytest.mark.parametrize("row", vectors("vzb_downsample_preserve_priority", "downsample_preserve_priority"))
def test_priority_vectors(row: dict[str, Any]) -> None:
    given_ = row["input"]
    got = _rules.keep_priority(given_["sorted_indices"], given_["priority"], given_["max_cap"])
    assert got == careful(row)


@pytest.mark.parametrize("row", vectors("vzb_resize_target", "resize_target_size"))
def test_size_vectors(row: dict[str, Any]) -> None:
    given_ = row["input"]
    got = _rules.fit_height(given_["height"], given_["width"], given_["out_h"], 2 * given_["patch_size"])
    assert list(got) == careful(row)


@pytest.mark.parametrize("row", vectors("avb_qid_spec", "cap_frames_indices"))
def test_frame_cap_vectors(row: dict[str, Any]) -> None:
    got = _rules.thin_evenly(row["input"]["n_frames"], row["input"]["max_frames"])
    assert got.tolist() == careful(row)


def test_uniform_mid_takes_bin_centres() -> None:
    # 100 frames in 4 bins of 25: centres 12.5, 37.5, 62.5, 87.5, truncated
    assert Uniform(4, rule="mid").resolve(steady(100, 25)).indices.tolist() == [12, 37, 62, 87]
    assert Uniform(9, rule="mid").resolve(steady(7, 25)).indices.tolist() == list(range(7))


def test_at_is_the_last_frame_that_has_started() -> None:
    video = steady(10, 10, start=0.2)  # frames at 0.2, 0.3 ... 1.1, the last shown until 1.2
    got = At([0.0, 0.2, 0.2996, 0.2994, 0.35, 1.15, 1.2, 1.21, 99]).resolve(video)
    assert got.indices.tolist() == [0, 0, 1, 0, 1, 9, 9, 9, 9]
    assert got.clamped.tolist() == [False] * 7 + [True, True]


def test_rate_shows_one_frame_a_request_before_the_end() -> None:
    got = Rate(2, 1.0, 3.0).resolve(steady(100, 10))
    assert got.requested.tolist() == [1.0, 1.5, 2.0, 2.5]
    assert got.indices.tolist() == [10, 15, 20, 25]


def test_rate_takes_the_frame_on_screen_at_the_start_of_the_window() -> None:
    got = Rate(1, 0.55, 2.0).resolve(steady(20, 2))  # frames every half second
    assert got.indices.tolist() == [1, 3]


def test_rate_in_variable_video_follows_the_clock() -> None:
    times = np.array([0.0, 0.1, 0.2, 3.0, 3.1])
    got = Rate(1, 0.0, 4.0).resolve(Timeline(times, 4.0, 4.0))
    assert got.indices.tolist() == [0, 2, 2, 3]  # 5 frames in 4 s: the rate is below the video's own


def test_rate_above_the_source_gives_each_frame_once_at_no_cost() -> None:
    video = steady(300, 30)
    for fps in (31, 59.94, 240, 2_000_000, 1e12):
        assert Rate(fps, 2.0, 4.0).resolve(video).indices.tolist() == list(range(60, 120)), fps


def test_rate_at_the_source_rate_gives_every_frame_despite_rounding() -> None:
    ntsc = steady(450, 30000 / 1001)
    assert Rate(30000 / 1001).resolve(ntsc).indices.tolist() == list(range(450))
    rounded = Timeline(np.round(np.arange(240) / 30, 3), 8.0, 8.0)  # Matroska keeps milliseconds
    assert Rate(30).resolve(rounded).indices.tolist() == list(range(240))


def test_rate_cap_thins_the_whole_window() -> None:
    got = Rate(1, cap=50).resolve(steady(1200 * 2, 2))
    assert got.indices.tolist() == [24 * 2 * i for i in range(50)]


def test_rate_outside_the_video() -> None:
    with pytest.raises(StartsPastEnd):
        Rate(1, start=10.0).resolve(steady(100, 10))
    assert Rate(1, start=9.95).resolve(steady(100, 10)).indices.tolist() == [99]
    assert Rate(1, 8.0, 100.0).resolve(steady(100, 10)).indices.tolist() == [80, 90]


def test_rate_past_a_truncated_end_is_marked() -> None:
    cut = Timeline(np.arange(50) / 10, 5.0, 10.0)
    assert Rate(1, 3.0, 8.0).resolve(cut).clamped.tolist() == [False, True]
    assert not Rate(1, 3.0, 5.0).resolve(cut).clamped.any()
    assert not Rate(1).resolve(cut).clamped.any()


def test_key_frames_come_first() -> None:
    video = steady(100, 10)
    plan = WithKeyFrames(Uniform(5), [3.05, 7.7], cap=4)
    # Uniform(5) = 0, 24, 49, 74, 99; keys 30 and 77; two others of five, both ends: 0 and 99
    assert plan.resolve(video).indices.tolist() == [0, 30, 77, 99]
    assert WithKeyFrames(Uniform(2), [0.0, 5.0]).resolve(video).indices.tolist() == [0, 50, 99]
    assert WithKeyFrames(Uniform(2), []).resolve(video).indices.tolist() == [0, 99]
    past = WithKeyFrames(Uniform(2), [50.0]).resolve(video)
    assert past.indices.tolist() == [0, 99]
    assert past.clamped.tolist() == [False, True]


def test_numbered_clamps() -> None:
    got = Numbered([5, 0, 12]).resolve(steady(10, 10))
    assert got.indices.tolist() == [5, 0, 9]
    assert got.clamped.tolist() == [False, False, True]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Uniform(0),
        lambda: Uniform(-3),
        lambda: Uniform(2.5),  # type: ignore[arg-type]
        lambda: Uniform(math.nan),  # type: ignore[arg-type]
        lambda: Uniform(8, rule="middle"),  # type: ignore[arg-type]
        lambda: Rate(0),
        lambda: Rate(-1),
        lambda: Rate(math.nan),
        lambda: Rate(math.inf),
        lambda: Rate(1, 5.0, 4.0),
        lambda: Rate(1, 5.0, 5.0),
        lambda: Rate(1, -0.1),
        lambda: Rate(1, 0.0, math.nan),
        lambda: Rate(1, cap=0),
        lambda: Rate("fast"),  # type: ignore[arg-type]
        lambda: At([]),
        lambda: At([1.0, -0.5]),
        lambda: At([math.nan]),
        lambda: Numbered([]),
        lambda: Numbered([-1]),
        lambda: Numbered([1.5]),  # type: ignore[list-item]
        lambda: WithKeyFrames(Uniform(3), [math.inf]),
        lambda: WithKeyFrames(Uniform(3), [1.0], cap=0),
        lambda: WithKeyFrames(8, [1.0]),  # type: ignore[arg-type]
        lambda: plan_from_dict({"verb": "sometimes"}),
        lambda: plan_from_dict({"verb": "uniform", "count": 3}),
    ],
)
def test_nonsense_is_refused_at_once(make: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        make()
    assert "\n" not in str(caught.value)


PLANS = [
    Uniform(64),
    Uniform(8, rule="mid"),
    Rate(1.5, 2.0, 7.25, cap=9),
    Rate(20),
    At([3.0, 1.0, 1.0]),
    At(np.array([0.5, 0.25])),
    Numbered(np.array([4, 2])),
    WithKeyFrames(Rate(1), [0.5, 9.0], cap=12),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_plans_are_values(plan: Plan) -> None:
    back = plan_from_dict(json.loads(json.dumps(plan.to_dict())))
    assert back == plan
    assert hash(back) == hash(plan)
    assert back.key() == plan.key()
    assert pickle.loads(pickle.dumps(plan)) == plan
    with pytest.raises(AttributeError):
        plan.n = 3  # type: ignore[attr-defined]


def test_different_plans_have_different_keys() -> None:
    assert len({plan.key() for plan in PLANS}) == len(PLANS)
    assert Rate(1, 0, 2).key() == Rate(1.0, 0.0, 2.0).key()


@given(
    gaps=st.lists(st.floats(0.001, 3.0), min_size=1, max_size=60),
    fps=st.floats(0.05, 500.0),
    start=st.floats(0.0, 5.0),
    length=st.floats(0.01, 20.0),
)
def test_rate_agrees_with_the_definition(gaps: list[float], fps: float, start: float, length: float) -> None:
    """Each frame given is the one on screen at its requested time, inside the window, none left out."""
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    video = Timeline(times[:-1], float(times[-1]), float(times[-1]))
    if start >= video.end - 0.002:
        return
    end = start + length
    got = Rate(fps, start, end).resolve(video)
    shown = set(got.indices.tolist())
    assert np.all(np.diff(got.requested) > 0)
    assert got.requested[0] == start
    for requested, index in zip(got.requested, got.indices, strict=True):
        assert requested < max(min(end, video.end), start + 0.001)
        later = index + 1 < len(video.times) and video.times[index + 1] <= requested - 0.001
        assert not later
        assert index == 0 or video.times[index] <= requested + 0.001
    steps = min(int((min(end, video.end) - start) * fps), 3000)
    for k in range(steps):
        t = start + k / fps
        if t < min(end, video.end) - 0.002:
            near = {int(video.shown_at(np.array([t + d]))[0]) for d in (-0.0015, 0.0, 0.0015)}
            assert near & shown
