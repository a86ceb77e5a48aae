"""DVD's pure rules, against exact fractions, brute force and hand calculation."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proofreel.agents._dvd import (
    InvalidRangeError,
    InvalidTimeError,
    clean_ranges,
    clip_boundaries,
    clip_frames,
    hhmmss_to_seconds,
    inspect_frames,
    seconds_to_hhmmss,
)


@settings(deadline=None)
@given(st.integers(0, 400_000))
def test_clock_times_go_there_and_back(seconds) -> None:
    assert hhmmss_to_seconds(seconds_to_hhmmss(seconds)) == seconds
    minutes, rest = divmod(seconds, 60)
    assert hhmmss_to_seconds(f"{minutes:02}:{rest:02}") == seconds


@pytest.mark.parametrize(
    "text", ["", "12", "1:2:3:4", "a:b", "1::2", "00:00:05,900", "5.5:30", "9" * 5000 + ":1"]
)
def test_what_is_no_clock_time_is_refused(text) -> None:
    with pytest.raises(InvalidTimeError, match="HH:MM:SS"):
        hhmmss_to_seconds(text)


def test_fractions_are_cut_not_rounded() -> None:
    assert seconds_to_hhmmss(59.99) == "00:00:59"
    assert hhmmss_to_seconds("01:00.99") == 60


spans = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 120)), min_size=1, max_size=4)


@settings(deadline=None)
@given(spans, st.sampled_from([1, 2, 5]), st.integers(1, 80))
@example([(0, 23), (4, 116)], 5, 10)
def test_inspected_frames_follow_the_points_on_the_joined_ranges(pieces, fps, most) -> None:
    length = 600
    ranges = sorted(((s, min(s + n, length)) for s, n in pieces), key=lambda r: r[0])
    total = sum(e - s for s, e in ranges)
    # Exact places; a place half-way between two frames, or where two ranges meet, may go either way in doubles.
    alternatives = []
    for i in range(most):
        offset, before, places = Fraction(i * total, most), 0, []
        for start, end in ranges:
            if before <= offset <= before + end - start:
                places.append(start + offset - before)
            before += end - start
        if offset == total:
            continue
        near = {n for t in places for n in (math.floor(t * fps), math.floor(t * fps) + 1)}
        best = {n for n in near if any(abs(n - t * fps) <= Fraction(1, 2) for t in places)}
        alternatives.append({min(n, length * fps - 1) for n in best})
    out = inspect_frames([(s, s + n) for s, n in pieces], length, fps, most)
    assert all(set(out) & ways for ways in alternatives)
    assert set(out) <= set().union(*alternatives)
    assert out == sorted(set(out))
    assert 1 <= len(out) <= most
    assert all(0 <= i < length * fps for i in out)
    # Half a frame of rounding at most: every number lies in a range asked for.
    assert all(any(s * fps - 0.5 <= i <= e * fps + 0.5 for s, e in ranges) for i in out)


def test_one_range_is_spread_evenly_without_its_end() -> None:
    assert inspect_frames([(10, 20)], 100, fps=1, max_frames=5) == [10, 12, 14, 16, 18]


@pytest.mark.parametrize("ranges", [[], [(5, 5)], [(20, 10)], [(101, 110)], [(0, 10), (101, 110)]])
def test_nothing_to_inspect_is_an_error(ranges) -> None:
    with pytest.raises(InvalidRangeError):
        inspect_frames(ranges, 100)


def test_careful_ranges_lie_inside_the_video() -> None:
    assert clean_ranges([(-3, 4), (20, 10), (90, 200), (100, 120)], 100) == [(0, 4), (90, 100)]
    with pytest.raises(InvalidRangeError, match="0 to 100 s"):
        clean_ranges([(20, 10), (150, 160)], 100)


@settings(deadline=None)
@given(st.integers(0, 3000), st.sampled_from([1, 2, 4, 2.5]), st.integers(1, 30))
def test_clips_tile_the_whole_seconds(n_frames, fps, secs) -> None:
    clips = clip_boundaries(n_frames, fps, secs)
    covered = [s for first, last in clips for s in range(first, last + 1)]
    assert covered == (list(range(int((n_frames - 1) / fps) + 1)) if n_frames else [])
    assert all(last - first + 1 == secs for first, last in clips[:-1])
    if clips:
        assert 1 <= clips[-1][1] - clips[-1][0] + 1 <= secs


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 4, 2.5]), st.integers(1, 30))
def test_careful_clips_hold_every_frame_once(n_frames, fps, secs) -> None:
    clips = clip_boundaries(n_frames, fps, secs)
    assert [i for c in clips for i in clip_frames(c, n_frames, fps)] == list(range(n_frames))


@settings(deadline=None)
@given(st.integers(1, 400), st.sampled_from([1, 2, 4]), st.integers(1, 30))
def test_official_clips_hold_the_frames_between_their_seconds(n_frames, fps, secs) -> None:
    for clip in clip_boundaries(n_frames, fps, secs):
        want = [i for i in range(n_frames) if clip[0] <= i / fps <= clip[1]]
        assert list(clip_frames(clip, n_frames, fps, "official")) == want


def test_the_published_clips_miss_a_frame_between_two_of_them() -> None:
    seen = {i for c in clip_boundaries(40) for i in clip_frames(c, 40, mode="official")}
    assert set(range(40)) - seen == {19, 39}  # 9.5 s and 19.5 s at 2 fps
