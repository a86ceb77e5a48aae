"""STAR's pure rules, against brute force and hand calculation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofreel.agents._spread import SamplingError
from proofreel.agents._star import (
    UnknownSegmentError,
    accepts_sufficient,
    frame_interval,
    initial_frames,
    next_tool_type,
    planner_route,
    selector_frames,
    unseen_segments,
)


@settings(deadline=None)
@given(st.integers(0, 100_000), st.integers(2, 64))
def test_first_frames_are_spread_over_the_whole_video(total, n) -> None:
    out = initial_frames(total, n)
    assert len(out) == min(total, n)
    assert out == sorted(set(out))
    if total > n:
        assert (out[0], out[-1]) == (0, total - 1)
        # Rounding moves each end of a gap by half a frame at most.
        assert all(abs(gap - (total - 1) / (n - 1)) <= 1 + 1e-6 for gap in np.diff(out))
    else:
        assert out == list(range(total))


def test_one_of_many_frames_has_no_spacing() -> None:
    assert initial_frames(1, 1) == [0]
    with pytest.raises(SamplingError, match="at least 2"):
        initial_frames(10, 1)


def test_interval_is_a_second_of_frames_but_one_at_least() -> None:
    assert [frame_interval(f) for f in (29.97, 25, 0.5)] == [29, 25, 1]


videos = st.integers(1, 2000).flatmap(
    lambda total: st.tuples(
        st.just(total), st.sets(st.integers(0, total - 1), min_size=1, max_size=20), st.integers(1, 60)
    )
)


@settings(deadline=None)
@given(videos)
def test_unseen_segments_hold_no_visible_frame_and_miss_no_long_gap(video) -> None:
    total, visible, interval = video
    segments = unseen_segments(visible, total, interval)
    inside = [i for first, stop in segments for i in range(first, stop)]
    assert inside == sorted(set(inside))
    assert not visible & set(inside)
    assert all(0 <= i < total for i in inside)
    # What is left out, a run of unseen frames, is no longer than the interval.
    run = 0
    for i in range(total):
        run = 0 if i in visible or i in set(inside) else run + 1
        assert run <= interval


def test_a_gap_of_exactly_an_interval_is_not_opened() -> None:
    assert unseen_segments([60, 30], 90, 30) == []
    assert unseen_segments([62, 31], 93, 30) == [(0, 31), (32, 62), (63, 93)]
    assert unseen_segments([], 93, 30) == []


@settings(deadline=None)
@given(videos, st.data())
def test_opened_segments_give_frames_one_interval_apart(video, data) -> None:
    total, visible, interval = video
    segments = unseen_segments(visible, total, interval)
    if not segments:
        assert selector_frames(segments, [], interval) == []
        return
    chosen = data.draw(st.lists(st.integers(0, len(segments) - 1), max_size=6))
    out = selector_frames(segments, chosen, interval)
    assert out == sorted(set(out))
    assert not visible & set(out)
    for position in range(len(segments)):
        first, stop = segments[position]
        mine = [i for i in out if first <= i < stop]
        if position in chosen and stop - first > interval:
            assert mine[0] == first and set(np.diff(mine)) <= {interval} and stop - mine[-1] <= interval
        else:
            assert not mine


def test_opening_everything_again_and_again_leaves_nothing() -> None:
    visible = set(initial_frames(3000))
    for _ in range(20):
        segments = unseen_segments(visible, 3000, 30)
        if not segments:
            break
        added = selector_frames(segments, range(len(segments)), 30)
        assert added
        visible |= set(added)
    assert not unseen_segments(visible, 3000, 30)


@pytest.mark.parametrize("position", [-1, 2, 99])
def test_segments_that_were_not_offered_are_refused(position) -> None:
    with pytest.raises(UnknownSegmentError, match="choose 0 to 1"):
        selector_frames([(0, 100), (101, 200)], [0, position], 30)


def test_temporal_and_spatial_tools_take_turns() -> None:
    assert [next_tool_type(t) for t in ("none", "temporal", "spatial")] == ["any", "spatial", "temporal"]


@settings(deadline=None)
@given(st.sampled_from(["none", "temporal", "spatial"]), st.booleans(), st.integers(0, 8), st.integers(1, 8))
def test_the_planner_ends_when_it_may_or_must(last, sufficient, used, most) -> None:
    may = accepts_sufficient(last, sufficient)
    assert may == (sufficient and last != "temporal")
    assert (planner_route(last, sufficient, used, most) == "answer") == (may or used >= most)
