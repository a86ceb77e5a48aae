"""Speech of a whole video: cut at quiet places, heard span by span, journaled."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proofreel.perception._journal import Journal
from proofreel.perception._spans import MARGIN, RATE, spans
from proofreel.perception._weights import LocalModel
from proofreel.perception.records import SpeechLine
from proofreel.perception.speech import SURE_LANGUAGE, drop_loops, hear

Report = Callable[[float, float, str], None]
Samples = NDArray[np.float32]
_PIECE = 10.0


@dataclass(frozen=True)
class SpokenText:
    """Lines in order of start, the language (None when there is no speech), and how many segments were dropped."""

    lines: tuple[SpeechLine, ...]
    language: str | None
    dropped: int


def spoken_text(
    path: str, duration: float, journal: Journal, model: LocalModel, report: Report
) -> SpokenText:
    """Hears the speech of a video, going on where the journal ends.

    Args:
        path: a file with sound.
        duration: its length in seconds, for the report only.
        journal: open journal of this file and model.
        model: from ``speech.find_model``.
        report: told (seconds done, seconds in all, message).

    Raises:
        NoAudio, VideoError: the sound cannot be decoded.
        CapabilityMissing: the engine or the model does not load.
    """
    if not journal.done:
        _hear_on(path, duration, journal, model, report)
        journal.append({"done": True})
    lines: list[SpeechLine] = []
    dropped = 0
    for record in journal.records:
        lines += [SpeechLine.model_validate(line) for line in record.get("lines", [])]
        dropped += record.get("dropped", 0)
    kept, loops = drop_loops(lines)
    return SpokenText(tuple(kept), _language(journal), dropped + loops)


def _language(journal: Journal) -> str | None:
    """The surest language of the spans so far, by the length of what was said in it."""
    votes: dict[str, float] = {}
    for record in journal.records:
        if record.get("language"):
            spoken = sum(line["end"] - line["start"] for line in record["lines"])
            votes[record["language"]] = votes.get(record["language"], 0.0) + record["sure"] * spoken
    return max(votes, key=lambda code: votes[code]) if votes else None


def _known(journal: Journal) -> str | None:
    sure = (r["language"] for r in journal.records if r.get("sure", 0.0) >= SURE_LANGUAGE)
    return next(sure, None)


def _hear_on(path: str, duration: float, journal: Journal, model: LocalModel, report: Report) -> None:
    from proofreel.video.audio import iter_audio

    start = max((r["until"] for r in journal.records if "until" in r), default=0.0)
    report(start, duration, "listening")
    # From the very start also after an interruption: decoders fill in noise that depends on what came before (AAC),
    # and a minute of sound costs only about 0.06 s. So a resumed transcript is the same to the last letter.
    sound = _without(iter_audio(path, _PIECE, RATE), round(max(0.0, start - MARGIN) * RATE))
    for span in spans(sound, start):
        heard = hear(
            span, model, _known(journal), report=lambda at: report(at, max(duration, at), "listening")
        )
        journal.append(
            {
                "until": span.end,
                "language": heard.language,
                "sure": round(heard.sure, 4),
                "dropped": heard.dropped,
                "lines": [line.model_dump(mode="json") for line in heard.lines],
            }
        )
        report(span.end, max(duration, span.end), f"{sum(len(r['lines']) for r in journal.records)} lines")


def _without(pieces: Iterable[Samples], count: int) -> Iterator[Samples]:
    """The samples after the first ``count``."""
    for piece in pieces:
        rest = piece[min(count, len(piece)) :]
        count -= len(piece) - len(rest)
        if len(rest):
            yield rest


def cue_lines(transcript: str | Path) -> tuple[SpeechLine, ...]:
    """The cues of a transcript file as speech lines: no words, no confidence.

    Raises:
        TranscriptError: the file cannot be read.
    """
    from proofreel.video import load_transcript

    return tuple(
        SpeechLine(text=c.text, start=c.start, end=c.end) for c in load_transcript(transcript) if c.text
    )
