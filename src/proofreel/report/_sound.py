"""The loudness of a video over its length."""

from os import PathLike

import numpy as np

from proofreel.video import VideoError, VideoInfo
from proofreel.video.audio import iter_audio

STEPS = 300
LONGEST = 1200.0
_RATE = 8000
_SILENCE = 1e-4


def loudness(path: str | PathLike[str], info: VideoInfo, steps: int = STEPS) -> list[float]:
    """Root mean square per step of equal length, over that of the loudest step: values in [0, 1].

    All zeros for silence. Empty without sound, for sound that cannot be decoded, and for a video of more than
    20 minutes, where listening would take longer than the page is worth.
    """
    if not info.has_audio or not info.duration or info.duration > LONGEST:
        return []
    energy, samples = np.zeros(steps), np.zeros(steps)
    at = 0
    try:
        for chunk in iter_audio(path, 30.0, _RATE, 0.0, info.duration):
            where = (np.arange(at, at + len(chunk)) * (steps / (info.duration * _RATE))).astype(np.int64)
            where = np.minimum(where, steps - 1)
            energy += np.bincount(where, weights=np.square(chunk, dtype=np.float64), minlength=steps)
            samples += np.bincount(where, minlength=steps)
            at += len(chunk)
    except VideoError:
        return []
    level = np.sqrt(energy / np.maximum(samples, 1))
    top = float(level.max())
    return [float(v) for v in level / top] if top > _SILENCE else [0.0] * steps
