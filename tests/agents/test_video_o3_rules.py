"""Video-o3's pure rules; expected values are worked by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofreel.agents._video_o3 import (
    CROP_QUOTAS,
    STRATEGIES,
    Grounding,
    InvalidGroundingError,
    answer_text,
    crop_frames,
    cut_reply,
    read_grounding,
    read_grounding_strict,
    tokens_per_frame,
)


@settings(deadline=None)
@given(st.integers(2, 768), st.sampled_from(STRATEGIES))
def test_quotas_are_kept_and_never_crossed(frames, strategy) -> None:
    most, least = tokens_per_frame(frames, strategy)
    pairs = frames // 2
    assert most <= 768 and most * pairs <= CROP_QUOTAS[strategy]
    assert most == 768 or (most + 1) * pairs > CROP_QUOTAS[strategy]  # nothing given away
    assert least * pairs <= 512 < (least + 1) * pairs
    assert least <= most
    assert tokens_per_frame(frames, strategy, mode="official") == (most, least)


@settings(deadline=None)
@given(st.integers(1, 768))
def test_finer_is_never_fewer_and_more_frames_never_more(frames) -> None:
    coarse, medium, fine = (tokens_per_frame(frames, s)[0] for s in STRATEGIES)
    assert coarse <= medium <= fine
    assert tokens_per_frame(frames + 2, "fine")[0] <= fine
    assert tokens_per_frame(frames, "huge")[0] == medium
    assert {tokens_per_frame(frames, s, dynamic=False)[0] for s in STRATEGIES} == {medium}


def test_a_single_frame_counts_as_a_pair_in_careful_mode_only() -> None:
    assert tokens_per_frame(1, "coarse") == (768, 512)
    with pytest.raises(InvalidGroundingError, match="1 frames"):
        tokens_per_frame(1, "coarse", mode="official")
    for mode in ("official", "careful"):
        with pytest.raises(InvalidGroundingError):
            tokens_per_frame(0, "coarse", mode=mode)


def block(segment: str, strategy: str = '"fine"') -> str:
    return f'<grounding>{{"temporal_segment": {segment}, "sampling_strategy": {strategy}}}</grounding>'


def test_the_last_complete_block_counts() -> None:
    assert read_grounding(block("[1, 2]") + block("[3, 4]") + "<grounding>{").start == 3
    assert read_grounding("<grounding> first " + block("[5, 6]")).start == 5


def test_evaluation_reads_loosely_training_strictly() -> None:
    assert read_grounding(block('["3", 9.5]', "7")) == Grounding(3.0, 9.5, "7")
    for bad in (block('["3", 9.5]'), block("[3, 9]", "7"), block("[3, 9]", '["fine"]'), block("[3, 3.9]")):
        with pytest.raises(InvalidGroundingError):
            read_grounding_strict(bad, 100)
    assert read_grounding_strict(block("[3, 4]"), 100) == Grounding(3, 4, "fine")


@settings(deadline=None)
@given(st.floats(-50, 200), st.floats(-50, 200), st.floats(1, 120))
def test_strict_segments_lie_in_the_video_and_last_a_second(start, end, length) -> None:
    try:
        got = read_grounding_strict(block(f"[{start!r}, {end!r}]"), length)
    except InvalidGroundingError:
        assert max(start, 0) > min(end, length) - 1
    else:
        assert 0 <= got.start <= got.end - 1 and got.end <= length


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<grounding>",
        "</grounding><grounding>",
        block("[1]"),
        block("[1, 2, 3]"),
        block("5"),
        block('{"a": 1}'),
        block("[[1], 2]"),
        '<grounding>{"temporal_segment": [1, 2]}</grounding>',
        "<grounding>" * 20_000,
        "<grounding>" + "[" * 50_000 + "</grounding>",
        "<grounding>" + '{"a":' * 50_000 + "}</grounding>",
    ],
)
def test_unreadable_requests_are_one_typed_error(text) -> None:
    for read in (read_grounding, lambda t: read_grounding_strict(t, 100)):
        with pytest.raises(InvalidGroundingError) as caught:
            read(text)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_times_that_are_not_finite_are_refused_in_careful_mode() -> None:
    assert math.isnan(read_grounding(block("[NaN, 2]"), "official").start)
    for segment in ("[NaN, 2]", "[0, Infinity]", "[1e999, 2]"):
        with pytest.raises(InvalidGroundingError):
            read_grounding(block(segment))


@settings(deadline=None)
@given(
    st.floats(-10, 150),
    st.floats(-10, 150),
    st.sampled_from([1.0, 2.0, 25.0, 30000 / 1001]),
    st.integers(1, 2500),
)
def test_crops_hold_exactly_the_frames_inside(start, end, fps, total) -> None:
    duration = total / fps
    inside = [i for i in range(total) if start * fps <= i <= min(end, duration) * fps]
    try:
        first, last = crop_frames(start, end, fps, total)
    except InvalidGroundingError:
        assert start >= duration or end <= start or not inside
    else:
        assert (first, last) == (inside[0], inside[-1])


@pytest.mark.parametrize(
    "segment", [(10, 20), (50, 60), (5, 5), (6, 5), (math.nan, 5), (1, math.nan), (1.1, 1.2)]
)
def test_crops_outside_or_empty_are_refused(segment) -> None:
    with pytest.raises(InvalidGroundingError):
        crop_frames(*segment, 2.0, 20)  # 10 s


def test_a_reply_ends_at_its_first_closing_tag() -> None:
    ask, answer = block("[1, 5]"), "<answer> B </answer>"
    assert cut_reply(f"<think>a</think>{ask} and then {answer}") == f"<think>a</think>{ask}"
    assert cut_reply(f"{answer}{ask}") == answer
    assert cut_reply("no tags") == "no tags"


def test_answers_count_beside_a_request() -> None:
    assert answer_text(f"{block('[1, 5]')}<answer> B </answer>") == "B"
    assert answer_text("<answer>a</answer><answer>b</answer>") == "a"
    assert answer_text("</answer><answer>a</answer>") == "a"
    assert answer_text("<answer></answer>") == ""
    for none in ("", "B", "<answer>B", "B</answer>"):
        assert answer_text(none) is None
