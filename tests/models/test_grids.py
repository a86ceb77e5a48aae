"""Grids of frames on the wire: one picture, every frame told and written down."""

from __future__ import annotations

import pytest
from tests.models.wire import ask, decoded, sha256

from proofreel.models import PayloadTooLarge, check_payload, estimate_tokens, media_message, resolve_model
from proofreel.models.card import ImageRule, ModelCard
from proofreel.models.media import MediaPart
from proofreel.testing import OpenAIServer, Text
from proofreel.video import GridRef, Numbered


def grid_of(clip: str, n: int = 5, **settings) -> GridRef:
    return GridRef.of(clip, Numbered([10 * i for i in range(n)]), columns=3, **settings)


def test_a_grid_is_one_picture_with_the_times_of_its_cells(clip, ledger):
    ref = grid_of(clip)
    with OpenAIServer([Text("B")]) as server:
        model = resolve_model("openai-api/local/some-vlm", base_url=server.url, ledger=ledger)
        record = ask(model, [media_message("Which cell?", [ref], detail="high")])
        content = server.requests[0].json["messages"][0]["content"]
    assert [p["type"] for p in content] == ["text", "image_url", "text"]
    assert content[0]["text"].startswith("[grid of 5 frames; 1: t=0.00 s, 2: t=1.00 s, ")
    assert content[1]["image_url"]["detail"] == "high"
    (entry,) = ledger.entries
    assert [f.time for f in entry.frames] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert {f.sha256 for f in entry.frames} == {sha256(decoded(content[1]["image_url"]["url"]))}
    assert (entry.width, entry.height) == (600, 2 * 133)  # 96x64 in cells 200 wide, two rows
    assert record.media == (ref.id,)


def test_a_grid_counts_as_one_image_and_is_lowered_not_thinned(clip):
    small = ModelCard(name="small", images=True, max_images=1, max_image_side=300)
    with pytest.raises(PayloadTooLarge, match="pictures of 600 px, at most 300"):
        check_payload(small, [grid_of(clip)])
    plan = check_payload(small, [grid_of(clip)], policy="fit")
    (fitted,) = plan.refs
    assert (plan.images, fitted.cell_width, fitted.plan) == (1, 100, grid_of(clip).plan)
    with pytest.raises(PayloadTooLarge, match="2 images in one request, at most 1"):
        check_payload(small, [grid_of(clip), grid_of(clip, 4)])


def test_tokens_are_those_of_one_picture_and_its_labels(clip):
    card = ModelCard(name="fixed", image_tokens=ImageRule(kind="fixed", tokens=100))
    assert estimate_tokens(card, grid_of(clip)) == 100 + 5 * 8


def test_a_reference_part_reads_back(clip):
    ref = grid_of(clip, crops=(None, (0.0, 0.0, 0.6, 0.6), None, None, None))
    assert MediaPart(media_message("x", [ref]).content[0]).ref == ref
