"""Payloads are checked before a single byte is sent."""

from __future__ import annotations

import pytest
from tests.models.wire import ask, decoded, sha256

from proofreel.models import (
    Facts,
    FailureKind,
    PayloadTooLarge,
    check_payload,
    estimate_tokens,
    media_message,
    model_card,
    resolve_model,
)
from proofreel.models.card import ImageRule, ModelCard, VideoRule
from proofreel.models.estimate import frame_count, image_tokens
from proofreel.testing import OpenAIServer, Text
from proofreel.video import At, Rate, Uniform, WithKeyFrames

SMALL = '[models."openai-api/local/two-fifty"]\nmax_images = 250\nimages = true\nvideo = false\n'


def images_on(server: OpenAIServer) -> list[str]:
    content = server.requests[0].json["messages"][0]["content"]
    return [p["image_url"]["url"] for p in content if p["type"] == "image_url"]


def times_on(server: OpenAIServer) -> list[str]:
    content = server.requests[0].json["messages"][0]["content"]
    return [p["text"] for p in content if p["type"] == "text" and p["text"].startswith("[t=")]


def test_384_frames_to_a_250_image_model_are_refused_with_a_plan(frames, ledger, cards):
    cards(SMALL)
    with OpenAIServer([Text("never")]) as server:
        model = resolve_model("openai-api/local/two-fifty", base_url=server.url, ledger=ledger)
        with pytest.raises(PayloadTooLarge, match="384 images in one request, at most 250") as caught:
            ask(model, [media_message("Which?", [frames(Uniform(384))])])
        assert server.count == 0
    assert caught.value.kind is FailureKind.PAYLOAD
    assert caught.value.plan.images == 250
    assert "250 of 384 frames" in str(caught.value)
    assert ledger.entries == ()


def test_384_frames_fitted_to_250_spread_over_the_whole_video(frames, ledger, cards):
    cards(SMALL)
    with OpenAIServer([Text("B")]) as server:
        model = resolve_model(
            "openai-api/local/two-fifty", base_url=server.url, ledger=ledger, on_limit="fit"
        )
        record = ask(model, [media_message("Which?", [frames(Uniform(384))])])
        images, times = images_on(server), times_on(server)
    assert len(images) == len(times) == 250
    assert (times[0], times[-1]) == ("[t=0.00 s]", "[t=39.90 s]")
    assert [sha256(decoded(i)) for i in images] == [f.sha256 for f in ledger.entries[0].frames]
    assert any("250 of 384" in n for n in record.notes)


def test_images_of_earlier_turns_count(frames, ledger, cards):
    from inspect_ai.model import ChatMessageAssistant

    cards(SMALL)
    turns = [
        media_message("a", [frames(Uniform(130))]),
        ChatMessageAssistant(content="more"),
        media_message("b", [frames(Rate(4.0, 0.0, 35.0))]),
    ]
    with OpenAIServer([Text("never")]) as server:
        model = resolve_model("openai-api/local/two-fifty", base_url=server.url, ledger=ledger)
        with pytest.raises(PayloadTooLarge, match="270 images"):
            ask(model, turns)
        assert server.count == 0


@pytest.mark.parametrize(
    ("field", "said"), [("max_image_bytes", "an image of"), ("max_request_bytes", "a request of")]
)
def test_too_many_bytes_are_refused_before_sending_and_fitted_by_height(field, said, frames, ledger, cards):
    limit = 2500 if field == "max_image_bytes" else 25_000
    cards(f'[models."openai-api/local/tight"]\n{field} = {limit}\n')
    ref = frames(Uniform(8), height=480)
    with OpenAIServer([Text("B")]) as server:
        name = "openai-api/local/tight"
        model = resolve_model(name, base_url=server.url, ledger=ledger)
        with pytest.raises(PayloadTooLarge, match=said):
            ask(model, [media_message("Which?", [ref])])
        assert server.count == 0
        model = resolve_model(name, base_url=server.url, ledger=ledger, on_limit="fit")
        ask(model, [media_message("Which?", [ref])])
        images = [decoded(i) for i in images_on(server)]
        assert len(images) == 8
        if field == "max_image_bytes":
            assert max(len(i) for i in images) <= limit
        else:
            assert len(server.requests[0].raw) <= limit + 1500  # the fixed parts of a request


CARD = ModelCard(
    name="t", source="test", max_image_side=2000, many_images=20, max_image_side_many=1000, images=True
)
WIDE = {"facts": lambda _: Facts(100.0, 1920, 1080, 3000)}


def test_the_side_limit_shrinks_above_many_images(frames):
    assert check_payload(CARD, [frames(Uniform(20))], **WIDE).images == 20
    with pytest.raises(PayloadTooLarge, match="1920 px, at most 1000 px"):
        check_payload(CARD, [frames(Uniform(21))], **WIDE)
    plan = check_payload(CARD, [frames(Uniform(21))], policy="fit", **WIDE)
    assert plan.refs[0].height == 562  # 1080 * 1000 / 1920 rounded down
    assert plan.images == 21


