"""The searchable lines of one video: tokens, sentences, clauses, neighbours in time and space, word weights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from proofreel.agents._answerable.words import Token, base, has_cjk, tokenize
from proofreel.core import Box, Window

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_SENTENCE = re.compile(r"[.!?。！？；;](?=\s|$|[\u3400-\u9fff])|[\n]")
_CLAUSE = re.compile(
    r"[.!?。！？；;](?=\s|$|[\u3400-\u9fff])|[\n]|[,，](?=\s|\D)|\s[-–—|]\s|\b(?:and|but|while|whereas|then|whilst)\b",
    re.IGNORECASE,
)
SPEECH_GAP = 4.0
"""Speech lines further apart than this (s) do not share a context."""


@dataclass(frozen=True)
class Line:
    """A line of screen text or speech, ``start`` to ``end`` in seconds."""

    n: int
    text: str
    source: Literal["screen", "speech"]
    start: float
    end: float
    box: Box | None = None
    frames: tuple[float, ...] = ()
    words: tuple[tuple[str, float, float], ...] = ()

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text."""
        return tokenize(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems of the text."""
        return frozenset(t.stem for t in self.tokens)

    @cached_property
    def sentences(self) -> tuple[int, ...]:
        """Number of the sentence of each token."""
        return _numbered(_SENTENCE, self.text, self.tokens)

    @cached_property
    def clauses(self) -> tuple[int, ...]:
        """Number of the clause of each token."""
        return _numbered(_CLAUSE, self.text, self.tokens)

    def extent(self, start: int, end: int) -> tuple[int, int]:
        """Characters of the sentences that hold characters ``[start, end)``, outer blanks left out."""
        cuts = [0, *(m.end() for m in _SENTENCE.finditer(self.text)), len(self.text)]
        left = max((c for c in cuts if c <= start), default=0)
        right = min((c for c in cuts if c >= end), default=len(self.text))
        piece = self.text[left:right]
        return left + len(piece) - len(piece.lstrip()), right - (len(piece) - len(piece.rstrip()))

    def window(self, start: int = 0, end: int | None = None) -> Window:
        """Seconds of characters ``[start, end)``: from the word times where the line has them, else the line's."""
        stop = len(self.text) if end is None else end
        position, times = 0, []
        for word, t0, t1 in self.words:
            found = self.text.find(word.strip(), position)
            if found < 0:
                continue
            position = found + len(word.strip())
            if found < stop and position > start:
                times.append((t0, t1))
        if not times:
            return Window(start=max(self.start, 0.0), end=max(self.end, self.start, 0.0))
        return Window(start=max(times[0][0], 0.0), end=max(t1 for _, t1 in times))


def _numbered(pattern: re.Pattern[str], text: str, tokens: Sequence[Token]) -> tuple[int, ...]:
    cuts = [m.start() for m in pattern.finditer(text)]
    return tuple(sum(c < t.start + (0 if len(t.text) > 1 else 1) for c in cuts) for t in tokens)


@dataclass
class Corpus:
    """All lines of a video with what is needed to search them.

    Attributes:
        lines: screen lines first, then speech.
        vectors: unit rows, one per line; None when there is no embedding model.
        embed: texts to unit rows; None when there is no embedding model.
        notes: what the index could not do (no speech model, ...).
        duration: seconds.
    """

    lines: list[Line]
    vectors: NDArray[np.float32] | None = None
    embed: Embed | None = None
    notes: tuple[str, ...] = ()
    duration: float | None = None
    _words: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False)
    _near: dict[int, list[tuple[int, float]]] = field(default_factory=dict, repr=False)

    @cached_property
    def document_frequency(self) -> Counter[str]:
        """In how many different texts each stem stands."""
        return Counter(s for text in {ln.text for ln in self.lines} for s in {t.stem for t in tokenize(text)})

    @cached_property
    def texts(self) -> int:
        """Number of different texts."""
        return len({ln.text for ln in self.lines})

    @cached_property
    def lowercase(self) -> frozenset[str]:
        """Words that stand somewhere in lower case: a capital does not make them names."""
        return frozenset(
            t.norm for ln in self.lines for t in ln.tokens if t.kind == "word" and t.text.islower()
        )

    def idf(self, word: str) -> float:
        """Rarity of a stem in this video, in about [0.7, 3]; 1.7 for a word that is not there at all in a small one."""
        return 1.0 + math.log((self.texts + 1) / (self.document_frequency[word] + 1)) / 3

    def count(self, source: str) -> int:
        """Number of lines of a source."""
        return sum(ln.source == source for ln in self.lines)

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32] | None:
        """Unit rows of single words, embedded once per video; None without an embedding model."""
        if self.embed is None or not words:
            return None
        fresh = [w for w in dict.fromkeys(words) if w not in self._words]
        if fresh:
            for w, v in zip(fresh, self.embed(fresh), strict=True):
                self._words[w] = v
        return np.stack([self._words[w] for w in words])

    def similarities(self, text: str) -> NDArray[np.float32]:
        """Cosine of a text with every line; zeros without an embedding model."""
        if self.embed is None or self.vectors is None or not self.lines:
            return np.zeros(len(self.lines), np.float32)
        return np.asarray(self.vectors @ self.embed([text])[0], np.float32)

    def near(self, n: int) -> list[tuple[int, float]]:
        """Lines that give line ``n`` its context, each with how closely it belongs, in (0, 1)."""
        if n not in self._near:
            self._near[n] = [
                (m.n, w) for m in self.lines if m.n != n and (w := _belongs(self.lines[n], m)) > 0
            ]
        return self._near[n]


