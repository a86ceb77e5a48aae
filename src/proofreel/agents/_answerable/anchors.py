"""How well the surroundings of a candidate answer meet the words of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.agents._answerable.corpus import Corpus, Line, row_label
from proofreel.agents._answerable.kinds import Anchor, Asked
from proofreel.agents._answerable.numerals import numerals
from proofreel.agents._answerable.rivals import TYPE_LABELS, Met, rival
from proofreel.agents._answerable.words import Token, contrasts, fold, likeness, synonyms, tokenize

MET = 0.6
"""A key anchor counts as met from this credit on."""
SOFT, SOFT_NOUN = 0.62, 0.7
"""Cosines of single words from which they count as alike; things must be closer, or an apple would be a pear."""
ROW = 0.85
"""Lines that belong at least this closely stand on the same row or are the same sentence."""
BACK_REFERENCES = frozenset("he she it they his her its their".split())
PRESENT = 0.35
"""Below this credit an anchor counts as missing."""


@dataclass(frozen=True)
class Cover:
    """What an answer candidate's surroundings hold of the question.

    Attributes:
        share: weighted share of the anchors met, in [0, 1]; 1 without anchors.
        own: the share met by the line itself (for screen text: and its row).
        nouns: mean credit of the things named in the question.
        weakest: credit of the least met anchor that is more than a vague word.
        keys: credit of the least met name or number, in [0, 1]; 1 without any.
        rival: how strongly the candidate belongs to something else, in [0, 1].
        why_rival: to what, in words.
        missing: anchors not met.
        helpers: other lines that meet anchors the candidate's own line does not.
    """

    share: float
    own: float
    nouns: float
    weakest: float
    keys: float
    rival: float
    why_rival: str
    missing: tuple[str, ...]
    helpers: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether no anchor is missing that is more than a vague word."""
        return self.weakest >= PRESENT


