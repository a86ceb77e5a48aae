"""Cuts a sound track of any length into spans that fit in memory, each cut where it is quietest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
SPAN, EARLIEST, LATEST = 120.0, 90.0, 135.0
# Sound kept on both sides of a cut, so that a word lying on it is heard whole by the span that owns its middle.
MARGIN = 1.0
_STEP, _QUIET = 0.05, 0.6


@dataclass(frozen=True)
class Span:
    """A piece of sound and the seconds it is responsible for.

    Attributes:
        samples: float32 [n] at 16 kHz, from ``origin`` on.
        origin: second of the first sample.
        start: owned seconds begin here.
        end: owned seconds end here.
    """

    samples: NDArray[np.float32]
    origin: float
    start: float
    end: float


def quietest(samples: NDArray[np.float32]) -> int:
    """Sample in the middle of the quietest 0.6 s."""
    step, width = round(_STEP * RATE), round(_QUIET / _STEP)
    count = len(samples) // step
    if count < width:
        return len(samples) // 2
    energy = np.square(samples[: count * step].astype(np.float64)).reshape(count, step).mean(axis=1)
    total = np.concatenate([[0.0], np.cumsum(energy)])
    first = int(np.argmin(total[width:] - total[:-width]))
    return (2 * first + width) * step // 2


def spans(pieces: Iterable[NDArray[np.float32]], start: float) -> Iterator[Span]:
    """Spans of about two minutes of a stream of samples.

    Args:
        pieces: consecutive samples at 16 kHz; the first is at ``max(0, start - MARGIN)`` seconds.
        start: second at which the first span begins to own the sound: 0, or the end of the last finished span.
    """
    stream = iter(pieces)
    held = np.zeros(0, dtype=np.float32)
    lead = round(min(start, MARGIN) * RATE)
    begin, ended = round(start * RATE), False
    while True:
        need = lead + round((LATEST + MARGIN) * RATE)
        parts, have = [held], len(held)
        while have < need and not ended:
            piece = next(stream, None)
            ended = piece is None
            if piece is not None:
                parts.append(piece)
                have += len(piece)
        held = np.concatenate(parts)
        if len(held) <= lead:
            return
        if len(held) - lead <= round(LATEST * RATE):
            yield Span(held, (begin - lead) / RATE, begin / RATE, (begin + len(held) - lead) / RATE)
            return
        early, late = lead + round(EARLIEST * RATE), lead + round(LATEST * RATE)
        cut = early + quietest(held[early:late])
        tail = min(len(held), cut + round(MARGIN * RATE))
        end = begin + cut - lead
        yield Span(held[:tail], (begin - lead) / RATE, begin / RATE, end / RATE)
        lead = min(cut, round(MARGIN * RATE))
        held, begin = held[cut - lead :].copy(), end
