"""A clip made here, its references, and keys for the loopback servers."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from proofreel.models.pricing import CallUsage
from proofreel.video import ClipRef, FramesRef, Ledger, Plan

FPS = 10
FRAMES = 400


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    """40 s at 10 fps, 96x64, a bar that moves, with a tone."""
    path = tmp_path_factory.mktemp("models") / "bar.mp4"
    with av.open(str(path), "w") as out:
        video = out.add_stream("libx264", rate=FPS)
        video.width, video.height, video.pix_fmt = 96, 64, "yuv420p"
        audio = out.add_stream("aac", rate=16000, layout="mono")
        for i in range(FRAMES):
            image = np.full((64, 96, 3), 30, np.uint8)
            image[:, i % 90 : i % 90 + 6] = (250, i % 250, 200)
            for packet in video.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                out.mux(packet)
        tone = np.sin(np.arange(16000 * 40) * 0.17).astype(np.float32)[None]
        for at in range(0, tone.shape[1], 1024):
            frame = av.AudioFrame.from_ndarray(tone[:, at : at + 1024], format="flt", layout="mono")
            frame.sample_rate, frame.pts = 16000, at
            for packet in audio.encode(frame):
                out.mux(packet)
        for stream in (video, audio):
            for packet in stream.encode(None):
                out.mux(packet)
    return str(path)


@pytest.fixture
def frames(clip: str):
    """Makes a reference to frames of the clip."""

    def make(plan: Plan, **settings: object) -> FramesRef:
        return FramesRef.of(clip, plan, **settings)  # type: ignore[arg-type]

    return make


@pytest.fixture
def piece(clip: str):
    """Makes a reference to a stretch of the clip."""

    def make(start: float, end: float, **settings: object) -> ClipRef:
        return ClipRef.of(clip, start, end, **settings)  # type: ignore[arg-type]

    return make


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "loopback-key")
    for name in ("PROOFREEL_MODELS", "OPENAI_BASE_URL", "GEMINI_API_KEY", "INSPECT_EVAL_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a card file and makes it hold."""

    def write(text: str) -> Path:
        path = tmp_path / "cards.toml"
        path.write_text(text)
        monkeypatch.setenv("PROOFREEL_MODELS", str(path))
        return path

    return write


@pytest.fixture
def usage():
    return CallUsage
