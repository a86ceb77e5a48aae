"""Where in a sound somebody speaks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofreel.perception._spans import RATE

# A clip is at most about one window of the speech model.
WINDOW, MAX_SILENCE, MARGIN, ONSET_SLACK = 28.0, 8.0, 0.3, 0.1


@dataclass(frozen=True)
class Clip:
    """A stretch with speech, in seconds from the first sample: what the model is given.

    Attributes:
        start: a margin before the voice.
        end: a margin after the voice.
        voiced: (start, end) of every utterance inside, the start with a little slack for soft first sounds.
    """

    start: float
    end: float
    voiced: tuple[tuple[float, float], ...]

    def onset(self, start: float, end: float) -> float:
        """Where a word really begins that the model puts at ``start``: no earlier than the voice it belongs to.

        The model stretches the first word after a silence into that silence.
        """
        if any(a <= start < b for a, b in self.voiced):
            return start
        return next((a for a, _ in self.voiced if start < a < end), start)


def speech_clips(samples: NDArray[np.float32]) -> list[Clip]:
    """Stretches with speech; silences of up to 8 s inside a stretch are kept.

    Glued together without its silences a sentence that is said twice is written once; one clip for each sentence
    costs three times as much and loses context (word errors 7.5 % instead of 2.3 % on 60 synthetic sentences).

    Args:
        samples: float32 [n] mono at 16 kHz.
    """
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=500, speech_pad_ms=0)
    groups: list[list[tuple[float, float]]] = []
    for found in get_speech_timestamps(samples, options):
        start, end = found["start"] / RATE, found["end"] / RATE
        last = groups[-1] if groups else None
        if last and start - last[-1][1] <= MAX_SILENCE and end - last[0][0] <= WINDOW:
            last.append((start, end))
        else:
            groups.append([(start, end)])
    length, clips = len(samples) / RATE, []
    for k, group in enumerate(groups):
        start, end = group[0][0], group[-1][1]
        # Neighbours share the silence between them, so that no sound is heard twice.
        before = (groups[k - 1][-1][1] + start) / 2 if k else 0.0
        after = (end + groups[k + 1][0][0]) / 2 if k + 1 < len(groups) else length
        soft = tuple((max(0.0, a - ONSET_SLACK), b) for a, b in group)
        clips.append(Clip(max(before, start - MARGIN), min(after, end + MARGIN), soft))
    return clips
