"""Which option a line carries: typed values by value, words by rarity-weighted containment, negation and contrast."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from proofreel.agents._answerable.corpus import Corpus, Line
from proofreel.agents._answerable.kinds import Asked, Kind
from proofreel.agents._answerable.values import Value, same, values
from proofreel.agents._answerable.wordlists import NEGATIONS
from proofreel.agents._answerable.words import Token, contrasts, fold, has_cjk, likeness, synonyms, tokenize

_NOT_SAID = re.compile(
    r"^(?:it (?:is|was) )?(?:not (?:mentioned|stated|specified|shown|given|said|known|"
    r"provided|answerable)|cannot be determined|can ?not (?:be )?(?:tell|told|determined|"
    r"answered)|can'?t (?:tell|be determined)|unknown|no information|unanswerable|未提及|没有提到|"
    r"无法确定|没有说)",
    re.IGNORECASE,
)
_NONE = re.compile(r"^none of (?:the above|these|them|the options)|^以上都不", re.IGNORECASE)
_ALL = re.compile(r"^all of (?:the above|these|them)|^以上都是", re.IGNORECASE)
TURNED = re.compile(
    r"\b(?:not|no longer|instead of|rather than|never|isn't|wasn't|aren't|don't|doesn't|"
    r"didn't|without|不是|不再|而不是)\s*(?:(?!but\b)\w+\s+){0,4}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Choice:
    """An option as text with what it is made of; ``special`` is not_said, none or all."""

    letter: str
    text: str

    @cached_property
    def special(self) -> str | None:
        """not_said, none, all, or None for an ordinary option."""
        for name, pattern in (("not_said", _NOT_SAID), ("none", _NONE), ("all", _ALL)):
            if pattern.search(self.text.strip()):
                return name
        return None

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Content tokens, or all of them when none has content."""
        every = tokenize(self.text)
        return tuple(t for t in every if t.content) or tuple(t for t in every if t.kind != "sign")

    @cached_property
    def negated(self) -> bool:
        """Whether the option itself denies something."""
        return any(t.norm.replace("'", "") in NEGATIONS for t in tokenize(self.text))

    @cached_property
    def typed(self) -> tuple[Value, ...]:
        """The values that make up the whole option; empty when other words matter."""
        found = [v for v in values(self.text) if v.kind not in ("colour", "ordinal")]
        if not found:
            return ()
        rank = ["time", "date", "money", "percent", "quantity", "phone", "email", "url", "code", "number"]
        found.sort(key=lambda v: (rank.index(v.kind) if v.kind in rank else 99, -(v.end - v.start)))
        kept: list[Value] = []
        for v in found:
            if not any(v.start < k.end and k.start < v.end for k in kept):
                kept.append(v)
        rest = [
            t for t in tokenize(self.text) if t.content and not any(v.start <= t.start < v.end for v in kept)
        ]
        return () if rest else tuple(kept)


@dataclass(frozen=True)
class Support:
    """A line that carries an option: credit in [0, 1], tokens ``[i, j)``, characters ``[start, end)``."""

    line: int
    credit: float
    i: int
    j: int
    start: int
    end: int
    denied: bool


def token_range(line: Line, start: int, end: int) -> tuple[int, int]:
    """Tokens that overlap characters ``[start, end)``."""
    inside = [i for i, t in enumerate(line.tokens) if t.start < end and t.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 1)


