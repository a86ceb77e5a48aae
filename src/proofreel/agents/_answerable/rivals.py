"""What speaks against a candidate: its line names something else than what is asked about."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from proofreel.agents._answerable.corpus import Corpus, Line, row_label
from proofreel.agents._answerable.kinds import Asked
from proofreel.agents._answerable.wordlists import COMMON_CAPITALS, MEASURES
from proofreel.agents._answerable.words import Token, base, contrasts

Met = list[list[tuple[int, float]]]
"""For each anchor of the question: (token, credit) pairs of a line."""
_PRONOUNS = frozenset("it he she they we this that there these those its their his her".split())
TYPE_LABELS = frozenset(
    base(w)
    for w in "date time day duration length price cost fee room place location venue number total height weight width "
    "when where who how what host speaker author teacher start end begin until from address phone email website "
    "opening hours".split()
)
_DETERMINERS = frozenset("the a an our this that".split())


def rival(
    corpus: Corpus, question: Asked, n: int, span: tuple[int, int], places: Callable[[int], Met]
) -> tuple[float, str]:
    """How strongly tokens ``[span)`` of line ``n`` belong to something else, in [0, 1], and to what in words.

    1: the clause holds the opposite of an anchor, another measure, or another name; 0.8: the row is labelled
    otherwise; 0.5: the sentence speaks of another thing; 0: nothing of that, or a pronoun points back.
    """
    line = corpus.lines[n]
    if not line.tokens or not question.anchors:
        return 0.0, ""
    at = min(span[0], len(line.tokens) - 1)
    outside = [(i, t) for i, t in enumerate(line.tokens) if not span[0] <= i < span[1]]
    clause = [t for i, t in outside if line.clauses[i] == line.clauses[at]]
    sentence = [(i, t) for i, t in outside if line.sentences[i] == line.sentences[at]]
    met = places(n)
    for k, a in enumerate(question.anchors):
        if not any(line.clauses[i] == line.clauses[at] for i, _ in met[k]):
            other = next((t.text for t in clause if contrasts(a.stem, t.stem)), None)
            if other:
                return 1.0, f'the line speaks of "{other}", not of "{a.text}"'
    measure = _other_measure(question, line, span)
    if measure:
        return 1.0, f"the line says how {measure} it is, not how {question.measure}"
    open_anchors = [
        a
        for k, a in enumerate(question.anchors)
        if not a.light and not any(line.sentences[i] == line.sentences[at] for i, _ in met[k])
    ]
    if not open_anchors:
        return 0.0, ""
    label = row_label(corpus, n)
    if label is not None:
        return _labelled(label, any(places(label.n)))
    stems = {a.stem for a in question.anchors}
    names = [t.text for i, t in sentence if _is_name(corpus, t, i) and t.stem not in stems]
    if names and any(a.key for a in open_anchors):
        return 1.0, f'the line speaks of "{names[0]}"'
    if any(t.norm in _PRONOUNS for _, t in sentence[:6]):
        return 0.0, ""
    taken = {i for spots in met for i, _ in spots}
    things = [
        t.text
        for (_, before), (i, t) in pairwise(sentence)
        if before.norm in _DETERMINERS and t.content and t.stem not in stems and i not in taken
    ]
    return (0.5, f'the line speaks of "{things[0]}"') if things else (0.0, "")


def _labelled(label: Line, met: bool) -> tuple[float, str]:
    speaking = any(t.content and t.kind == "word" and t.stem not in TYPE_LABELS for t in label.tokens)
    return (0.8, f'on its row it belongs to "{label.text}"') if speaking and not met else (0.0, "")


def _other_measure(question: Asked, line: Line, span: tuple[int, int]) -> str | None:
    """The adjective of another measure right after the amount ("25 metres long" when asked how deep)."""
    if question.measure is None:
        return None
    for t in line.tokens[span[1] : span[1] + 2]:
        row = next((r for r in MEASURES if t.norm in r), None)
        if row is not None:
            return None if question.measure in row else t.norm
    return None


def _is_name(corpus: Corpus, token: Token, i: int) -> bool:
    capital = token.text[0].isupper() and not token.text.isupper()
    known = token.norm in COMMON_CAPITALS or token.norm in corpus.lowercase
    return token.kind == "word" and i > 0 and len(token.text) > 1 and capital and not known