class Matcher:
    """Credits of one question's anchors against the lines of one video."""

    def __init__(self, corpus: Corpus, question: Asked, lines: Sequence[int]) -> None:
        self.corpus = corpus
        self.question = question
        self.lines = tuple(lines)
        self._amounts = [_amount(a) for a in question.anchors]
        self._weights = [
            (corpus.idf(a.stem) if not a.cjk else 1.5) * (2.0 if a.key else 0.4 if a.light else 1.0)
            for a in question.anchors
        ]
        self._soft = self._soft_credits(lines)
        self._links: dict[tuple[int, int], float] = {}
        self._places: dict[int, list[list[tuple[int, float]]]] = {}

    def _soft_credits(self, lines: Sequence[int]) -> dict[tuple[str, str], float]:
        """Credits of words of like meaning, from word vectors; names and numbers get none."""
        plain = [a for a in self.question.anchors if not a.key and not a.cjk]
        spread = {m for n in lines for m, _ in self.corpus.near(n)} | set(lines)
        found = (t for n in spread for t in self.corpus.lines[n].tokens if t.kind == "word" and t.content)
        tokens = {t.norm: t.stem for t in found}
        left = self.corpus.word_vectors([fold(a.text) for a in plain])
        right = self.corpus.word_vectors(list(tokens))
        if left is None or right is None:
            return {}
        cos = left @ right.T
        return {
            (a.stem, t): min(0.9, float(cos[i, j] - 0.5) / 0.35)
            for i, a in enumerate(plain)
            for j, t in enumerate(tokens.values())
            if cos[i, j] > (SOFT_NOUN if a.noun else SOFT) and not contrasts(a.stem, t)
        }

    def credit(self, k: int, token: Token, amount: float | None) -> float:
        """How well one token meets anchor ``k``, in [0, 1]."""
        anchor = self.question.anchors[k]
        if self._amounts[k] is not None:
            return 1.0 if amount == self._amounts[k] or token.stem == anchor.stem else 0.0
        if anchor.stem == token.stem or (not anchor.key and synonyms(anchor.stem, token.stem)):
            return 1.0
        if anchor.key and anchor.text[:1].isupper() and token.text[:1].islower() and len(anchor.stem) < 6:
            return 0.0
        return max(likeness(anchor.stem, token.stem), self._soft.get((anchor.stem, token.stem), 0.0))

    def places(self, n: int) -> Met:
        """For each anchor the tokens of line ``n`` that meet it, with credit."""
        if n not in self._places:
            line = self.corpus.lines[n]
            amounts: dict[int, float] = {i: x.amount for x in numerals(line.tokens) for i in range(x.i, x.j)}
            self._places[n] = [self._places_of(k, line, amounts) for k in range(len(self.question.anchors))]
        return self._places[n]

    def _places_of(self, k: int, line: Line, amounts: dict[int, float]) -> list[tuple[int, float]]:
        anchor = self.question.anchors[k]
        if anchor.cjk:
            text = fold(line.text)
            pairs = [anchor.stem[i : i + 2] for i in range(max(1, len(anchor.stem) - 1))]
            met = sum(p in text for p in pairs) / len(pairs)
            at = next((i for i, t in enumerate(line.tokens) if t.norm == anchor.stem[0]), 0)
            return [(at, met)] if met >= 0.6 else []
        joined = self._joined(k)
        credits = (
            (i, 1.0 if t.norm in joined else self.credit(k, t, amounts.get(i)))
            for i, t in enumerate(line.tokens)
        )
        return [(i, c) for i, c in credits if c > 0]

    def _joined(self, k: int) -> set[str]:
        """The anchor written together with its neighbour in the question (story time, storytime)."""
        words = [fold(a.text) for a in self.question.anchors]
        return {words[i] + words[i + 1] for i in (k - 1, k) if i >= 0 and i + 1 < len(words)}

    def _elsewhere(self, n: int, k: int) -> tuple[float, int, float]:
        """Best credit of anchor ``k`` in the neighbours of a line, which one, and the best on its row."""
        best, where, row = 0.0, -1, 0.0
        for m, near in self.corpus.near(n):
            w = max(near, self._closer(n, m))
            credit = w * max((c for _, c in self.places(m)[k]), default=0.0)
            if credit > best:
                best, where = credit, m
            if w >= ROW:
                row = max(row, credit)
        return best, where, row

    def _closer(self, n: int, m: int) -> float:
        """How closely a heading belongs to a labelled row, or a line to the pronoun that follows it."""
        if (n, m) not in self._links:
            label = row_label(self.corpus, n)
            asked_row = label is not None and any(self.places(label.n))
            self._links[n, m] = _link(self.corpus, n, m, label, asked_row)
        return self._links[n, m]

    def cover(self, n: int, span: tuple[int, int], rivals: Sequence[int] = ()) -> Cover:
        """Coverage for an answer at tokens ``[span)`` of line ``n``; ``rivals`` are tokens of competing answers."""
        line, question = self.corpus.lines[n], self.question
        best, own, helpers = [], [], set()
        for k in range(len(question.anchors)):
            here = max((c * _closeness(line, i, span, rivals) for i, c in self.places(n)[k]), default=0.0)
            far, where, row = self._elsewhere(n, k)
            if far > here:
                helpers.add(where)
            best.append(max(here, far))
            own.append(max(here, row))
        strong = [b for a, b in zip(question.anchors, best, strict=True) if not a.light]
        nouns = [b for a, b in zip(question.anchors, best, strict=True) if a.noun and not a.light]
        foreign, why = rival(self.corpus, question, n, span, self.places)
        return Cover(
            share=self._weighted(best),
            own=self._weighted(own),
            nouns=sum(nouns) / len(nouns) if nouns else 1.0,
            weakest=min(strong, default=1.0),
            keys=min((sum(best[k] for k in p) / len(p) for p in question.phrases), default=1.0),
            rival=foreign,
            why_rival=why,
            missing=tuple(a.text for a, b in zip(question.anchors, best, strict=True) if b < PRESENT),
            helpers=tuple(sorted(helpers)),
        )

    def _weighted(self, credits: Sequence[float]) -> float:
        total = sum(self._weights)
        return sum(w * c for w, c in zip(self._weights, credits, strict=True)) / total if total else 1.0


def _link(corpus: Corpus, n: int, m: int, label: Line | None, asked_row: bool) -> float:
    line, other = corpus.lines[n], corpus.lines[m]
    if line.source == other.source == "speech":
        back = any(t.norm in BACK_REFERENCES for t in line.tokens[:3])
        return ROW if back and m == n - 1 else 0.0
    if line.box is None or other.box is None or other.box.y1 > line.box.y0 + 0.02:
        return 0.0
    typed = label is not None and all(t.stem in TYPE_LABELS or not t.content for t in label.tokens)
    return ROW if typed or asked_row else 0.0


def _amount(anchor: Anchor) -> float | None:
    found = numerals(tokenize(anchor.text))
    return found[0].amount if len(found) == 1 else None


def _closeness(line: Line, i: int, span: tuple[int, int], rivals: Sequence[int]) -> float:
    """How closely token ``i`` belongs to an answer in the same line, in (0, 1]."""
    if span[0] <= i < span[1]:
        return 1.0
    at = min(span[0], len(line.tokens) - 1)
    if line.sentences[i] != line.sentences[at]:
        return 0.7
    if line.clauses[i] != line.clauses[at]:
        # the subject of "the shop opens at nine and closes at five" stands before both answers
        return 0.9 if i < at else 0.75
    low, high = min(i, span[0]), max(i, span[1] - 1)
    between = sum(low < r < high and not span[0] <= r < span[1] for r in rivals)
    return float(0.85 ** min(3, between))
