"""True video to vLLM and other OpenAI-compatible servers."""

from __future__ import annotations

import asyncio
import io

import av
import pytest
from tests.models.wire import ask, decoded, sha256

from proofreel.models import call_model, media_message, resolve_model
from proofreel.testing import OpenAIServer, Text
from proofreel.video import ClipRef, Uniform

QWEN = "openai-api/local/Qwen/Qwen3-VL-8B-Instruct"


def chat_body(server: OpenAIServer):
    return next(r.json for r in server.requests if r.path.endswith("/chat/completions"))


@pytest.mark.parametrize("name", [QWEN, "vllm/Qwen/Qwen3-VL-8B-Instruct"])
def test_a_clip_is_a_video_url_with_the_settings_that_keep_its_frames(name, piece, ledger):
    with OpenAIServer([Text("B")]) as server:
        ask(
            resolve_model(name, base_url=server.url, ledger=ledger),
            [media_message("Which?", [piece(2.0, 5.0, fps=2.0)])],
        )
        body = chat_body(server)
    assert body["model"] == "Qwen/Qwen3-VL-8B-Instruct"
    label, video, question = body["messages"][0]["content"]
    assert label["text"].startswith("[video clip, 2.00 s to 5.00 s of the video")
    assert question == {"type": "text", "text": "Which?"}
    assert video["type"] == "video_url"
    assert video["video_url"]["url"].startswith("data:video/mp4;base64,")
    data = decoded(video["video_url"]["url"])
    with av.open(io.BytesIO(data)) as cut:
        assert len(list(cut.decode(video=0))) == 6
    assert body["mm_processor_kwargs"] == {"fps": 2.0, "do_sample_frames": True}
    assert body["media_io_kwargs"] == {"video": {"num_frames": -1}}
    assert "extra_body" not in body
    assert ledger.entries[0].clip_sha256 == sha256(data)


def test_frames_as_one_video_of_pictures_with_their_times(frames, ledger):
    ref = frames(Uniform(5), height=64)
    with OpenAIServer([Text("B")]) as server:
        ask(
            resolve_model(QWEN, base_url=server.url, ledger=ledger),
            [media_message("Which?", [ref], frames_as="video")],
        )
        body = chat_body(server)
    label, video, _ = body["messages"][0]["content"]
    head, joined = video["video_url"]["url"].split(",", 1)
    assert head == "data:video/jpeg;base64"
    pictures = [decoded(p) for p in joined.split(",")]
    (entry,) = ledger.entries
    assert [sha256(p) for p in pictures] == [f.sha256 for f in entry.frames]
    assert len(entry.frames) == 5
    # linspace over 400 frames at 10 fps, truncated: 0, 99, 199, 299, 399
    assert label["text"].endswith("seconds: 0.00, 9.90, 19.90, 29.90, 39.90]")
    # 4 gaps over 39.9 s
    assert body["mm_processor_kwargs"] == {
        "fps": pytest.approx(4 / 39.9, abs=1e-6),
        "do_sample_frames": False,
    }
    assert "media_io_kwargs" not in body


def test_own_settings_win(piece, ledger):
    with OpenAIServer([Text("B")]) as server:
        model = resolve_model(
            QWEN,
            base_url=server.url,
            ledger=ledger,
            model_args={
                "mm_processor_kwargs": {"do_sample_frames": False},
                "media_io_kwargs": {"video": {"fps": 1}},
            },
        )
        ask(model, [media_message("Which?", [piece(0.0, 2.0, fps=1.0)])])
        body = chat_body(server)
    assert body["mm_processor_kwargs"] == {"fps": 1.0, "do_sample_frames": False}
    assert body["media_io_kwargs"] == {"video": {"fps": 1}}


def test_clips_of_different_rates_keep_their_order_and_get_no_common_rate(piece, ledger):
    refs = [piece(0.0, 2.0, fps=1.0), piece(6.0, 8.0, fps=2.0)]
    with OpenAIServer([Text("B")]) as server:
        ask(resolve_model(QWEN, base_url=server.url, ledger=ledger), [media_message("Which?", refs)])
        body = chat_body(server)
    videos = [p for p in body["messages"][0]["content"] if p["type"] == "video_url"]
    sent = [sha256(decoded(v["video_url"]["url"])) for v in videos]
    assert sent == [e.clip_sha256 for e in ledger.entries]
    assert [e.ref.start for e in ledger.entries if isinstance(e.ref, ClipRef)] == [0.0, 6.0]
    assert "mm_processor_kwargs" not in body


def test_a_server_without_video_gets_frames_at_the_rate_of_the_clip(piece, ledger):
    with OpenAIServer([Text("B")]) as server:
        model = resolve_model("openai-api/local/some-image-model", base_url=server.url, ledger=ledger)
        record = ask(model, [media_message("Which?", [piece(1.0, 3.0, fps=2.0)])])
        content = chat_body(server)["messages"][0]["content"]
    assert [p["text"] for p in content if p["type"] == "text"][:4] == [
        "[t=1.00 s]",
        "[t=1.50 s]",
        "[t=2.00 s]",
        "[t=2.50 s]",
    ]
    assert ledger.entries[0].ref.kind == "frames"
    assert any("takes no video" in n for n in record.notes)


def test_two_servers_of_one_model_are_two_servers() -> None:
    name = "vllm/Qwen/Qwen3-VL-8B-Instruct"
    for said in ("first", "second"):
        with OpenAIServer([Text(said)]) as server:
            model = resolve_model(name, base_url=server.url)
            assert asyncio.run(call_model(model, "hello")).text == said
            assert server.count == 1
