"""AVP's pure rules. Expected values are worked by hand or follow from what the protocol states."""

import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofreel.agents._avp.decide import decide
from proofreel.agents._avp.intervals import (
    FRAME_CAPS,
    clamp_fps,
    clip_regions,
    effective_load_mode,
    round_intervals,
)
from proofreel.agents._avp.parse import (
    FALLBACK_PLAN,
    Plan,
    parse_json,
    read_plan,
    times_in_text,
    windows_around,
)

# Hundredths of a second: the bounds below are exact for them.
seconds = st.integers(-(10**6), 10**6).map(lambda n: n / 100)
ranges = st.lists(st.tuples(seconds, seconds), max_size=8)
durations = st.one_of(st.none(), st.integers(0, 10**6).map(lambda n: n / 100))


@settings(deadline=None)
@given(ranges, durations)
def test_rounded_intervals_cover_what_they_came_from_and_no_more(given_ranges, duration) -> None:
    out = round_intervals(given_ranges, duration)
    assert len(out) == len(set(out))
    for first, last in out:
        assert isinstance(first, int) and isinstance(last, int) and first < last
        if duration:
            assert first >= 0 and last < duration + 1
    for start, end in given_ranges:
        inside = (max(start, 0.0), min(end, duration)) if duration else (start, end)
        if inside[0] < inside[1]:
            assert any(first <= inside[0] and inside[1] <= last for first, last in out)
    for first, last in out:  # never wider than one second on each side of an interval given
        assert any(first > start - 1 or first == 0 for start, _ in given_ranges)
        assert any(last < end + 1 for _, end in given_ranges)


@settings(deadline=None)
@given(ranges, st.floats(1, 1e4))
def test_rounding_whole_seconds_again_changes_nothing(given_ranges, duration) -> None:
    once = round_intervals(given_ranges, duration)
    assert round_intervals(once, duration) == once


def test_intervals_without_two_finite_ends_are_dropped() -> None:
    bad = [(None, 3.0), (1.0, None), (math.nan, 2.0), (0.0, math.inf), (8.0, 3.0)]
    assert round_intervals([*bad, (1.5, 2.0)], 10) == [(1, 2)]


def test_unknown_duration_clamps_nothing() -> None:
    assert round_intervals([(-2.5, 1e6)]) == [(-3, 1_000_000)]
    assert round_intervals([(-2.5, 1e6)], 0) == [(-3, 1_000_000)]


@settings(deadline=None)
@given(
    st.floats(0.1, 5.0), st.one_of(st.none(), st.floats(0, 2e4)), st.sampled_from(list(FRAME_CAPS.values()))
)
def test_clamped_rate_fits_the_cap_and_is_never_raised(fps, duration, cap) -> None:
    out = clamp_fps(fps, duration, cap)
    span = duration or 1800.0
    assert out <= fps
    assert out * span <= cap * (1 + 1e-12)
    if fps * span <= cap:
        assert out == fps
    else:
        assert out * span == pytest.approx(cap)


def test_unknown_duration_counts_as_half_an_hour() -> None:
    assert clamp_fps(1.0, None, 512) == 512 / 1800
    assert clamp_fps(0.25, 0, 512) == 0.25


def test_half_a_frame_over_the_cap_is_over() -> None:
    assert clamp_fps(1.0, 512.0, 512) == 1.0
    assert clamp_fps(1.0, 512.5, 512) == 512 / 512.5


def test_regions_are_cut_to_the_video_one_clip_each() -> None:
    assert clip_regions([(-5, 10), (50, 70), (70, 80), (9, 9), (20, 15)], 60) == [(0, 10), (50, 60)]


@pytest.mark.parametrize(
    ("mode", "start", "end", "duration", "want"),
    [
        ("region", 1.0, 101.0, 100, "uniform"),
        ("region", 1.0, 101.1, 100, "region"),
        ("region", 0, 50, None, "region"),
        ("region", 0, 0.5, 0, "region"),
        ("uniform", 20, 30, 100, "uniform"),
    ],
)
def test_a_region_over_the_whole_video_is_uniform(mode, start, end, duration, want) -> None:
    assert effective_load_mode(mode, start, end, duration) == want


