"""Cards and money."""

from __future__ import annotations

import pytest

from proofreel.core import BoxScale, TokenUse
from proofreel.models import (
    CallUsage,
    CardError,
    UnknownModel,
    add_card_file,
    all_cards,
    list_cards,
    model_card,
    price,
)
from proofreel.models import cards as cards_module


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("openai/gpt-5", "openai/gpt-5"),
        ("proofreel/openai/gpt-5-2025-08-07", "openai/gpt-5"),
        ("openai/gpt-5-mini", "openai/gpt-5-mini"),
        ("anthropic/claude-opus-4-7", "anthropic/claude-opus-4-7"),
        ("vllm/Qwen/Qwen3-VL-8B-Instruct", "vllm/qwen3-vl"),
        ("openai-api/local/Qwen/Qwen3.5-27B", "vllm/qwen3.5"),
        ("vllm/google/gemma-4-E4B-it", "vllm/gemma-4-e"),
        ("vllm/google/gemma-4-31B-it", "vllm/gemma-4"),
        ("google/gemini-2.5-flash", "google/gemini-2.5-flash"),
    ],
)
def test_names_find_their_card(name, card):
    assert model_card(name).name == card


def test_a_neighbour_is_not_taken_for_the_model():
    for name in ("google/gemini-2.5-flash-lite", "openai/gpt-50", "openai/gpt-5-nano"):
        assert not model_card(name).known, name
    with pytest.raises(UnknownModel, match="gemini-2.5-flash"):
        model_card("google/gemini-2.5-flash-lite", strict=True)


def test_every_card_says_where_it_comes_from():
    for card in all_cards().values():
        assert card.source != "no card"
        assert card.date is not None
        assert card.match == tuple(m.lower() for m in card.match)


def test_the_list_has_a_line_for_each():
    lines = {c.name: c.summary for c in list_cards()}
    assert list(lines) == sorted(lines)
    assert lines["google/gemini-2.5-flash"].startswith(
        "takes images, video, sound; 1048k tokens; at most 3600 images"
    )
    assert "$0.3 in, $2.5 out" in lines["google/gemini-2.5-flash"]
    assert "price unknown" in lines["vllm/qwen3-vl"]


def test_conventions_of_the_protocol_models():
    assert model_card("vllm/Qwen/Qwen3-VL-4B-Instruct").box_scale is BoxScale.THOUSAND
    assert model_card("vllm/Qwen/Qwen2.5-VL-7B-Instruct").box_scale is BoxScale.PIXEL
    assert model_card("google/gemini-2.5-pro").video is True
    assert model_card("openai/gpt-5").video is False
    assert model_card("vllm/google/gemma-4-E2B-it").audio is True
    assert model_card("vllm/google/gemma-4-31B-it").audio is False


@pytest.mark.parametrize(
    ("prompt", "dollars"),
    [
        (199_000, 0.199 * 1.25 + 0.001 * 10),
        (200_000, 0.200 * 1.25 + 0.001 * 10),
        (201_000, 0.201 * 2.50 + 0.001 * 15),
    ],
)
def test_the_long_context_price_holds_for_the_whole_request(prompt, dollars):
    card = model_card("google/gemini-2.5-pro")
    assert price(card, CallUsage(prompt=prompt, completion=1000)) == pytest.approx(dollars)
    assert price(card, TokenUse(prompt=prompt, completion=1000, calls=1)) == pytest.approx(dollars)


def test_cached_tokens_count_for_the_band_but_cost_less():
    card = model_card("google/gemini-2.5-pro")
    use = CallUsage(prompt=201_000, cached=200_000)
    assert price(card, use) == pytest.approx(0.2 * 0.25 + 0.001 * 2.5)


def test_sound_has_its_own_price():
    card = model_card("google/gemini-2.5-flash")
    use = CallUsage(prompt=1000, modalities={"text": 100, "audio": 900})
    assert price(card, use) == pytest.approx((100 * 0.3 + 900 * 1.0) / 1e6)


def test_an_unknown_price_is_unknown_not_zero():
    assert price(model_card("vllm/Qwen/Qwen3-VL-8B-Instruct"), CallUsage(prompt=5)) is None
    assert price(model_card("nobody/nothing"), CallUsage(prompt=5)) is None
    cached_unknown = model_card("openai/gpt-5").model_copy(
        update={"prices": (model_card("openai/gpt-5").prices[0].model_copy(update={"cached": None}),)}
    )
    assert price(cached_unknown, CallUsage(prompt=10, cached=5)) is None
    assert price(cached_unknown, CallUsage(prompt=10)) == pytest.approx(12.5e-6)


def test_engine_usage_leaves_cached_tokens_out_of_input():
    from inspect_ai.model import ModelUsage

    use = CallUsage.of(ModelUsage(input_tokens=7, input_tokens_cache_read=3, output_tokens=2))
    assert (use.prompt, use.cached, use.completion) == (10, 3, 2)


def test_own_file_overrides_and_adds(cards):
    cards(
        '[models."openai/gpt-5"]\nmax_images = 12\n\n'
        '[models."openai-api/lab/our-model"]\nmax_images = 5\nvideo = true\nprices = [{ input = 1, output = 2 }]\n'
    )
    assert model_card("openai/gpt-5").max_images == 12
    assert model_card("openai/gpt-5").context_tokens == 400_000
    ours = model_card("openai-api/lab/our-model")
    assert (ours.max_images, ours.video) == (5, True)
    assert price(ours, CallUsage(prompt=1_000_000, completion=1_000_000)) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models", "not a TOML"),
        ("x = 1\n", "no .models"),
        ('[models."a/b"]\nmax_imags = 3\n', "card 'a/b', field max_imags"),
        ('[models."a/b"]\ncontext_tokens = "many"\n', "field context_tokens"),
    ],
)
def test_a_wrong_file_is_named_in_one_line(text, said, cards):
    path = cards(text)
    with pytest.raises(CardError, match=said) as caught:
        model_card("a/b")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_given_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr(cards_module, "_extra", [])
    path = tmp_path / "mine.toml"
    path.write_text('[models."x/y"]\nmax_images = 3\n')
    add_card_file(path)
    assert model_card("x/y").max_images == 3
    with pytest.raises(CardError, match="cannot read"):
        add_card_file(tmp_path / "absent.toml")
