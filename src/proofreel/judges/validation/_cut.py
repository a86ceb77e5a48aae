"""Takes one milestone out of a trajectory: the calls and results that establish it and what is said of it.

Which words speak of a milestone is found by overlap with its description and with the words that the judge itself
quoted for it. Words that the question or another milestone uses too count little, as do words of many tool results,
and a passage that speaks more of another milestone stays. A word of the milestone whose only source was a result that
went is a mention wherever the agent uses it.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import sqrt

from proofreel.core import Milestone, Step, ToolCall, Trajectory

SPEAKS = 0.5
FAINTLY = 0.2
"""Enough where every other milestone is spoken of half as much at most."""
CLEAR = 2.0
COMMON = 0.25
"""Weight of a word that the question or another milestone uses as well."""
QUOTE = 16
"""A quote of so many characters found letter for letter settles it."""

_SENTENCE = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    "the and for with that this from into then than when where which while what who how are was were has have had its "
    "his her their they them there here not but all any each one only also after before during find locate identify "
    "determine establish verify check count video shown seen read milestone".split()
)


@dataclass(frozen=True)
class Cut:
    """A trajectory without a milestone, and how much was taken out."""

    trajectory: Trajectory
    calls: int
    observations: int
    sentences: int


class _Topic:
    """How strongly a text speaks of a milestone, from 0 to 1."""

    def __init__(self, milestone: Milestone, evidence: str, common: set[str], spread: Counter[str]) -> None:
        # A word that no result has (a time in another notation, "count") tells nothing about any of them.
        every = words(f"{milestone.description} {evidence}")
        terms = {w for w in every if spread[w]} if spread else every
        self.weights = {w: (COMMON if w in common else 1.0) / sqrt(max(1, spread[w])) for w in terms}
        self.whole = sum(self.weights.values()) or 1.0
        self.quotes = [
            q for part in re.split(r"\.{3}|\u2026|\n", evidence) if len(q := squeeze(part)) >= QUOTE
        ]

    def strength(self, text: str) -> float:
        plain = squeeze(text)
        if any(q in plain for q in self.quotes):
            return 1.0
        said = words(text)
        return sum(w for word, w in self.weights.items() if word in said) / self.whole


@dataclass(frozen=True)
class _Focus:
    """A topic against the others."""

    topic: _Topic
    rivals: Sequence[_Topic]

    def speaks(self, text: str) -> bool:
        """Whether a passage is about this topic: more than about any other if clearly, about no other if faintly."""
        mine = self.topic.strength(text)
        most = max((r.strength(text) for r in self.rivals), default=0.0)
        return mine > most and mine >= (FAINTLY if mine >= CLEAR * most else SPEAKS)


def words(text: str) -> set[str]:
    """Stems of the words that carry meaning, and all numbers."""
    found = {w.lower() for w in _WORD.findall(text)}
    return {_stem(w) for w in found if w.isdigit() or (len(w) > 2 and w not in _STOP)}


def squeeze(text: str) -> str:
    """A text as it is compared: lower case, single spaces, no quotes around it."""
    return " ".join(text.lower().split()).strip("\"'` ")


def cut_milestone(
    trajectory: Trajectory,
    milestone: Milestone,
    evidence: str,
    question: str,
    others: Sequence[tuple[Milestone, str]] = (),
) -> Cut | None:
    """The trajectory without what establishes a milestone; None when nothing in it speaks of it.

    A tool result goes as a whole, with its call, unless it also establishes another milestone; then its sentences on
    this one go. Sentences of the agent on it go wherever they stand.

    Args:
        trajectory: genuine.
        milestone: what to take out.
        evidence: the words a judge quoted for it, may be empty.
        question: words of it tell little.
        others: the other milestones, each with the words quoted for it.
    """
    every = [(milestone, evidence), *others]
    results = [o for s in trajectory.steps for o in s.observations]
    spread = Counter(w for o in results for w in words(o.text))
    topics = []
    for n, (one, quoted) in enumerate(every):
        rest = " ".join(f"{m.description} {q}" for k, (m, q) in enumerate(every) if k != n)
        topics.append(_Topic(one, quoted, words(f"{question} {rest}"), spread))
    topic, rivals = _Focus(topics[0], topics[1:]), topics[1:]
    calls = {c.id: c for s in trajectory.steps for c in s.calls}
    gone: set[str] = set()
    kept_texts: dict[int, str] = {}
    count = 0
    for observation in results:
        text = f"{_call_text(calls.get(observation.call_id))} {observation.text}"
        rest, dropped = _without(observation.text, topic)
        if not dropped and not topic.speaks(text):
            continue
        if rest and any(r.strength(rest) >= SPEAKS for r in rivals):
            kept_texts[id(observation)] = rest
            count += dropped
        else:
            gone.add(observation.call_id)
    left_over = [kept_texts.get(id(o), o.text) for o in results if o.call_id not in gone]
    orphans = (topics[0].weights.keys() & words(" ".join(o.text for o in results))) - words(
        " ".join(left_over)
    )
    orphans -= words(question)
    steps: list[Step] = []
    for step in trajectory.steps:
        text, dropped = _without(step.text, topic, orphans)
        count += dropped
        observations = tuple(
            o.model_copy(update={"text": kept_texts[id(o)], "data": {}, "evidence": ()})
            if id(o) in kept_texts
            else o
            for o in step.observations
            if o.call_id not in gone
        )
        left = tuple(c for c in step.calls if c.id not in gone)
        changed = dropped or observations != step.observations or left != step.calls
        if changed and not text.strip() and not observations and not left and step.phase != "answer":
            continue
        fields = {"text": text, "calls": left, "observations": observations}
        steps.append(step.model_copy(update=fields | {"data": {}}) if changed else step)
    if not gone and not count:
        return None
    numbered = tuple(s.model_copy(update={"id": n}) for n, s in enumerate(steps, 1))
    fewer = len(results) - sum(len(s.observations) for s in steps)
    return Cut(trajectory.model_copy(update={"steps": numbered}), len(gone & set(calls)), fewer, count)


def _sentences(text: str) -> list[str]:
    return [s for s in _SENTENCE.split(text) if s and s.strip()]


def _without(text: str, topic: _Focus, orphans: Set[str] = frozenset()) -> tuple[str, int]:
    sentences = _sentences(text)
    kept = [s for s in sentences if not topic.speaks(s) and not words(s) & orphans]
    dropped = len(sentences) - len(kept)
    return ("\n".join(kept), dropped) if dropped else (text, 0)


def _call_text(call: ToolCall | None) -> str:
    return "" if call is None else f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}"


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word


__all__ = ["Cut", "cut_milestone"]
