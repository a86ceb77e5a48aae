from pathlib import Path

import av
import numpy as np
import pytest

from proofreel.report._sound import loudness
from proofreel.video import probe


def film(path: Path, sound: np.ndarray | None, seconds: int = 4) -> Path:
    """A dark video of a few frames a second with the given 16 kHz sound."""
    with av.open(str(path), "w") as out:
        picture = out.add_stream("libx264", rate=5)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        track = out.add_stream("aac", rate=16000, layout="mono") if sound is not None else None
        for _ in range(5 * seconds):
            out.mux(
                picture.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24"))
            )
        out.mux(picture.encode(None))
        if track is not None and sound is not None:
            frame = av.AudioFrame.from_ndarray(sound.astype(np.float32)[None], format="fltp", layout="mono")
            frame.sample_rate = 16000
            out.mux(track.encode(frame))
            out.mux(track.encode(None))
    return path


def test_steps_follow_the_sound(tmp_path: Path) -> None:
    t = np.arange(4 * 16000) / 16000
    # Silence, a quiet second, silence, a second four times as loud.
    volume = np.select([t < 1, t < 2, t < 3], [0.0, 0.2, 0.0], 0.8)
    path = film(tmp_path / "tones.mp4", volume * np.sin(2 * np.pi * 440 * t))
    steps = loudness(path, probe(path), steps=40)
    assert len(steps) == 40 and max(steps) == 1.0
    assert max(steps[1:9]) < 0.02 and max(steps[22:28]) < 0.02
    assert steps[12:18] == pytest.approx([0.25] * 6, abs=0.03)
    assert steps[32:38] == pytest.approx([1.0] * 6, abs=0.05)


def test_silence_is_flat_and_no_track_is_nothing(tmp_path: Path) -> None:
    silent = film(tmp_path / "silent.mp4", np.zeros(4 * 16000))
    assert loudness(silent, probe(silent), steps=10) == [0.0] * 10
    mute = film(tmp_path / "mute.mp4", None)
    assert loudness(mute, probe(mute)) == []
