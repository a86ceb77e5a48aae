"""Hears speech: words with their seconds (Whisper through faster-whisper)."""

import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from proofreel.perception._lexical import fold
from proofreel.perception._pins import EXTRA
from proofreel.perception._spans import RATE, Span
from proofreel.perception._voice import Clip, speech_clips
from proofreel.perception._weights import LocalModel, installed, speech_model
from proofreel.perception.errors import CapabilityMissing
from proofreel.perception.records import SpeechLine, Word

_THREADS = 2
# A language is kept for the rest of the file once the model is this sure of it: short quiet spans guess wildly.
SURE_LANGUAGE = 0.7
PAUSE, LONG_LINE = 1.0, 15.0
_SENTENCE_END, _CLAUSE_END = tuple(".?!\u3002\uff1f\uff01"), tuple(",;:\uff0c\uff1b\u3001")
# What a decoder makes up over music and noise: it repeats itself, or is sure that nobody speaks, or guesses words.
MAX_COMPRESSION, MAX_NO_SPEECH, MIN_LOG_PROBABILITY, MIN_WORD_PROBABILITY = 2.4, 0.6, -1.0, 0.3
MAX_WORDS_PER_SECOND, MAX_REPEATS = 9.0, 2


@dataclass(frozen=True)
class Heard:
    """What one span of sound says.

    Attributes:
        lines: in order of time.
        language: two-letter code, None when no speech was found.
        sure: probability of the language, in [0, 1].
        dropped: segments thrown away as made up.
    """

    lines: tuple[SpeechLine, ...]
    language: str | None
    sure: float
    dropped: int


def find_model(asr_model: str | Path | None = None) -> LocalModel:
    """The speech model that would be used.

    Raises:
        CapabilityMissing: no engine or no model, or the weights are not the pinned ones.
    """
    if not installed("faster_whisper"):
        raise CapabilityMissing("speech", f"faster-whisper is not installed: {EXTRA}")
    return speech_model(asr_model)


@lru_cache(maxsize=1)
def _engine(model: LocalModel) -> Any:
    try:
        from faster_whisper import WhisperModel
    except ImportError as e:
        raise CapabilityMissing("speech", f"faster-whisper does not load ({e}): {EXTRA}") from e
    logging.getLogger("faster_whisper").setLevel(logging.ERROR)
    try:
        return WhisperModel(str(model.path), device="cpu", compute_type="int8", cpu_threads=_THREADS)
    except (RuntimeError, ValueError, OSError) as e:
        raise CapabilityMissing("speech", f"{model.path} does not load: {str(e).splitlines()[0]}") from e


def _made_up(segment: Any) -> bool:
    words = segment.words or []
    # Of this segment's own text: the engine's ratio covers a whole window, and people do repeat sentences.
    raw = segment.text.encode()
    if not words or len(raw) / len(zlib.compress(raw)) > MAX_COMPRESSION:
        return True
    unsure = fmean(w.probability for w in words)
    if segment.no_speech_prob > MAX_NO_SPEECH and segment.avg_logprob < MIN_LOG_PROBABILITY:
        return True
    seconds = max(words[-1].end - words[0].start, 1e-3)
    return unsure < MIN_WORD_PROBABILITY or (len(words) > 3 and len(words) / seconds > MAX_WORDS_PER_SECOND)


def lines_of_words(words: Iterable[Word]) -> list[SpeechLine]:
    """Groups words into lines: at the end of a sentence, at a pause of 1 s, and at a comma after 15 s."""
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1] if groups else None
        if last is None or _breaks(last, word):
            groups.append([word])
        else:
            last.append(word)
    lines = []
    for group in groups:
        text = " ".join("".join(w.text for w in group).split())
        if fold(text):
            bare = tuple(w.model_copy(update={"text": w.text.strip()}) for w in group)
            lines.append(
                SpeechLine(
                    text=text,
                    start=group[0].start,
                    end=max(w.end for w in group),
                    words=bare,
                    confidence=fmean(w.probability for w in group),
                )
            )
    return lines


def _breaks(line: Sequence[Word], word: Word) -> bool:
    last = line[-1]
    if word.start - last.end >= PAUSE:
        return True
    text = last.text.rstrip()
    # "3.5" comes as "3" and ".5": no new line before a piece of the same word.
    if text.endswith(_SENTENCE_END):
        return word.text.startswith(" ") or text.endswith(_SENTENCE_END[3:])
    return text.endswith(_CLAUSE_END) and last.end - line[0].start > LONG_LINE


def drop_loops(lines: Sequence[SpeechLine]) -> tuple[list[SpeechLine], int]:
    """Leaves one of three or more equal lines that follow each other closely (a decoder's loop).

    Returns:
        What is left, and how many lines went.
    """
    runs: list[list[SpeechLine]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        if last and line.start - last.end < 2 * PAUSE and fold(last.text) == fold(line.text):
            runs[-1].append(line)
        else:
            runs.append([line])
    kept = [line for run in runs for line in (run if len(run) <= MAX_REPEATS else run[:1])]
    return kept, len(lines) - len(kept)


def _words(
    segments: Iterable[Any],
    span: Span,
    clips: Sequence[Clip],
    dropped: list[int],
    report: Callable[[float], None] | None,
) -> Iterator[Word]:
    for segment in segments:
        if report is not None:
            report(min(span.end, span.origin + segment.end))
        if _made_up(segment):
            dropped.append(1)
            continue
        for w in segment.words:
            inside = (c for c in clips if c.start <= w.start < c.end)
            late = next((c.onset(w.start, w.end) for c in inside), w.start)
            start, end = span.origin + late, span.origin + max(late, w.end)
            if span.start <= (start + end) / 2 < span.end:
                probability = min(1.0, max(0.0, float(w.probability)))
                yield Word(text=w.word, start=round(start, 3), end=round(end, 3), probability=probability)


def _language(engine: Any, span: Span, clips: Sequence[Clip]) -> tuple[str, float]:
    """The language of the first window of speech, and how sure that is."""
    if not engine.model.is_multilingual:
        return "en", 1.0
    speech = np.concatenate([span.samples[round(c.start * RATE) : round(c.end * RATE)] for c in clips])
    language, probability, _ = engine.detect_language(audio=speech[: round(30 * RATE)])
    return str(language), float(probability)


def hear(
    span: Span,
    model: LocalModel,
    language: str | None = None,
    *,
    report: Callable[[float], None] | None = None,
) -> Heard:
    """The speech in one span of sound; the same sound gives the same words.

    Args:
        span: samples and the seconds they own; a word belongs to the span that owns its middle.
        model: from ``find_model``.
        language: two-letter code when known.
        report: told the second of the file that has been reached.

    Raises:
        CapabilityMissing: the engine or the model does not load.
    """
    clips = speech_clips(span.samples)
    if not clips:
        return Heard((), None, 0.0, 0)
    engine, sure = _engine(model), 1.0
    if language is None:
        language, sure = _language(engine, span, clips)
    segments, _ = engine.transcribe(
        span.samples,
        language=language,
        beam_size=5,
        temperature=0.0,
        condition_on_previous_text=False,
        word_timestamps=True,
        vad_filter=False,
        clip_timestamps=[t for clip in clips for t in (clip.start, clip.end)],
    )
    dropped: list[int] = []
    words = sorted(_words(segments, span, clips, dropped, report), key=lambda w: (w.start, w.end))
    lines, loops = drop_loops(lines_of_words(words))
    return Heard(tuple(lines), language if lines else None, sure if lines else 0.0, len(dropped) + loops)
