"""Possible answers in the lines: for options, for typed spans, for yes or no; each scored by what surrounds it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofreel.agents._answerable.anchors import MET, Cover, Matcher
from proofreel.agents._answerable.corpus import Corpus, Line
from proofreel.agents._answerable.kinds import Asked, Kind
from proofreel.agents._answerable.options import TURNED, Choice, OptionMatcher, token_range
from proofreel.agents._answerable.spans import spans
from proofreel.agents._answerable.wordlists import NEGATIONS
from proofreel.agents._answerable.words import fold, has_cjk, tokenize

POOL = 40
"""Lines looked at closely; more only when they carry an option."""
ALL_LINES = 400
"""Up to this many lines every one is searched for options."""
_INTRO = re.compile(
    r"\b(?:my name is|my name's|i am|i'm|this is|speaker|presenter|host|guide|presented by|with|by)\W{0,3}"
    r"(?:your \w+,? )?(?:\w+\.? )?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A possible answer: where it stands, how well it is carried, how well its surroundings meet the question.

    Attributes:
        answer: text of the option, or the span.
        letter: of the option, None for open questions.
        line: where it stands, at characters ``[start, end)``.
        carried: how surely the span is the option or of the asked type, in [0, 1].
        cosine: of question (and option) with the line, in [-1, 1]; 0 without an embedding model.
        denied: the line says that it is not so.
        score: what candidates are ranked by.
    """

    answer: str
    letter: str | None
    line: Line
    start: int
    end: int
    carried: float
    cover: Cover
    cosine: float
    denied: bool
    score: float


def candidates(
    text: str,
    question: Asked,
    choices: Sequence[Choice],
    corpus: Corpus,
    matcher: Matcher,
    lines: Sequence[int],
) -> list[Candidate]:
    """All candidates, not yet in order."""
    if choices and not _yes_no(choices):
        return _of_options(text, question, corpus, choices, lines, matcher)
    if question.kind is Kind.YESNO:
        return _of_yes_no(text, corpus, matcher, choices)
    found = _of_spans(text, question, corpus, matcher)
    return [_introduced(c) for c in found] if question.introduces else found


def pool(text: str, question: Asked, corpus: Corpus, lines: Sequence[int]) -> list[int]:
    """The lines most worth a look: rare words of the question first, then likeness of meaning."""
    cosine = corpus.similarities(text)
    stems = {a.stem: corpus.idf(a.stem) * (2 if a.key else 1) for a in question.anchors if not a.cjk}
    pairs = [
        p
        for a in question.anchors
        if a.cjk
        for p in (a.stem[i : i + 2] for i in range(max(1, len(a.stem) - 1)))
    ]

    def quick(n: int) -> float:
        line = corpus.lines[n]
        words = sum(w for s, w in stems.items() if s in line.stems)
        return words + sum(p in line.text for p in pairs) + 2.0 * float(cosine[n])

    return sorted(lines, key=lambda n: -quick(n))[:POOL]


def distinct(a: Candidate, b: Candidate) -> bool:
    """Whether two candidates are different answers."""
    if a.letter or b.letter:
        return a.letter != b.letter
    x, y = {t.stem for t in tokenize(a.answer)}, {t.stem for t in tokenize(b.answer)}
    return not (x <= y or y <= x)


def _score(carried: float, cover: Cover, cosine: float, denied: bool) -> float:
    met = cover.share * (1 - 0.5 * cover.rival) * (1.0 if cover.keys >= MET else 0.5)
    return carried * (0.2 + 0.8 * met) * (0.4 if denied else 1.0) + 0.1 * max(0.0, cosine)


def _yes_no(choices: Sequence[Choice]) -> bool:
    return {fold(c.text).strip(" .") for c in choices if c.special is None} <= {"yes", "no", "true", "false"}