class OptionMatcher:
    """Containment of the options of one question in the lines of one video."""

    def __init__(self, corpus: Corpus, question: Asked, choices: Sequence[Choice]) -> None:
        self.corpus, self.question, self.choices = corpus, question, choices
        plain = [c for c in choices if c.special is None]
        seen = Counter(s for c in plain for s in {t.stem for t in c.tokens})
        self._shared = {s: 0.15 if k == len(plain) > 1 else 0.6 if k > 1 else 1.0 for s, k in seen.items()}

    def supports(self, choice: Choice, n: int) -> list[Support]:
        """Where line ``n`` carries the option."""
        line = self.corpus.lines[n]
        if choice.typed and not (
            self.question.kind is Kind.COUNT and any(v.kind == "code" for v in choice.typed)
        ):
            found = self._by_value(choice, line)
        elif has_cjk(choice.text):
            found = self._by_characters(choice, line)
        else:
            found = self._by_words(choice, line)
        return [s for s in found if s.credit >= 0.3]

    def _support(self, line: Line, credit: float, start: int, end: int, choice: Choice) -> Support:
        i, j = token_range(line, start, end)
        denied = TURNED.search(line.text[:start]) is not None and not choice.negated
        return Support(line.n, credit, i, j, start, end, denied)

    def _by_value(self, choice: Choice, line: Line) -> list[Support]:
        wanted = choice.typed
        if (
            self.question.kind in (Kind.TIME, Kind.WHEN)
            and len(wanted) == 1
            and wanted[0].kind == "number"
            and wanted[0].amount <= 12
        ):
            wanted = (Value("time", 0, 0, wanted[0].amount * 60),)
        have = values(line.text)
        hits = [
            [
                v
                for v in have
                if same(v, w) or (_loose(v, w) and not _part(v, have) and not _of_things(v, w, line))
            ]
            for w in wanted
        ]
        met = sum(bool(h) for h in hits) / len(hits)
        if not met:
            return []
        return [
            self._support(
                line, met * (0.9 if v.weak else 1.0) * self._counts(v, have, line), v.start, v.end, choice
            )
            for h in hits
            for v in h
        ]

    def _counts(self, v: Value, have: Sequence[Value], line: Line) -> float:
        """Whether a number counts the thing asked for; 1 for other questions."""
        head = self.question.head
        if self.question.kind is Kind.LABEL and head is not None and not has_cjk(line.text):
            return self._designated(v, head, line)
        if self.question.kind is Kind.QUANTITY and _frequency(v, line) and "often" not in self.question.text:
            return 0.4
        if self.question.kind is not Kind.COUNT or v.kind != "number" or head is None or has_cjk(line.text):
            return 1.0
        after = [t for t in line.tokens if t.start >= v.end][:5]
        if any(t.stem == head or synonyms(t.stem, head) for t in after):
            return 1.0
        if _part(v, have) or any(
            w.kind in ("time", "date") and w.start <= v.start and v.end <= w.end for w in have
        ):
            return 0.3
        return 0.8 if not after or not after[0].content else 0.45

    def _designated(self, v: Value, head: str, line: Line) -> float:
        """Whether a number or code is that of the head ("gate C14"), or stands alone in a cell."""
        i, j = token_range(line, v.start, v.end)
        near = line.tokens[max(0, i - 4) : j + 1]
        alone = j - i == len(line.tokens)
        return 1.0 if alone or any(t.stem == head for t in near) else 0.4

    def _by_characters(self, choice: Choice, line: Line) -> list[Support]:
        want, have = re.sub(r"\W", "", fold(choice.text)), fold(line.text)
        at = have.find(want)
        if at >= 0 and len(have) == len(line.text):
            return [self._support(line, 1.0, at, at + len(want), choice)]
        squashed = re.sub(r"\W", "", have)
        if want and want in squashed:
            return [self._support(line, 1.0, 0, len(line.text), choice)]
        pairs = [want[i : i + 2] for i in range(max(1, len(want) - 1))]
        share = sum(p in squashed for p in pairs) / len(pairs)
        return [self._support(line, 0.8 * share, 0, len(line.text), choice)] if share >= 0.5 else []

    def _by_words(self, choice: Choice, line: Line) -> list[Support]:
        if not choice.tokens:
            return []
        total, gained, at = 0.0, 0.0, []
        for t in choice.tokens:
            weight = self._shared.get(t.stem, 1.0) * self.corpus.idf(t.stem)
            total += weight
            credit, where = self._token(t, line)
            gained += weight * credit
            if credit > 0:
                at.append(where)
        if not at:
            return []
        i, j = _tightest(at)
        spread = j - i
        credit = gained / total * (1.0 if spread <= 2 * len(choice.tokens) + 5 else 0.8)
        start, end = line.tokens[i].start, line.tokens[j - 1].end
        clause = [t for k, t in enumerate(line.tokens) if line.clauses[k] == line.clauses[i]]
        turned = any(t.norm.replace("'", "") in NEGATIONS or t.norm.endswith("n't") for t in clause)
        if choice.negated != turned and choice.negated:
            credit *= 0.5
        return [self._support(line, credit, start, end, choice)]

    def _token(self, want: Token, line: Line) -> tuple[float, list[int]]:
        """Credit and places of one option word in a line."""
        scored = [(self._alike(want, t, line, i), i) for i, t in enumerate(line.tokens)]
        best = max((c for c, _ in scored), default=0.0)
        return best, [i for c, i in scored if c == best and c > 0]

    def _alike(self, want: Token, have: Token, line: Line, i: int) -> float:
        if len(want.norm) == 1 and want.kind == "word":
            head = self.question.head
            beside = line.tokens[i - 1].stem if i else None
            return (
                1.0
                if have.text == want.text.upper()
                and (beside == head or len(line.tokens) == 1 or head is None)
                else 0.0
            )
        if want.stem == have.stem or synonyms(want.stem, have.stem):
            return 1.0
        close = likeness(want.stem, have.stem)
        if (
            close
            or want.kind != "word"
            or have.kind != "word"
            or not have.content
            or contrasts(want.stem, have.stem)
        ):
            return close
        if want.text[:1].isupper() and have.text[:1].isupper():
            return 0.0
        pair = self.corpus.word_vectors([want.norm, have.norm])
        if pair is None:
            return 0.0
        cos = float(pair[0] @ pair[1])
        return min(0.8, (cos - 0.5) / 0.4) if cos > 0.62 else 0.0


def _frequency(v: Value, line: Line) -> bool:
    """Whether an amount of time is how often something happens ("every forty minutes")."""
    return re.search(r"\b(?:every|each)\s+$", line.text[: v.start], re.IGNORECASE) is not None


def _part(v: Value, have: Sequence[Value]) -> bool:
    """Whether a number is only the figure of an amount with a unit (the nineteen of "nineteen degrees")."""
    return v.kind == "number" and any(
        w.kind in ("money", "percent", "quantity") and w.start <= v.start and v.end <= w.end for w in have
    )


def _of_things(v: Value, want: Value, line: Line) -> bool:
    """Whether a number counts things ("5 seedlings") and so is no amount of money or percentage."""
    after = next((t for t in line.tokens if t.start >= v.end), None)
    return want.kind != "number" and after is not None and after.content


def _loose(have: Value, want: Value) -> bool:
    """A bare number in an option stands for a number with a unit in the line, and the other way round for amounts."""
    if want.kind == "number":
        return have.kind in ("money", "percent", "ordinal") and have.amount == want.amount
    return have.kind == "number" and want.kind in ("money", "percent") and have.amount == want.amount


def _tightest(places: Sequence[list[int]]) -> tuple[int, int]:
    """The shortest token range that takes one place of each word, started from each place of the rarest word."""
    rarest = min(places, key=len)
    best: tuple[int, int] | None = None
    for anchor in rarest:
        picked = [min(p, key=lambda x: abs(x - anchor)) for p in places]
        span = (min(picked), max(picked) + 1)
        if best is None or span[1] - span[0] < best[1] - best[0]:
            best = span
    return best or (0, 1)