@settings(deadline=None)
@given(st.floats(0, 1), st.booleans(), st.booleans(), st.floats(0, 1))
def test_stops_only_when_sure_and_sufficient(confidence, sufficient, last, tau) -> None:
    out = decide(confidence, sufficient, is_last_round=last, tau=tau)
    assert (out == "force_answer") == last
    if not last:
        assert (out == "extract_answer") == (sufficient and confidence >= tau)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ('Sure!\n```json\n{"a": [1, 2]}\n```\nDone {x}', {"a": [1, 2]}),
        ('```\n{"b": 2}\n```', {"b": 2}),
        ('plan: {"a": {"b": 1}} ok', {"a": {"b": 1}}),
        ('```json\n{broken\n```\nbut {"a": 1}', None),  # the braces reach from the broken one to the last
        ("} nothing {", None),
        ("```json\n\n  [1]\n```", [1]),
        ("```json [1]\n```", None),  # a fence's content starts on a line of its own
        ("````\n[2]\n````", [2]),
        ("[" * 100_000, None),
    ],
)
def test_json_of_a_reply(text, want) -> None:
    assert parse_json(text) == want


@settings(deadline=None)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c), max_leaves=8)
)
def test_any_json_object_survives_prose_around_it(value) -> None:
    blob = json.dumps({"v": value})
    for text in (blob, f"Here it is:\n```json\n{blob}\n```\nBye", f"I think {blob}"):
        assert parse_json(text) == {"v": value}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("at 1:30", [1, 90]),
        ("1:00:05", [60]),
        ("0:05 s", [5]),
        ("5 SECONDS, 3 secs, 2s, 7sx", [2, 3, 5]),
        ("12.5.s", [5]),
        ("between 10 and 20", []),
        ("", []),
    ],
)
def test_times_in_prose(text, want) -> None:
    assert times_in_text(text) == want


HOSTILE = [
    "1" * 60_000,
    "at " + " " * 60_000,
    "{" * 60_000,
    "9 " * 30_000,
    "1:" * 30_000,
    "```json" + "\n" * 60_000,
]


@pytest.mark.parametrize("text", [*HOSTILE, "```json\n" * 8000])
def test_hostile_replies_cost_little(text) -> None:
    began = time.perf_counter()
    times_in_text(text)
    parse_json(text)
    assert time.perf_counter() - began < 5


def test_windows_around_times_do_not_start_before_the_video() -> None:
    assert windows_around([0.5, 90.0]) == [(0.0, 1.5), (89.0, 91.0)]


def plan_text(**step: object) -> str:
    base = {"load_mode": "region", "fps": 2, "spatial_token_rate": "Medium ", "regions": [[10, 20]]}
    return json.dumps({"reasoning": "r", "completion_criteria": "c", "steps": [{**base, **step}]})


def test_plan_is_read_in_both_modes() -> None:
    want = Plan("region", 2.0, "medium", ((10.0, 20.0),), "", "c")
    assert read_plan(plan_text(), "official") == want
    assert read_plan(f"<think>{{</think>{plan_text()}", "careful") == want


def test_malformed_regions_are_dropped_and_an_unknown_rate_is_low() -> None:
    bad = [[1], [1, 2, 3], "x", ["a", "b"], [None, 3], {"s": 1}]
    text = plan_text(spatial_token_rate="ultra", regions=[*bad, [30, 40]])
    for mode in ("official", "careful"):
        plan = read_plan(text, mode)
        assert plan.rate == "low" and plan.regions == ((30.0, 40.0),)


def test_careful_plans_stay_inside_what_can_be_observed() -> None:
    assert read_plan(plan_text(fps=60)).fps == 5.0
    assert read_plan(plan_text(fps=0)).fps == 0.1
    assert read_plan(plan_text(fps=60), "official").fps == 60.0
    reversed_region = plan_text(regions=[[20, 10]])
    assert read_plan(reversed_region).load_mode == "uniform"
    assert read_plan(reversed_region, "official").regions == ((20.0, 10.0),)
    assert read_plan(plan_text(fps=math.nan)) == FALLBACK_PLAN


@pytest.mark.parametrize(
    "text",
    ["", "no", "[]", "{}", '{"steps": []}', '{"steps": [3]}', plan_text(fps="fast"), plan_text(regions=5)],
)
def test_unreadable_plans_fall_back(text) -> None:
    for mode in ("official", "careful"):
        assert read_plan(text, mode) == FALLBACK_PLAN
    assert (FALLBACK_PLAN.load_mode, FALLBACK_PLAN.fps, FALLBACK_PLAN.rate) == ("uniform", 0.5, "low")