def _belongs(line: Line, other: Line) -> float:
    together = line.start <= other.end + 0.5 and other.start <= line.end + 0.5
    if line.source == other.source == "speech":
        gap = max(other.start - line.end, line.start - other.end)
        if gap > SPEECH_GAP:
            return 0.0
        before = other.n < line.n
        first = other if before else line
        if abs(other.n - line.n) == 1:
            runs_on = not has_cjk(first.text) and not first.text.rstrip().endswith((".", "!", "?"))
            return 0.9 if runs_on else 0.65 if before else 0.5
        return 0.4 if abs(other.n - line.n) == 2 else 0.0
    if not together:
        return 0.0
    shared = min(line.end, other.end) - max(line.start, other.start)
    if shared < min(1.0, 0.4 * min(line.end - line.start, other.end - other.start)):
        return 0.0
    if line.source != other.source:
        return 0.5
    return _beside(line.box, other.box)


def _beside(box: Box | None, other: Box | None) -> float:
    """How closely a screen text at ``other`` labels one at ``box``: same row, above, below, or just on screen."""
    if box is None or other is None:
        return 0.4
    height = max(min(box.y1 - box.y0, other.y1 - other.y0), 1e-6)
    rows = min(box.y1, other.y1) - max(box.y0, other.y0)
    columns = min(box.x1, other.x1) - max(box.x0, other.x0)
    if rows > 0.5 * height:
        return 0.95 if other.x1 <= box.x0 + 0.02 else 0.9
    if other.y1 <= box.y0 + 0.3 * height:
        close = box.y0 - other.y1 < 1.6 * height
        return 0.85 if columns > 0 and close else 0.65
    return 0.6 if columns > 0 and other.y0 - box.y1 < 1.2 * height else 0.4


def row_label(corpus: Corpus, n: int) -> Line | None:
    """The nearest text to the left on the same row as screen line ``n``, None when there is none."""
    box = corpus.lines[n].box
    if corpus.lines[n].source != "screen" or box is None:
        return None
    left = [
        (other_box.x1, corpus.lines[m])
        for m, w in corpus.near(n)
        if w == 0.95 and (other_box := corpus.lines[m].box) is not None
    ]
    return max(left, key=lambda p: p[0])[1] if left else None


def corpus_of(index: Any, cues: Sequence[Any] = ()) -> Corpus:
    """A corpus from a video index and, where the question brings a transcript, its cues in place of heard speech.

    Args:
        index: has ``screen``, ``speech``, ``notes``, ``duration``, ``vectors`` (rows in the order screen, speech) and
            ``embed``.
        cues: subtitles with ``text``, ``start``, ``end``.
    """
    lines = [
        Line(i, s.text, "screen", s.start, s.end, s.box, tuple(s.frames)) for i, s in enumerate(index.screen)
    ]
    spoken = cues or index.speech
    lines += [
        Line(len(index.screen) + i, s.text, "speech", s.start, s.end, None, (),
             tuple((w.text, w.start, w.end) for w in getattr(s, "words", ()) or ()))
        for i, s in enumerate(spoken)
    ]  # fmt: skip
    vectors, embed = index.vectors, index.embed
    spelling_only = getattr(index, "embedder", "") == "char-ngram"
    if spelling_only or vectors is None or getattr(vectors, "shape", (0, 0))[-1] == 0:
        vectors, embed = None, None
    elif cues and len(lines) > len(index.screen):
        heard = embed([ln.text for ln in lines[len(index.screen) :]])
        vectors = np.concatenate([vectors[: len(index.screen)], heard]) if len(index.screen) else heard
    return Corpus(lines, vectors, embed, tuple(index.notes), index.duration)


__all__ = ["SPEECH_GAP", "Corpus", "Embed", "Line", "base", "corpus_of", "row_label"]
