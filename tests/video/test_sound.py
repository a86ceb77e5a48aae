"""Sound alone: the right seconds of it, on the wire of models that listen, and nothing else."""

import asyncio
import base64
import io
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from pydantic import ValidationError

from proofreel.models import media_message, resolve_model
from proofreel.models.payload import PayloadTooLarge
from proofreel.testing import AnthropicServer, GeminiServer, OpenAIServer, Text
from proofreel.tools.model_call import ask_model
from proofreel.video import BadRequest, ClipRef, Ledger, NoAudio, cut_sound, expand_sound

RATE = 16000


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds; 440 Hz from 0 to 3 s, 1000 Hz from 3 to 6 s."""
    path = tmp_path_factory.mktemp("sound") / "tones.mp4"
    with av.open(str(path), "w") as out:
        video: Any = out.add_stream("libx264", rate=5)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio: Any = out.add_stream("aac", rate=RATE, layout="mono")
        for _ in range(30):
            out.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        time = np.arange(6 * RATE) / RATE
        tone = 0.5 * np.sin(2 * np.pi * np.where(time < 3, 440, 1000) * time)
        frame = av.AudioFrame.from_ndarray(tone[None].astype(np.float32), format="fltp", layout="mono")
        frame.sample_rate = RATE
        out.mux(audio.encode(frame))
        out.mux(video.encode(None))
        out.mux(audio.encode(None))
    return path


def heard(mp3: bytes) -> npt.NDArray[np.float64]:
    with av.open(io.BytesIO(mp3)) as file:
        assert [s.type for s in file.streams] == ["audio"]
        chunks = [f.to_ndarray()[0] for f in file.decode(audio=0)]
    return np.concatenate(chunks).astype(float)


def pitch(samples: npt.NDArray[np.float64], at: float) -> float:
    part = samples[int(at * RATE) : int((at + 0.5) * RATE)]
    return float(np.argmax(np.abs(np.fft.rfft(part))) * RATE / len(part))


def test_seconds_of_the_sound_are_seconds_of_the_video(clip: Path) -> None:
    whole = heard(cut_sound(clip))
    assert len(whole) / RATE == pytest.approx(6, abs=0.2)  # mp3 pads its ends
    assert [pitch(whole, t) for t in (1, 2, 4, 5)] == pytest.approx([440, 440, 1000, 1000], abs=5)
    part = heard(cut_sound(clip, 2.0, 4.0))
    assert len(part) / RATE == pytest.approx(2, abs=0.2)
    assert [pitch(part, t) for t in (0.2, 1.3)] == pytest.approx([440, 1000], abs=5)
    assert cut_sound(clip) == cut_sound(clip)


def test_a_reference_without_pictures(clip: Path) -> None:
    ref = ClipRef.of(clip, 0.0, 6.0, pictures=False)
    assert expand_sound(ref) == cut_sound(clip, 0.0, 6.0)
    plain = ClipRef.of(clip, 0.0, 6.0)
    assert ref.id != plain.id and ClipRef.model_validate(ref.model_dump(mode="json")) == ref
    with pytest.raises(BadRequest):
        expand_sound(plain)
    for wrong in ({"audio": False}, {"fps": 1.0}, {"height": 48}):
        with pytest.raises((BadRequest, ValidationError)):
            ClipRef.of(clip, 0.0, 6.0, pictures=False, **wrong)


def test_a_clip_keeps_the_name_it_had(clip: Path) -> None:
    import hashlib
    import json

    ref = ClipRef.of(clip, 0.0, 6.0)
    kept = {k: v for k, v in ref.model_dump(mode="json").items() if k not in ("video", "pictures")}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    assert ref.id == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_a_silent_video_has_none(tmp_path: Path) -> None:
    from agents.wire import write_clip

    with pytest.raises(NoAudio):
        cut_sound(write_clip(tmp_path / "silent.mp4", seconds=1))


def asked(server: Any, name: str, clip: Path, ledger: Ledger) -> Any:
    ref = ClipRef.of(clip, 1.0, 4.0, pictures=False)
    with server:
        model = resolve_model(name, base_url=server.url, max_retries=0)
        return asyncio.run(ask_model(model, [media_message("What is heard?", [ref])], ledger=ledger))


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "test-key-not-real")


def test_openai_compatible_servers_get_input_audio(clip: Path) -> None:
    server, ledger = OpenAIServer([Text("a tone")]), Ledger()
    assert asked(server, "openai-api/local/some-omni", clip, ledger).text == "a tone"
    label, sound, words = server.requests[0].json["messages"][0]["content"]
    assert label["text"] == "[sound of the video, 1.00 s to 4.00 s]" and words["text"] == "What is heard?"
    assert sound["type"] == "input_audio" and sound["input_audio"]["format"] == "mp3"
    mp3 = base64.b64decode(sound["input_audio"]["data"])
    assert pitch(heard(mp3), 0.5) == pytest.approx(440, abs=5)
    (entry,) = ledger.entries
    assert (entry.clip_bytes, entry.frames, entry.ref.pictures) == (len(mp3), (), False)


def test_gemini_gets_the_sound_as_a_file(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    server = GeminiServer([Text("a tone")])
    assert asked(server, "google/gemini-2.5-flash", clip, Ledger()).text == "a tone"
    parts = server.requests[-1].json["contents"][0]["parts"]
    (file,) = [p.get("fileData") or p.get("file_data") for p in parts if "text" not in p]
    assert (file.get("mimeType") or file.get("mime_type")) == "audio/mpeg"
    (data,) = server.uploads.values()
    assert pitch(heard(data), 0.5) == pytest.approx(440, abs=5)


def test_models_that_do_not_hear_are_not_sent_sound(clip: Path) -> None:
    server = AnthropicServer([Text("never")])
    reply = asked(server, "anthropic/claude-sonnet-4-5", clip, Ledger())
    assert isinstance(reply.failure, PayloadTooLarge) and "takes no sound" in str(reply.failure)
    assert server.count == 0
