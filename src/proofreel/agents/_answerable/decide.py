"""Features of the best candidate, its probability of being right, and the verdict: answer or abstain, with reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proofreel.agents._answerable.anchors import MET, Cover, Matcher
from proofreel.agents._answerable.asked import Asked, Kind, asked
from proofreel.agents._answerable.calibration import Calibration, load_calibration
from proofreel.agents._answerable.corpus import Corpus, Line
from proofreel.agents._answerable.options import Choice, OptionMatcher, token_range
from proofreel.agents._answerable.order import EventTimes, ordered
from proofreel.agents._answerable.spans import Span, spans
from proofreel.agents._answerable.words import fold, has_cjk, tokenize

POOL = 40
"""Lines looked at closely; more only when they carry an option or a typed value."""
TIE = 0.02


@dataclass(frozen=True)
class Candidate:
    """A possible answer: where it stands, how well it is carried, how well its surroundings meet the question."""

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


@dataclass
class Verdict:
    """What came out, before it becomes a trajectory."""

    asked: Asked
    chosen: Candidate | None
    letter: str | None = None
    value: str | None = None
    probability: float | None = None
    abstained: bool = True
    checks: list[tuple[str, bool, str]] = field(default_factory=list)
    hits: list[Line] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    features: dict[str, float] = field(default_factory=dict)
    reason: str = ""


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
    choices = [Choice(a, t) for a, t in options]
    verdict = Verdict(question, None)
    lines = _eligible(question, corpus)
    if not lines:
        verdict.reason = "no line to search"
        return verdict
    cosine = corpus.similarities(text)
    ranked = _pool(question, corpus, lines, cosine)
    verdict.hits = [corpus.lines[n] for n in ranked[:8]]
    matcher = Matcher(corpus, question, ranked)
    events = EventTimes(corpus, question, matcher)
    if choices and not _yes_no(choices):
        found = _option_candidates(question, corpus, choices, lines, ranked, matcher, text, cosine)
    elif question.kind is Kind.YESNO:
        found = _yes_no_candidates(question, corpus, ranked, matcher, cosine, choices)
    else:
        found = _open_candidates(question, corpus, lines, ranked, matcher, cosine)
    if question.introduces:
        found = [_introduced(c) for c in found]
    found = ordered(found, question, events)
    verdict.candidates = found
    _judge(verdict, choices, corpus, events, calibration or load_calibration())
    return verdict


def _yes_no(choices: Sequence[Choice]) -> bool:
    return {fold(c.text).strip(" .") for c in choices if c.special is None} <= {"yes", "no", "true", "false"}


def _eligible(question: Asked, corpus: Corpus) -> list[int]:
    lines = [ln for ln in corpus.lines if question.source in (None, ln.source)]
    if question.at is not None:
        lines = [ln for ln in lines if ln.start - 1.0 <= question.at <= ln.end + 1.0]
    return [ln.n for ln in lines if ln.tokens]


def _pool(question: Asked, corpus: Corpus, lines: Sequence[int], cosine: Sequence[float]) -> list[int]:
    """The lines by a quick score: rare question words first, then meaning."""
    stems = {a.stem: corpus.idf(a.stem) * (2 if a.key else 1) for a in question.anchors if not a.cjk}
    runs = [a.stem for a in question.anchors if a.cjk]

    def quick(n: int) -> float:
        line = corpus.lines[n]
        words = sum(w for s, w in stems.items() if s in line.stems)
        pairs = sum(p in line.text for r in runs for p in (r[i : i + 2] for i in range(max(1, len(r) - 1))))
        return words + pairs + 2.0 * float(cosine[n])

    return sorted(lines, key=lambda n: -quick(n))[:POOL]


def _score(carried: float, cover: Cover, cosine: float, denied: bool) -> float:
    met = cover.share * (1 - 0.5 * cover.rival) * (1.0 if cover.keys >= MET else 0.5)
    return carried * (0.2 + 0.8 * met) * (0.4 if denied else 1.0) + 0.1 * max(0.0, cosine)


def _option_candidates(
    question: Asked, corpus: Corpus, choices: Sequence[Choice], lines: Sequence[int], ranked: Sequence[int],
    matcher: Matcher, text: str, cosine: Sequence[float],
) -> list[Candidate]:  # fmt: skip
    finder = OptionMatcher(corpus, question, choices)
    plain = [c for c in choices if c.special is None]
    look = list(dict.fromkeys([*ranked, *lines])) if len(lines) <= 400 else list(ranked)
    supports = {c.letter: [s for n in look for s in finder.supports(c, n)] for c in plain}
    taken: dict[int, list[int]] = {}
    for found in supports.values():
        for s in found:
            if s.credit >= 0.7:
                taken.setdefault(s.line, []).append(s.i)
    out = []
    for c in plain:
        joint = corpus.similarities(f"{text} {c.text}") if not has_cjk(text) else cosine
        for s in supports[c.letter]:
            cover = matcher.cover(s.line, (s.i, s.j), taken.get(s.line, ()))
            cos = max(float(joint[s.line]), float(cosine[s.line]))
            denied = s.denied and not question.negated and not question.denies
            out.append(Candidate(c.text, c.letter, corpus.lines[s.line], s.start, s.end, s.credit, cover, cos, denied,
                                 _score(s.credit, cover, cos, denied)))  # fmt: skip
    return out


def _open_candidates(
    question: Asked,
    corpus: Corpus,
    lines: Sequence[int],
    ranked: Sequence[int],
    matcher: Matcher,
    cosine: Sequence[float],
) -> list[Candidate]:
    out = []
    for n in ranked:
        line = corpus.lines[n]
        found: list[Span] = spans(corpus, question, line)
        typed = [s for s in found if s.exact >= 0.5]
        starts = [token_range(line, s.start, s.end)[0] for s in typed]
        for s in found:
            i, j = token_range(line, s.start, s.end)
            whole = s.exact < 0.5 and question.kind in (Kind.THING, Kind.SAY)
            cover = matcher.cover(n, (i, j if not whole else i + 1), () if whole else starts)
            denied = question.kind is not Kind.REASON and not question.denies and _is_denied(line, s.start)
            out.append(Candidate(line.text[s.start : s.end].strip(" ,;:"), None, line, s.start, s.end, s.exact, cover, float(cosine[n]), denied,
                                 _score(s.exact, cover, float(cosine[n]), denied)))  # fmt: skip
    return [c for c in out if c.answer]


def _is_denied(line: Line, start: int) -> bool:
    from proofreel.agents._answerable.options import _TURNED

    return _TURNED.search(line.text[:start]) is not None


def _yes_no_candidates(
    question: Asked,
    corpus: Corpus,
    ranked: Sequence[int],
    matcher: Matcher,
    cosine: Sequence[float],
    choices: Sequence[Choice],
) -> list[Candidate]:
    """Yes where one clause meets every anchor, no where it does so and denies it or says the contrary."""
    from proofreel.agents._answerable.wordlists import NEGATIONS

    letters = {fold(c.text).strip(" ."): c.letter for c in choices}
    out = []
    for n in ranked:
        line = corpus.lines[n]
        for clause in sorted(set(line.sentences)):
            inside = [i for i, s in enumerate(line.sentences) if s == clause]
            cover = matcher.cover(n, (inside[0], inside[-1] + 1))
            denied = any(
                line.tokens[i].norm.replace("'", "") in NEGATIONS or line.tokens[i].norm.endswith("n't")
                for i in inside
            )
            answer = "no" if denied else "yes"
            letter = letters.get(answer) or letters.get("false" if denied else "true")
            start, end = line.tokens[inside[0]].start, line.tokens[inside[-1]].end
            out.append(
                Candidate(
                    answer,
                    letter,
                    line,
                    start,
                    end,
                    0.7,
                    cover,
                    float(cosine[n]),
                    False,
                    _score(0.7, cover, float(cosine[n]), False),
                )
            )
    return out


_INTRO = re.compile(
    r"\b(?:my name is|my name's|i am|i'm|this is|speaker|presenter|host|guide|presented by|with|by)\W{0,3}(?:your \w+,? )?(?:\w+\.? )?$",
    re.IGNORECASE,
)


def _introduced(c: Candidate) -> Candidate:
    """The candidate with its share of the question: full for a name given in an introduction, little otherwise."""
    share = (
        1.0
        if _INTRO.search(c.line.text[: c.start])
        else 0.6
        if c.line.source == "screen" and c.end - c.start > 0.7 * len(c.line.text)
        else 0.1
    )
    cover = replace(
        c.cover,
        share=share,
        rival=0.0,
        missing=() if share > 0.5 else ("an introduction",),
        missing_strong=share < 0.5,
    )
    return replace(c, cover=cover, score=_score(c.carried, cover, c.cosine, c.denied))


def _distinct(a: Candidate, b: Candidate) -> bool:
    if a.letter or b.letter:
        return a.letter != b.letter
    x, y = {t.stem for t in tokenize(a.answer)}, {t.stem for t in tokenize(b.answer)}
    return not (x <= y or y <= x)


def _judge(
    verdict: Verdict, choices: Sequence[Choice], corpus: Corpus, events: EventTimes, calibration: Calibration
) -> None:
    question = verdict.asked
    special = {c.special: c for c in choices if c.special}
    if question.negated and choices:
        _judge_negated(verdict, choices, calibration)
        return
    if not verdict.candidates:
        verdict.reason = (
            "no line carries any of the options" if choices else f"no line holds a {question.kind.value}"
        )
        verdict.checks.append(("carries an answer of the asked type", False, verdict.reason))
    else:
        best = verdict.candidates[0]
        second = next((c for c in verdict.candidates if _distinct(best, c)), None)
        verdict.chosen = best
        verdict.features = features(best, second, question, corpus, choices)
        verdict.probability = calibration.probability(verdict.features)
        _check(verdict, best, second, question, events, calibration, choices)
    passed = verdict.chosen is not None and all(ok for _, ok, _ in verdict.checks)
    if passed and verdict.chosen is not None:
        everything = special.get("all")
        strong = {
            c.letter for c in verdict.candidates if c.letter and c.carried >= 0.75 and c.cover.share >= 0.5
        }
        plain = [c for c in choices if c.special is None]
        if everything and len(strong) == len(plain) > 1:
            verdict.letter, verdict.value = everything.letter, everything.text
        else:
            verdict.letter, verdict.value = verdict.chosen.letter, verdict.chosen.answer
        verdict.abstained = False
        return
    unsaid = special.get("not_said")
    if (
        unsaid is not None
        and not question.visual
        and not any("no transcript" in n or "no speech model" in n for n in corpus.notes)
    ):
        verdict.letter, verdict.value, verdict.abstained = unsaid.letter, unsaid.text, False
        verdict.probability = None if verdict.probability is None else 1.0 - verdict.probability
        verdict.reason = verdict.reason or next((why for _, ok, why in verdict.checks if not ok), "")


def _check(
    verdict: Verdict,
    best: Candidate,
    second: Candidate | None,
    question: Asked,
    events: EventTimes,
    calibration: Calibration,
    choices: Sequence[Choice],
) -> None:
    checks = verdict.checks
    carried_enough = best.carried >= 0.5 or (
        best.carried >= 0.4 and question.kind in (Kind.THING, Kind.SAY) and not choices
    )
    checks.append(
        (
            "carries an answer of the asked type",
            carried_enough,
            f'"{best.answer}" ({best.carried:.2f}) for a {question.kind.value}',
        )
    )
    missing = ", ".join(best.cover.missing)
    met = best.cover.keys >= MET and not (best.cover.keys < 0.9 and best.cover.rival >= 0.5)
    checks.append(
        (
            "names and numbers of the question are met",
            met,
            "all met"
            if met
            else f"missing: {missing}"
            if missing
            else f"only near by; {best.cover.why_rival}",
        )
    )
    checks.append(
        (
            "belongs to what is asked about",
            best.cover.rival < 1.0 and not best.denied,
            "the line denies it" if best.denied else best.cover.why_rival or "nothing else claims it",
        )
    )
    if question.relation is not None:
        checks.append(
            (
                f"the event it shall come {question.relation[0]} is in the video",
                events.found,
                " ".join(question.relation[1]),
            )
        )
    if question.visual:
        literal = best.cover.share >= 0.95 and not best.cover.helpers
        checks.append(
            (
                "words alone can answer it",
                literal,
                "the question is about what is seen; the index holds only what is read and heard",
            )
        )
    tie = second is not None and best.score - second.score < TIE and (bool(choices) or not question.anchors)
    checks.append(
        ("one answer stands out", not tie, f'"{second.answer}" is as near' if tie and second else "")
    )
    p = verdict.probability or 0.0
    checks.append(
        (
            "probability high enough",
            p >= calibration.threshold,
            f"{p:.2f} against {calibration.threshold:.2f}" + (f"; not met: {missing}" if missing else ""),
        )
    )
    verdict.reason = next((why for _, ok, why in checks if not ok), "")


def _judge_negated(verdict: Verdict, choices: Sequence[Choice], calibration: Calibration) -> None:
    """The one option without support, when all others have it."""
    best: dict[str, Candidate] = {}
    for c in verdict.candidates:
        if (
            c.letter
            and c.carried >= 0.6
            and c.cover.keys >= MET
            and (c.letter not in best or c.score > best[c.letter].score)
        ):
            best[c.letter] = c
    plain = [c for c in choices if c.special is None]
    left = [c for c in plain if c.letter not in best]
    alone = len(left) == 1 and len(plain) > 2
    verdict.checks.append(
        ("all options but one are supported", alone, f"{len(left)} of {len(plain)} options are not supported")
    )
    verdict.reason = "" if alone else verdict.checks[-1][2]
    if alone:
        weakest = min(best.values(), key=lambda c: c.score)
        verdict.features = features(weakest, None, verdict.asked, None, choices)
        verdict.probability = calibration.probability(verdict.features)
        enough = verdict.probability >= calibration.threshold
        verdict.checks.append(
            (
                "probability high enough",
                enough,
                f"{verdict.probability:.2f} against {calibration.threshold:.2f}",
            )
        )
        verdict.chosen = weakest
        if enough:
            verdict.letter, verdict.value, verdict.abstained = left[0].letter, left[0].text, False
            verdict.candidates = sorted(best.values(), key=lambda c: c.line.start)
        else:
            verdict.reason = verdict.checks[-1][2]


def features(
    best: Candidate,
    second: Candidate | None,
    question: Asked,
    corpus: Corpus | None,
    choices: Sequence[Choice],
) -> dict[str, float]:
    """Numbers the calibration turns into a probability; all about in [0, 1]."""
    return {
        "open": 0.0 if choices else 1.0,
        "carried": best.carried,
        "share": best.cover.share,
        "keys": best.cover.keys,
        "rival": best.cover.rival,
        "cosine": max(0.0, best.cosine),
        "margin": min(0.5, best.score - (second.score if second else 0.0)),
        "complete": 0.0 if best.cover.missing_strong else 1.0,
        "few_anchors": 1.0 if len([a for a in question.anchors if not a.light]) <= 1 else 0.0,
        "loose_kind": 1.0 if question.kind in (Kind.THING, Kind.SAY, Kind.YESNO, Kind.MANNER) else 0.0,
    }
