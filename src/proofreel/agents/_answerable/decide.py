"""The verdict on a question: which candidate is best, which checks it passes, answer or abstention with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from proofreel.agents._answerable.anchors import MET, Matcher
from proofreel.agents._answerable.asked import asked
from proofreel.agents._answerable.calibration import Calibration, load_calibration
from proofreel.agents._answerable.candidates import Candidate, candidates, distinct, pool
from proofreel.agents._answerable.corpus import Corpus, Line
from proofreel.agents._answerable.kinds import Asked, Kind
from proofreel.agents._answerable.options import Choice
from proofreel.agents._answerable.order import EventTimes, ordered

_LIST_LINK = re.compile(
    r"[\s,;/&、]*(?:\b(?:and|or)\b|和|或)?[\s,]*(?:\b(?:a|an|the|some)\s+)?", re.IGNORECASE
)
TIE = 0.02
"""Two answers closer than this in score are as good as each other."""
EVENT_MET = 0.55
"""A reason needs every word of the event met this well: near lines count, far ones do not."""
LISTED = 0.85
"""Two things of one line are a list when the second has this share of the first one's score."""
SHOWN_HITS = 8


@dataclass(frozen=True)
class Check:
    """One condition an answer must fulfil, whether it does, and what was found, in words for people."""

    name: str
    passed: bool
    found: str


@dataclass
class Verdict:
    """What came out, before it becomes a trajectory.

    Attributes:
        asked: the question taken apart.
        chosen: best candidate, also when it was not good enough.
        letter: of the answer; None for open questions and abstentions.
        value: the answer, None when abstained.
        probability: calibrated, that ``chosen`` is right; None without a candidate.
        checks: all conditions, passed or not.
        hits: lines nearest to the question, best first.
        support: the candidates that carry the answer (more than one when an option is found by exclusion).
        features: what the probability was computed from.
        reason: why there is no answer, empty otherwise.
    """

    asked: Asked
    chosen: Candidate | None = None
    letter: str | None = None
    value: str | None = None
    probability: float | None = None
    abstained: bool = True
    checks: list[Check] = field(default_factory=list)
    hits: list[Line] = field(default_factory=list)
    support: list[Candidate] = field(default_factory=list)
    features: dict[str, float] = field(default_factory=dict)
    reason: str = ""

    def check(self, name: str, passed: bool, found: str) -> bool:
        """Notes a condition; the first that fails is the reason for abstaining."""
        self.checks.append(Check(name, passed, found))
        if not passed and not self.reason:
            self.reason = found
        return passed


def decide(
    text: str, options: Sequence[tuple[str, str]], corpus: Corpus, calibration: Calibration | None = None
) -> Verdict:
    """Answers a question from the lines of a video, or says why they do not answer it.

    Args:
        text: the question.
        options: (letter, text) pairs; empty for an open question.
        corpus: the lines.
        calibration: turns features into a probability; the shipped one by default.
    """
    question = asked(text)
    choices = [Choice(letter, option) for letter, option in options]
    verdict = Verdict(question)
    lines = _eligible(question, corpus)
    if not lines:
        where = f" of {question.source}" if question.source else ""
        verdict.check("there is something to search", False, f"the index holds no line{where} to search")
        return verdict
    ranked = pool(text, question, corpus, lines)
    verdict.hits = [corpus.lines[n] for n in ranked[:SHOWN_HITS]]
    matcher = Matcher(corpus, question, ranked)
    events = EventTimes(corpus, question)
    found = ordered(candidates(text, question, choices, corpus, matcher, lines), question, events)
    judge = calibration or load_calibration(corpus.vectors is not None)
    if question.negated and choices:
        _by_exclusion(verdict, found, choices, judge)
    else:
        _by_support(verdict, found, choices, events, judge)
        _special(verdict, found, choices, corpus)
    return verdict


def _eligible(question: Asked, corpus: Corpus) -> list[int]:
    lines = [ln for ln in corpus.lines if question.source in (None, ln.source)]
    if question.at is not None:
        lines = [ln for ln in lines if ln.start - 1.0 <= question.at <= ln.end + 1.0]
    return [ln.n for ln in lines if ln.tokens]