def test_context_is_checked_with_the_text_and_fitted_by_height_first(frames):
    card = ModelCard(
        name="c",
        source="test",
        context_tokens=10_000,
        image_tokens=ImageRule(kind="patches", patch=32),
    )
    ref = frames(Uniform(10))
    # 60 * 34 patches and 8 tokens of time a frame
    assert estimate_tokens(card, ref, facts=WIDE["facts"]("")) == 10 * (60 * 34 + 8)
    with pytest.raises(PayloadTooLarge, match="about 21480 prompt tokens, the context holds 10000"):
        check_payload(card, [ref], text_tokens=1000, **WIDE)
    plan = check_payload(card, [ref], text_tokens=1000, policy="fit", **WIDE)
    assert plan.images == 10
    assert plan.refs[0].height < 1080
    assert plan.tokens <= 9000


def test_context_takes_frames_away_where_size_does_not_matter(frames):
    card = ModelCard(
        name="c", source="test", context_tokens=1000, image_tokens=ImageRule(kind="fixed", tokens=92)
    )
    plan = check_payload(card, [frames(At(range(20)))], policy="fit", **WIDE)
    assert plan.images == 10  # 100 tokens each with the time
    kept = plan.refs[0].plan["times"]
    assert (kept[0], kept[-1]) == (0.0, 19.0)


def test_nothing_fits(frames):
    card = ModelCard(name="n", source="test", max_images=1)
    with pytest.raises(PayloadTooLarge, match="no number of frames would fit"):
        check_payload(card, [frames(Uniform(1)), frames(Uniform(2))], policy="fit", **WIDE)


def test_clip_limits(piece):
    card = ModelCard(name="v", source="test", video=True, video_rule=VideoRule(max_fps=24, max_seconds=30))
    with pytest.raises(PayloadTooLarge, match="a clip at 30 fps, at most 24"):
        check_payload(card, [piece(0.0, 10.0, fps=30.0)], **WIDE)
    assert check_payload(card, [piece(0.0, 10.0, fps=30.0)], policy="fit", **WIDE).refs[0].fps == 24
    with pytest.raises(PayloadTooLarge, match="a clip of 40 s, at most 30 s"):
        check_payload(card, [piece(0.0, 40.0)], **WIDE)


def test_without_a_card_nothing_is_refused_and_it_says_so(frames):
    plan = check_payload(model_card("openai-api/x/unheard-of"), [frames(Uniform(384))], **WIDE)
    assert plan.images == 384
    assert plan.tokens is None
    assert "limits not checked" in plan.notes[0]


def test_clip_tokens_of_gemini(piece):
    card = model_card("google/gemini-2.5-pro")
    facts = Facts(100.0, 1920, 1080, 3000)
    # ten seconds: 258 (or 66 at low) a frame at one frame a second, and 32 a second of sound
    assert estimate_tokens(card, piece(0.0, 10.0), facts=facts) == 10 * 258 + 320
    assert estimate_tokens(card, piece(0.0, 10.0, media_resolution="low"), facts=facts) == 10 * 66 + 320
    assert estimate_tokens(card, piece(0.0, 10.0, fps=5.0, audio=False), facts=facts) == 50 * 258


@pytest.mark.parametrize(
    ("rule", "size", "detail", "tokens"),
    [
        # published example of the tile rule: 2048x4096 becomes 768x1536, 2 x 3 tiles: 85 + 6 * 170
        (ImageRule(kind="tiles", base=85, per_tile=170, low=85), (2048, 4096), "high", 85 + 6 * 170),
        (ImageRule(kind="tiles", base=85, per_tile=170, low=85), (1024, 1024), "auto", 85 + 4 * 170),
        (ImageRule(kind="tiles", base=85, per_tile=170, low=85), (2048, 4096), "low", 85),
        # published example of the crop rule: 960x540 is 3 x 2 crops of 360
        (ImageRule(kind="crops", tokens=258), (960, 540), "auto", 6 * 258),
        (ImageRule(kind="crops", tokens=258), (384, 300), "auto", 258),
        (
            ImageRule(kind="area", pixels_per_token=750, max_side=1568, max_tokens=1600),
            (1000, 1000),
            "auto",
            1334,
        ),
        (
            ImageRule(kind="area", pixels_per_token=750, max_side=1568, max_tokens=1600),
            (3000, 3000),
            "auto",
            1600,
        ),
        (ImageRule(kind="patches", patch=32), (640, 360), "auto", 20 * 12),
        (ImageRule(kind="fixed", tokens=280), (640, 360), "auto", 280),
    ],
)
def test_image_token_rules(rule, size, detail, tokens):
    assert image_tokens(rule, *size, detail) == tokens


@pytest.mark.parametrize(
    ("plan", "count"),
    [
        (Uniform(64), 64),
        (Uniform(500), 400),
        (At((1.0, 2.0, 2.0)), 3),
        (Rate(1.0), 40),
        (Rate(0.7, 1.0, 11.0), 7),
        (Rate(2.0, 0.0, 1000.0, cap=50), 50),
        (WithKeyFrames(Rate(1.0), (3.0,), 384), 41),
    ],
)
def test_counts_before_decoding(plan, count, clip):
    from proofreel.video import read_frames

    facts = Facts(40.0, 96, 64, 400)
    assert frame_count(plan, facts) == count
    assert len(read_frames(clip, plan, height=16).times) <= count
