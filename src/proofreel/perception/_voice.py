"""Where in a sound somebody speaks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofreel.perception._spans import RATE

# A clip is at most about one window of the speech model.
WINDOW, MAX_SILENCE, MARGIN, ONSET_SLACK = 28.0, 4.0, 0.3, 0.1


@dataclass(frozen=True)
class Clip:
    """A stretch with speech, in seconds from the first sample: what the model is given.

    Attributes:
        start: a margin before the voice.
        onset: where the voice really begins.
        end: a margin after the voice.
    """

    start: float
    onset: float
    end: float


def speech_clips(samples: NDArray[np.float32]) -> list[Clip]:
    """Stretches with speech; silences of up to 4 s inside a stretch are kept.

    Glued together without its silences, as speech engines do by themselves, a sentence that is said twice is
    written once.

    Args:
        samples: float32 [n] mono at 16 kHz.
    """
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=500, speech_pad_ms=0)
    voiced: list[tuple[float, float]] = []
    for found in get_speech_timestamps(samples, options):
        start, end = found["start"] / RATE, found["end"] / RATE
        last = voiced[-1] if voiced else None
        if last and start - last[1] <= MAX_SILENCE and end - last[0] <= WINDOW:
            voiced[-1] = (last[0], end)
        else:
            voiced.append((start, end))
    length, clips = len(samples) / RATE, []
    for k, (start, end) in enumerate(voiced):
        # Neighbours share the silence between them, so that no sound is heard twice.
        before = (voiced[k - 1][1] + start) / 2 if k else 0.0
        after = (end + voiced[k + 1][0]) / 2 if k + 1 < len(voiced) else length
        clips.append(
            Clip(max(before, start - MARGIN), max(before, start - ONSET_SLACK), min(after, end + MARGIN))
        )
    return clips
