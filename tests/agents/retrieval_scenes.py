"""Hand-written scenes and their questions, and how a verdict on one is counted."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proofreel.agents._answerable.corpus import Corpus, corpus_of
from proofreel.agents._answerable.decide import Verdict
from proofreel.agents._answerable.words import fold
from proofreel.core import Box
from proofreel.perception.embeddings import load_embedder
from proofreel.perception.errors import CapabilityMissing
from proofreel.perception.records import ScreenLine, SpeechLine

QUESTIONS = Path(__file__).parent / "questions"


@dataclass
class HandIndex:
    """Lines written by hand, in the shape of a video index."""

    screen: Sequence[ScreenLine] = ()
    speech: Sequence[SpeechLine] = ()
    notes: Sequence[str] = ()
    duration: float = 60.0
    vectors: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    embed: Callable[[Sequence[str]], np.ndarray] | None = None


def screen(start: float, end: float, x0: float, y0: float, x1: float, y1: float, text: str) -> ScreenLine:
    return ScreenLine(
        text=text, box=Box(x0=x0, y0=y0, x1=x1, y1=y1), start=start, end=end, confidence=1.0, frames=(start,)
    )


def speech(start: float, end: float, text: str) -> SpeechLine:
    return SpeechLine(text=text, start=start, end=end)


def hand_corpus(
    screen_rows: Sequence[Any] = (), speech_rows: Sequence[Any] = (), *, vectors: bool = True
) -> Corpus:
    """A corpus of hand-written rows; with sentence vectors where the model is installed."""
    index = HandIndex([screen(*r) for r in screen_rows], [speech(*r) for r in speech_rows])
    texts = [ln.text for ln in (*index.screen, *index.speech)]
    if vectors and texts:
        try:
            embedder = load_embedder()
        except CapabilityMissing:
            return corpus_of(index)
        index.vectors, index.embed = embedder.embed(texts), embedder.embed
    return corpus_of(index)


def load_scenes(name: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in (QUESTIONS / name).read_text("utf-8").splitlines() if row.strip()]


def lettered(options: Sequence[str]) -> list[tuple[str, str]]:
    return [(chr(65 + i), o) for i, o in enumerate(options)]


def outcome(question: dict[str, Any], verdict: Verdict) -> str:
    """right, wrong or abstained for an answerable question; false_answer or abstained for another."""
    if verdict.abstained:
        return "abstained"
    if question["answer"] is None:
        return "false_answer"
    return "right" if is_right(question, verdict.letter, verdict.value) else "wrong"


def is_right(question: dict[str, Any], letter: str | None, value: str | None) -> bool:
    """By letter; for open questions the answer or an alias must stand in the value (or be the value)."""
    if question["options"]:
        return letter == question["answer"]
    said = fold(value or "")
    return any(fold(a) in said for a in (question["answer"], *question.get("aliases", ())))