def _by_support(
    verdict: Verdict,
    found: list[Candidate],
    choices: Sequence[Choice],
    events: EventTimes,
    judge: Calibration,
) -> None:
    question = verdict.asked
    if not found:
        what = "any of the options" if choices else question.kind.phrase
        verdict.check("carries an answer of the asked type", False, f"no line carries {what}")
        return
    best = found[0]
    second = next((c for c in found if distinct(best, c)), None)
    verdict.chosen = best
    verdict.features = features(best, second, question, choices)
    p = verdict.probability = judge.probability(verdict.features)
    least = 0.4 if question.kind in (Kind.THING, Kind.SAY) and not choices else 0.5
    verdict.check(
        "carries an answer of the asked type",
        best.carried >= least,
        f'"{best.answer}" is {"" if best.carried >= least else "hardly "}{question.kind.phrase} that the line carries',
    )
    missing = ", ".join(f'"{m}"' for m in best.cover.missing)
    met = best.cover.keys >= MET and not (best.cover.keys < 0.9 and best.cover.rival >= 0.5)
    unmet = f"{missing} is not spoken of there" if missing else f"{best.cover.why_rival}"
    verdict.check("names and numbers of the question are met", met, "all are met" if met else unmet)
    own = best.cover.rival < 1.0 and not best.denied
    foreign = f'the line denies "{best.answer}"' if best.denied else best.cover.why_rival
    verdict.check("belongs to what is asked about", own, "nothing else claims it" if own else foreign)
    if question.relation is not None:
        event = " ".join(question.relation[1])
        verdict.check(
            "the event named in the question is there", events.found, f'"{event}" is not in the video'
        )
    if question.visual:
        literal = best.cover.share >= 0.95 and not best.cover.helpers
        said = (
            "the line says it in words" if literal else "it asks for what is seen; only words can be searched"
        )
        verdict.check("words alone can answer it", literal, said)
    if question.kind is Kind.REASON:
        spoken = best.cover.weakest >= EVENT_MET
        verdict.check(
            "what the reason is asked for is spoken of",
            spoken,
            "it is" if spoken else "what it asks the reason of is not spoken of there",
        )
    exclusive = not any(c.special == "all" for c in choices)
    tie = (
        second is not None
        and exclusive
        and (bool(choices) or len(question.anchors) <= 1)
        and _tied(best, second, question)
    )
    rival = f'"{second.answer}" fits as well as "{best.answer}"' if tie and second else "it does"
    verdict.check("one answer stands out", not tie, rival)
    lacking = f"; not met: {missing}" if missing else ""
    verdict.check(
        "probable enough",
        p >= judge.threshold,
        f'"{best.answer}" is right with probability {p:.2f}, {judge.threshold:.2f} is needed{lacking}',
    )
    if all(c.passed for c in verdict.checks):
        verdict.letter, verdict.value, verdict.abstained = best.letter, best.answer, False
        verdict.support = [best]


def _tied(best: Candidate, second: Candidate, question: Asked) -> bool:
    """Whether the second answer is as good: nearly the same score, or both in one list of things."""
    if best.score - second.score < TIE:
        return True
    if question.order or question.relation or question.kind is not Kind.THING or second.line.n != best.line.n:
        return False
    first, last = sorted((best, second), key=lambda c: c.start)
    if not _LIST_LINK.fullmatch(best.line.text[first.end : last.start]):
        return False
    sure = min(best.carried, second.carried) >= 0.9 and second.cover.rival == 0
    return sure and second.score >= LISTED * best.score


def _special(verdict: Verdict, found: list[Candidate], choices: Sequence[Choice], corpus: Corpus) -> None:
    """Options that speak about the other options: all of them, or that it is not said."""
    special = {c.special: c for c in choices if c.special}
    plain = [c for c in choices if c.special is None]
    everything, unsaid = special.get("all"), special.get("not_said")
    if not verdict.abstained and everything is not None:
        strong = {c.letter: c for c in reversed(found) if c.carried >= 0.75 and c.cover.share >= 0.5}
        if len(strong) == len(plain) > 1:
            verdict.letter, verdict.value = everything.letter, everything.text
            verdict.support = sorted(strong.values(), key=lambda c: c.line.start)
    blind = verdict.asked.visual or any(
        "no speech model" in n or "no screen text:" in n for n in corpus.notes
    )
    if verdict.abstained and unsaid is not None and not blind:
        verdict.letter, verdict.value, verdict.abstained = unsaid.letter, unsaid.text, False
        verdict.probability = None if verdict.probability is None else 1.0 - verdict.probability


def _by_exclusion(
    verdict: Verdict, found: list[Candidate], choices: Sequence[Choice], judge: Calibration
) -> None:
    """The one option without support, when all others have it."""
    best: dict[str, Candidate] = {}
    for c in found:
        good = c.letter is not None and c.carried >= 0.6 and c.cover.keys >= MET
        if good and c.letter is not None and (c.letter not in best or c.score > best[c.letter].score):
            best[c.letter] = c
    plain = [c for c in choices if c.special is None]
    left = [c for c in plain if c.letter not in best]
    count = f"{len(left)} of {len(plain)} options are not in the video"
    if not verdict.check("all options but one are there", len(left) == 1 and len(plain) > 2, count):
        return
    weakest = min(best.values(), key=lambda c: c.score)
    verdict.chosen = weakest
    verdict.features = features(weakest, None, verdict.asked, choices)
    p = verdict.probability = judge.probability(verdict.features)
    enough = f'"{weakest.answer}" is there with probability {p:.2f}, {judge.threshold:.2f} is needed'
    if verdict.check("probable enough", p >= judge.threshold, enough):
        verdict.letter, verdict.value, verdict.abstained = left[0].letter, left[0].text, False
        verdict.support = sorted(best.values(), key=lambda c: c.line.start)


def features(
    best: Candidate, second: Candidate | None, question: Asked, choices: Sequence[Choice]
) -> dict[str, float]:
    """Numbers the calibration turns into a probability; all in [0, 1]."""
    content = [a for a in question.anchors if not a.light]
    return {
        "open": 0.0 if choices else 1.0,
        "carried": best.carried,
        "share": best.cover.share,
        "keys": best.cover.keys,
        "rival": best.cover.rival,
        "cosine": max(0.0, best.cosine),
        "margin": min(0.5, best.score - (second.score if second else 0.0)),
        "weakest": best.cover.weakest,
        "own": best.cover.own,
        "nouns": best.cover.nouns,
        "complete": float(best.cover.complete),
        "few_anchors": 1.0 if len(content) <= 1 else 0.0,
        "loose_kind": 1.0 if question.kind in (Kind.THING, Kind.SAY, Kind.YESNO, Kind.MANNER) else 0.0,
    }
