"""What really goes over the wire to Gemini: inline clips, whole files, uploads."""

from __future__ import annotations

import io
from pathlib import Path

import av
import pytest
from tests.models.test_wire_openai import WATCH
from tests.models.wire import ask, decoded, sha256

from proofreel.models import FailureKind, ModelFailure, media_message, resolve_model, tool_info
from proofreel.models import _google as google
from proofreel.testing import Call, GeminiServer, Text, ToolCalls, Usage
from proofreel.video import Uniform

NAME = "google/gemini-2.5-flash"


def parts_of(server: GeminiServer, request: int = 0):
    return server.requests[request].json["contents"][0]["parts"]


def test_a_cut_clip_goes_inline_with_its_rate_and_the_media_resolution(piece, ledger):
    ref = piece(10.0, 14.0, fps=2.0, height=48, media_resolution="low")
    usage = Usage(prompt=1000, completion=10, modalities={"TEXT": 100, "VIDEO": 772, "AUDIO": 128})
    with GeminiServer([Text("B", usage=usage)]) as server:
        model = resolve_model(NAME, base_url=server.url, ledger=ledger, video_mode="clip")
        record = ask(model, [media_message("Which?", [ref])])
        body = server.requests[0].json
    assert server.requests[0].path.endswith("/models/gemini-2.5-flash:generateContent")
    assert body["generationConfig"]["mediaResolution"] == "MEDIA_RESOLUTION_LOW"
    label, video, question = body["contents"][0]["parts"]
    assert "10.00 s to 14.00 s" in label["text"]
    assert "second 0 of the clip is second 10.00" in label["text"]
    assert question == {"text": "Which?"}
    blob = video.get("inlineData") or video["inline_data"]
    assert (blob.get("mimeType") or blob["mime_type"]) == "video/mp4"
    assert video["videoMetadata"] == {"fps": 2.0}
    data = decoded(blob["data"])
    with av.open(io.BytesIO(data)) as cut:
        assert len(list(cut.decode(video=0))) == 8  # 4 s at 2 fps
        assert len(cut.streams.audio) == 1
    (entry,) = ledger.entries
    assert (entry.clip_bytes, entry.clip_sha256) == (len(data), sha256(data))
    # 872 fresh tokens at 0.3, 128 of sound at 1.0, 10 out at 2.5 dollars a million
    assert record.tokens.cost_usd == pytest.approx((872 * 0.3 + 128 * 1.0 + 10 * 2.5) / 1e6)


def test_a_small_whole_file_goes_inline_untouched_with_bounds(piece, clip, ledger):
    ref = piece(5.0, 9.5, fps=4.0, media_resolution="medium")
    with GeminiServer([Text("B")]) as server:
        ask(resolve_model(NAME, base_url=server.url, ledger=ledger), [media_message("Which?", [ref])])
        _, video, _ = parts_of(server)
        assert server.file_requests == []
    assert decoded((video.get("inlineData") or video["inline_data"])["data"]) == Path(clip).read_bytes()
    meta = {k.lower().replace("_", ""): v for k, v in video["videoMetadata"].items()}
    assert meta == {"startoffset": "5.000s", "endoffset": "9.500s", "fps": 4.0}
    assert ledger.entries[0].clip_sha256 == ref.sha256


def test_a_large_file_is_uploaded_once_with_the_resumable_protocol(piece, clip, ledger, cards, monkeypatch):
    cards(
        f'[models."{NAME}".video_rule]\ninline_bytes = 1000\ndefault_fps = 1.0\nper_frame = {{ default = 258 }}\n'
    )
    monkeypatch.setattr(google, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(google, "_uploads", {})
    with GeminiServer([Text("A"), Text("B")], processing_polls=2) as server:
        model = resolve_model(NAME, base_url=server.url, ledger=ledger)
        ask(model, [media_message("Which?", [piece(0.0, 20.0, fps=1.0)])])
        ask(model, [media_message("Which?", [piece(20.0, 40.0, fps=2.0)])])
        commands = [r.headers.get("x-goog-upload-command", r.method) for r in server.file_requests]
        first, second = parts_of(server)[1], parts_of(server, 1)[1]
        (name,) = server.uploads
        assert server.uploads[name] == Path(clip).read_bytes()
        uri = f"{server.root}/v1beta/{name}"
    assert commands == ["start", "upload, finalize", "GET", "GET", "GET"]
    for video, start, end in ((first, "0.000s", "20.000s"), (second, "20.000s", "40.000s")):
        data = video.get("fileData") or video["file_data"]
        assert (data.get("fileUri") or data["file_uri"]) == uri
        meta = {k.lower().replace("_", ""): v for k, v in video["videoMetadata"].items()}
        assert (meta["startoffset"], meta["endoffset"]) == (start, end)
    assert len(ledger.entries) == 2


def test_frames_stay_images_with_times(frames, ledger):
    with GeminiServer([Text("B")]) as server:
        ask(
            resolve_model(NAME, base_url=server.url, ledger=ledger),
            [media_message("Which?", [frames(Uniform(2))])],
        )
        parts = parts_of(server)
    assert [p["text"] for p in parts if "text" in p] == ["[t=0.00 s]", "[t=39.90 s]", "Which?"]
    images = [p.get("inlineData") or p["inline_data"] for p in parts if "text" not in p]
    assert [sha256(decoded(i["data"])) for i in images] == [f.sha256 for f in ledger.entries[0].frames]


def test_tool_declarations(ledger):
    with GeminiServer([ToolCalls((Call("watch", {"start": 2}),))]) as server:
        record = ask(resolve_model(NAME, base_url=server.url), "go", tools=[tool_info(WATCH)])
        body = server.requests[0].json
    (declaration,) = body["tools"][0].get("functionDeclarations") or body["tools"][0]["function_declarations"]
    assert declaration["name"] == "watch"
    (schema,) = (v for k, v in declaration.items() if k.startswith("parameters"))
    assert schema["required"] == ["start"]
    assert set(schema["properties"]) == {"start", "detail"}
    assert record.output.message.tool_calls[0].arguments == {"start": 2}


def test_two_resolutions_in_one_request_are_refused(piece, ledger):
    refs = [piece(0.0, 2.0, media_resolution="low"), piece(2.0, 4.0, media_resolution="high")]
    with GeminiServer([Text("never")]) as server:
        with pytest.raises(ModelFailure, match="one media resolution") as caught:
            ask(resolve_model(NAME, base_url=server.url, ledger=ledger), [media_message("Which?", refs)])
        assert server.count == 0
    assert caught.value.kind is FailureKind.PAYLOAD
    assert ledger.entries == ()
