"""VideoChat-R1.5's pure rules, against numpy, counting and hand calculation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofreel.agents._spread import SamplingError, even_frame_count, even_points, spread_floor, spread_round
from proofreel.agents._videochat import (
    glue_text,
    key_frame_sampling,
    next_hint,
    parse_glue,
    round_frames,
    tidy_hint,
)
from proofreel.core import Window

FPS = 25.0


@settings(deadline=None)
@given(st.integers(-5000, 5000), st.integers(0, 50_000), st.integers(0, 600))
def test_even_points_are_those_of_numpy(start, length, n) -> None:
    assert even_points(start, start + length, n) == np.linspace(start, start + length, n).tolist()
    assert spread_floor(start, start + length, n) == np.linspace(start, start + length, n, dtype=int).tolist()


@settings(deadline=None)
@given(st.integers(2, 200_000), st.floats(1, 120))
def test_frame_counts_are_even_and_bounded(total, fps) -> None:
    n = even_frame_count(total, fps)
    assert n % 2 == 0 and 2 <= n <= min(total, 512)
    assert n >= min(4, total // 2 * 2)
    wanted = total / fps * 2
    if 4 <= wanted <= min(total, 512):
        assert wanted - 2 < n <= wanted


@pytest.mark.parametrize(("total", "fps"), [(0, 25), (1, 25), (100, 0), (100, math.nan)])
def test_a_video_without_two_frames_or_a_rate_cannot_be_sampled(total, fps) -> None:
    with pytest.raises(SamplingError):
        even_frame_count(total, fps)


hints = st.lists(
    st.tuples(st.floats(0, 60), st.floats(0, 60)).map(lambda p: (min(p), max(p))), min_size=1, max_size=4
)


@settings(deadline=None)
@given(hints, st.integers(1, 1500), st.integers(1, 128), st.sampled_from([1.0, 1.5, 3.0]))
def test_tidied_hints_give_frames_of_the_video_in_order(hint, total, n, ratio) -> None:
    windows = tidy_hint(hint, total / FPS)
    out = round_frames(hint, total, n, FPS, key_ratio=ratio)
    assert out == sorted(set(out)) and out
    assert out[0] >= 0 and out[-1] < total
    assert len(out) <= n + len(windows)  # each interval gets one frame at least
    for window in windows:
        first, last = int(window.start * FPS), min(int(window.end * FPS), total - 1)
        if first <= last:
            assert any(first <= i <= last for i in out)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(4, 20), st.integers(64, 256))
def test_shares_sum_to_the_frames_wanted_when_nothing_coincides(start, length, n) -> None:
    """3000 frames, so that no number is found twice; the parts are rounded, so one frame may be off."""
    total, ratio = 3000, 1.5
    key = length * 25 + 1
    out = key_frame_sampling([(start, start + length)], total, n, ratio, FPS)
    inside = sum(start * 25 <= i <= (start + length) * 25 for i in out)
    assert len(out) == n
    exact = n * key * ratio / (key * ratio + total - key)
    assert abs(inside - exact) <= 0.5


def test_density_inside_is_key_ratio_times_that_outside() -> None:
    out = key_frame_sampling([(40, 80)], 3000, 600, 3.0, FPS)  # 1001 of 3000 frames
    inside = sum(1000 <= i <= 2000 for i in out)
    assert (inside / 1001) / ((len(out) - inside) / 1999) == pytest.approx(3.0, rel=0.01)


def test_ratio_one_with_the_whole_video_is_uniform() -> None:
    assert key_frame_sampling([(0, 999)], 300, 7, 1.0, FPS) == [0, 49, 99, 149, 199, 249, 299]


def test_a_huge_interval_costs_no_more_than_the_video() -> None:
    """25 thousand million frames before the video count as key frames, so that n becomes 3n; none is listed."""
    out = key_frame_sampling([(-1e9, 4.0)], 100, 8, 1.5, FPS)
    assert out[-1] == 99 and len(out) == 24


@pytest.mark.parametrize("bad", [(1, 2), [("a", "b")], [(1, None)], [(1,)], [(1e400, 2)], [(math.nan, 1)], 5])
def test_what_are_no_pairs_of_seconds_is_refused(bad) -> None:
    with pytest.raises((SamplingError, TypeError)):
        key_frame_sampling(bad, 300, 32, 1.5, 29.97)
    # and both modes answer with uniform frames, or in careful mode with what can be made of a bare pair
    assert round_frames(bad, 300, 4, 29.97, mode="official") == [0, 100, 199, 299]
    if bad != (1, 2):
        assert round_frames(bad, 300, 4, 29.97) == [0, 100, 199, 299]


def test_careful_mode_counts_overlap_once_and_reads_a_bare_pair() -> None:
    once = round_frames([(2, 6)], 1000, 64, FPS)
    assert round_frames([(2, 5), (3, 6), (2, 5)], 1000, 64, FPS) == once
    assert round_frames((2, 6), 1000, 64, FPS) == once
    assert round_frames([(2, 5), (3, 6)], 1000, 64, FPS, mode="official") != once


def test_official_mode_leaves_the_last_frame_out_with_a_hint() -> None:
    assert round_frames([(1, 2)], 300, 16, FPS, mode="official")[-1] == 298
    assert round_frames(None, 300, 16, FPS, mode="official")[-1] == 299
    assert round_frames([(1, 2)], 300, 16, FPS)[-1] == 299


def test_no_frames_no_sample() -> None:
    for mode in ("official", "careful"):
        with pytest.raises(SamplingError):
            round_frames(None, 0, 4, FPS, mode=mode)
    with pytest.raises(SamplingError, match="weight"):
        key_frame_sampling([(0, 100)], 50, 4, 0.0, FPS)


def test_uniform_frames_round_half_to_even() -> None:
    assert spread_round(6, 3) == [0, 2, 5]  # 2.5 goes to 2
    assert spread_round(8, 3) == [0, 4, 7]  # 3.5 goes to 4


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ("[(1, 2.5)]", [(1, 2.5)]),
        ("\n [[1, 2]] \n", None),  # an indented literal on a line of its own is none
        (" (1, 2)", (1, 2)),
        ("1:02", None),
        ("__import__('os')", None),
        ("(" * 5000, None),
        ("9" * 5000, None),
        ("", None),
    ],
)
def test_glue_is_read_as_a_literal_and_nothing_is_run(inner, value) -> None:
    assert parse_glue(inner) == value


def test_hint_is_replaced_cleared_or_kept() -> None:
    previous = [(1, 2)]
    assert next_hint(previous, "<glue>[(3, 4)]</glue><glue>[(5, 6)]</glue>") == [(3, 4)]
    assert next_hint(previous, "<glue>from 3 to 4</glue>") is None
    assert next_hint(previous, "<answer>B</answer>") is previous
    assert next_hint(previous, "<glue>[(3, 4)]") is previous
    assert glue_text("<glue>\nx\n</glue>") == "\nx\n"


def test_tidy_hint() -> None:
    messy = [
        (5, 3),
        (-2, 1),
        (0.5, 4),
        ("a", "b"),
        (1, 2, 3),
        (True, 9),
        (90, 120),
        (200, 300),
        (10**400, 10**401),
    ]
    assert tidy_hint(messy, 100) == (Window(start=0, end=4), Window(start=90, end=100))
    assert tidy_hint([3, 8], 100) == (Window(start=3, end=8),)
    for nothing in (None, [], "text", 7, {1: 2}, {3, 4}, [(math.inf, 1)], b"ab"):
        assert tidy_hint(nothing, 100) == ()
