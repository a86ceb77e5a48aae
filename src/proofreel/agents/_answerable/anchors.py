"""How well the surroundings of a candidate answer meet the words of the question, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.agents._answerable.asked import Anchor, Asked
from proofreel.agents._answerable.corpus import Corpus, Line, row_label
from proofreel.agents._answerable.numerals import numerals
from proofreel.agents._answerable.wordlists import COMMON_CAPITALS
from proofreel.agents._answerable.words import Token, base, contrasts, fold, likeness, synonyms, tokenize

MET = 0.6
"""A key anchor counts as met from this credit on."""
_PRONOUNS = frozenset("it he she they we this that there these those its their his her".split())
_TYPE_LABELS = frozenset(base(w) for w in "date time day duration length price cost fee room place location venue number total height weight width when where who how what host speaker author teacher start end begin until from address phone email website opening hours".split())  # fmt: skip
_DETERMINERS = frozenset("the a an our this that".split())


@dataclass(frozen=True)
class Cover:
    """What an answer candidate's surroundings hold of the question.

    Attributes:
        share: weighted share of the anchors met, in [0, 1]; 1 without anchors.
        keys: credit of the least met name or number, in [0, 1]; 1 without any.
        rival: how strongly the candidate belongs to something else, in [0, 1].
        missing: anchors not met.
        missing_strong: whether one of them is more than a vague word.
        weakest: credit of the least met anchor that is more than a vague word.
        helpers: other lines that meet anchors the candidate's own line does not.
    """

    share: float
    keys: float
    rival: float
    missing: tuple[str, ...]
    missing_strong: bool
    weakest: float
    helpers: tuple[int, ...]
    why_rival: str = ""


class Matcher:
    """Credits of one question's anchors against the lines of one video."""

    def __init__(self, corpus: Corpus, question: Asked, lines: Sequence[int]) -> None:
        self.corpus = corpus
        self.question = question
        self.lines = tuple(lines)
        self._amounts = [self._amount(a) for a in question.anchors]
        self._weights = [
            (corpus.idf(a.stem) if not a.cjk else 1.5) * (2.0 if a.key else 0.4 if a.light else 1.0)
            for a in question.anchors
        ]
        self._soft = self._soft_credits(lines)
        self._places: dict[int, list[list[tuple[int, float]]]] = {}

    @staticmethod
    def _amount(anchor: Anchor) -> float | None:
        found = numerals(tokenize(anchor.text))
        return found[0].amount if len(found) == 1 else None

    def _soft_credits(self, lines: Sequence[int]) -> dict[tuple[str, str], float]:
        """Credits of words of like meaning, from word vectors; names and numbers get none."""
        plain = [a.stem for a in self.question.anchors if not a.key and not a.cjk]
        spread = {m for n in lines for m, _ in self.corpus.near(n)} | set(lines)
        tokens = {
            t.norm: t.stem
            for n in spread
            for t in self.corpus.lines[n].tokens
            if t.kind == "word" and t.content
        }
        texts = {a.stem: fold(a.text) for a in self.question.anchors}
        if not plain or not tokens:
            return {}
        left, right = (
            self.corpus.word_vectors([texts[p] for p in plain]),
            self.corpus.word_vectors(list(tokens)),
        )
        if left is None or right is None:
            return {}
        cos = left @ right.T
        return {
            (p, t): min(0.9, float(cos[i, j] - 0.5) / 0.35)
            for i, p in enumerate(plain)
            for j, t in enumerate(tokens.values())
            if cos[i, j] > 0.62 and not contrasts(p, t)
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

    def places(self, n: int) -> list[list[tuple[int, float]]]:
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
        return [(i, c) for i, t in enumerate(line.tokens) if (c := self.credit(k, t, amounts.get(i))) > 0]

    def cover(self, n: int, span: tuple[int, int], rivals: Sequence[int] = ()) -> Cover:
        """Coverage for an answer at tokens ``[span)`` of line ``n``; ``rivals`` are tokens of competing answers."""
        line, question = self.corpus.lines[n], self.question
        best, local, helpers, sentence_met, clause_met = [], [], set(), [], []
        for k in range(len(question.anchors)):
            own = max((c * self._closeness(line, i, span, rivals) for i, c in self.places(n)[k]), default=0.0)
            far, far_line = max(
                (
                    (w * max((c for _, c in self.places(m)[k]), default=0.0), m)
                    for m, w in self.corpus.near(n)
                ),
                default=(0.0, -1),
            )
            if far > own:
                helpers.add(far_line)
            best.append(max(own, far))
            local.append(own)
            at = span[0] if span[0] < len(line.tokens) else len(line.tokens) - 1
            sentence_met.append(any(line.sentences[i] == line.sentences[at] for i, _ in self.places(n)[k]))
            clause_met.append(any(line.clauses[i] == line.clauses[at] for i, _ in self.places(n)[k]))
        total = sum(self._weights)
        share = sum(w * b for w, b in zip(self._weights, best, strict=True)) / total if total else 1.0
        keys = min((sum(best[k] for k in p) / len(p) for p in question.phrases), default=1.0)
        rival, why = self._rival(n, span, sentence_met, clause_met)
        missing = tuple(a.text for a, b in zip(question.anchors, best, strict=True) if b < 0.35)
        weakest = min((b for a, b in zip(question.anchors, best, strict=True) if not a.light), default=1.0)
        strong = any(b < 0.35 and not a.light for a, b in zip(question.anchors, best, strict=True))
        return Cover(share, keys, rival, missing, strong, weakest, tuple(sorted(helpers)), why)

    def _closeness(self, line: Line, i: int, span: tuple[int, int], rivals: Sequence[int]) -> float:
        if span[0] <= i < span[1]:
            return 1.0
        at = min(span[0], len(line.tokens) - 1)
        if line.clauses[i] == line.clauses[at]:
            weight = 1.0
        elif line.sentences[i] == line.sentences[at]:
            weight = 0.9
        else:
            weight = 0.7
        low, high = min(i, span[0]), max(i, span[1] - 1)
        return float(
            weight * 0.85 ** min(3, sum(low < r < high and not span[0] <= r < span[1] for r in rivals))
        )

    def _rival(
        self, n: int, span: tuple[int, int], sentence_met: Sequence[bool], clause_met: Sequence[bool]
    ) -> tuple[float, str]:
        line, question = self.corpus.lines[n], self.question
        if not line.tokens or not question.anchors:
            return 0.0, ""
        at = min(span[0], len(line.tokens) - 1)
        clause = [
            (i, t)
            for i, t in enumerate(line.tokens)
            if line.clauses[i] == line.clauses[at] and not span[0] <= i < span[1]
        ]
        sentence = [
            (i, t)
            for i, t in enumerate(line.tokens)
            if line.sentences[i] == line.sentences[at] and not span[0] <= i < span[1]
        ]
        for k, a in enumerate(question.anchors):
            if not clause_met[k]:
                other = next((t.text for _, t in clause if contrasts(a.stem, t.stem)), None)
                if other:
                    return 1.0, f'the line speaks of "{other}", not of "{a.text}"'
        strong = [k for k, a in enumerate(question.anchors) if not a.light and not sentence_met[k]]
        if not strong:
            return 0.0, ""
        asked_stems = {a.stem for a in question.anchors}
        label = row_label(self.corpus, n)
        if label is not None:
            met_here = any(self.places(label.n)[k] for k in range(len(question.anchors)))
            if not met_here and any(
                t.content and t.kind == "word" and t.stem not in _TYPE_LABELS for t in label.tokens
            ):
                return 0.8, f'on its row it belongs to "{label.text}"'
            return 0.0, ""
        names = [t.text for i, t in sentence if self._name(t, i) and t.stem not in asked_stems]
        if names and any(question.anchors[k].key for k in strong):
            return 1.0, f'the line speaks of "{names[0]}"'
        if any(t.norm in _PRONOUNS for _, t in sentence[:6]):
            return 0.0, ""
        nouns = [
            t.text for (_, d), (i, t) in zip(sentence, sentence[1:], strict=False)
            if d.norm in _DETERMINERS and t.content and t.stem not in asked_stems and not any(i == j for k in range(len(question.anchors)) for j, _ in self.places(n)[k])
        ]  # fmt: skip
        return (0.5, f'the line speaks of "{nouns[0]}"') if nouns else (0.0, "")

    def _name(self, token: Token, i: int) -> bool:
        return (
            token.kind == "word" and i > 0 and len(token.text) > 1 and token.text[0].isupper() and not token.text.isupper()
            and token.norm not in COMMON_CAPITALS and token.norm not in self.corpus.lowercase
        )  # fmt: skip