def _of_options(
    text: str,
    question: Asked,
    corpus: Corpus,
    choices: Sequence[Choice],
    lines: Sequence[int],
    matcher: Matcher,
) -> list[Candidate]:
    finder = OptionMatcher(corpus, question, choices)
    plain = [c for c in choices if c.special is None]
    look = lines if len(lines) <= ALL_LINES else matcher.lines
    supports = {c.letter: [s for n in look for s in finder.supports(c, n)] for c in plain}
    taken: dict[int, list[int]] = {}
    for found in supports.values():
        for s in found:
            if s.credit >= 0.7:
                taken.setdefault(s.line, []).append(s.i)
    cosine = corpus.similarities(text)
    listed = question.kind is Kind.THING  # things stand in lists, where the words between are no labels
    out = []
    for c in plain:
        if not supports[c.letter]:
            continue
        joint = cosine if has_cjk(text) else corpus.similarities(f"{text} {c.text}")
        for s in supports[c.letter]:
            cover = matcher.cover(s.line, (s.i, s.j), () if listed else taken.get(s.line, ()))
            cos = max(float(joint[s.line]), float(cosine[s.line]))
            denied = s.denied and not question.negated and not question.denies
            score = _score(s.credit, cover, cos, denied)
            line = corpus.lines[s.line]
            out.append(Candidate(c.text, c.letter, line, s.start, s.end, s.credit, cover, cos, denied, score))
    return out


def _of_spans(text: str, question: Asked, corpus: Corpus, matcher: Matcher) -> list[Candidate]:
    out = []
    cosine = corpus.similarities(text)
    for n in matcher.lines:
        line = corpus.lines[n]
        found = spans(corpus, question, line)
        starts = [token_range(line, s.start, s.end)[0] for s in found if not s.whole]
        for s in found:
            i, j = token_range(line, s.start, s.end)
            cover = matcher.cover(n, (i, i + 1) if s.whole else (i, j), () if s.whole else starts)
            turned = TURNED.search(line.text[: s.start]) is not None
            denied = turned and question.kind is not Kind.REASON and not question.denies
            score = _score(s.exact, cover, float(cosine[n]), denied)
            answer = line.text[s.start : s.end].strip(" ,;:")
            if answer:
                out.append(
                    Candidate(
                        answer, None, line, s.start, s.end, s.exact, cover, float(cosine[n]), denied, score
                    )
                )
    return out


def _of_yes_no(text: str, corpus: Corpus, matcher: Matcher, choices: Sequence[Choice]) -> list[Candidate]:
    """Yes where one sentence meets every anchor, no where it does so and denies it."""
    letters = {fold(c.text).strip(" ."): c.letter for c in choices}
    cosine = corpus.similarities(text)
    out = []
    for n in matcher.lines:
        line = corpus.lines[n]
        for sentence in sorted(set(line.sentences)):
            inside = [i for i, s in enumerate(line.sentences) if s == sentence]
            cover = matcher.cover(n, (inside[0], inside[-1] + 1))
            said = [line.tokens[i].norm for i in inside]
            denied = any(w.replace("'", "") in NEGATIONS or w.endswith("n't") for w in said)
            letter = letters.get("no" if denied else "yes") or letters.get("false" if denied else "true")
            start, end = line.tokens[inside[0]].start, line.tokens[inside[-1]].end
            cos = float(cosine[n])
            score = _score(0.7, cover, cos, False)
            answer = "no" if denied else "yes"
            out.append(Candidate(answer, letter, line, start, end, 0.7, cover, cos, False, score))
    return out


def _introduced(c: Candidate) -> Candidate:
    """The candidate for "who is the speaker": full share for a name given in an introduction, little otherwise."""
    alone = c.line.source == "screen" and c.end - c.start > 0.7 * len(c.line.text)
    share = 1.0 if _INTRO.search(c.line.text[: c.start]) else 0.6 if alone else 0.1
    missing = () if share > 0.5 else ("an introduction",)
    cover = replace(c.cover, share=share, own=share, weakest=share, nouns=share, rival=0.0, missing=missing)
    return replace(c, cover=cover, score=_score(c.carried, cover, c.cosine, c.denied))
