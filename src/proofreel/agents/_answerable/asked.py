"""Takes a question apart by rules: what type of answer, which words must be met, in which order."""

from __future__ import annotations

import re
from dataclasses import replace

from proofreel.agents._answerable.kinds import Anchor, Asked, Kind
from proofreel.agents._answerable.patterns import (
    AT,
    HOST,
    HOSTS,
    LABELS,
    MEASURES,
    NEGATED,
    ORDER_WORDS,
    ORDERS,
    RULES,
    SCREEN,
    SPEECH,
    VISUAL,
)
from proofreel.agents._answerable.units import MONEY, UNITS
from proofreel.agents._answerable.wordlists import ABOUT_VIDEO, LIGHT, MONTHS, NEGATIONS, STOP
from proofreel.agents._answerable.words import Token, base, fold, has_cjk, tokenize

_AUXILIARIES = frozenset(
    "do does did is are was were will would can could should must has have had may might".split()
)
_BEFORE_NOUN = frozenset(
    "the a an our your his her their its this that these those of in on at for to with "
    "from by about against and".split()
)


def asked(text: str) -> Asked:
    """Takes a question apart by rules; English and simple Chinese."""
    if has_cjk(text):
        from proofreel.agents._answerable.chinese import asked_chinese

        return asked_chinese(text)
    low = fold(text)
    kind, consumed, units, head = _kind(low)
    tokens = tokenize(text)
    if kind is Kind.COUNT:
        kind, units, head = _counted(tokens, low)
    order = next((name for name, pattern in ORDERS if re.search(pattern, low)), None)
    if order == "last" and low.startswith("how long"):
        order = None  # the verb: how long does it last
    moment = AT.search(low)
    found = Asked(
        text,
        kind,
        (),
        head=head,
        units=units,
        order=order,
        relation=_relation(text, kind),
        source="speech" if SPEECH.search(low) else "screen" if SCREEN.search(low) else None,
        denies=any(t.norm.replace("'", "") in NEGATIONS for t in tokens),
        visual=VISUAL.search(low) is not None,
        measure=measure_of(low) if kind is Kind.QUANTITY else None,
        negated=kind is not Kind.YESNO and kind is not Kind.REASON and NEGATED.search(text) is not None,
        at=_moment(moment) if moment else None,
    )
    return _with_anchors(found, tokens, consumed)


def measure_of(low: str) -> str | None:
    """The adjective after "how" when it is one of measure."""
    m = re.search(r"\bhow (?:far (apart)|(" + "|".join(MEASURES) + r"))\b", low)
    return (m[1] or m[2]) if m else None


def _kind(low: str) -> tuple[Kind, frozenset[str], frozenset[str], str | None]:
    for pattern, kind, words in RULES:
        m = re.search(pattern, low)
        if m is None:
            continue
        measure = next((v for k, v in m.groupdict().items() if v), None) if m.groupdict() else None
        units = frozenset(MEASURES[measure].split()) if measure else frozenset()
        if re.search(r"\bhow long (?:does|did|do|should|can|must|has|have|will\b(?!.*\bbe\b\W*$))", low):
            units = frozenset({"duration"})
        consumed = frozenset(
            base(w) for w in [*words.split(), *([measure] if measure and measure != "old" else [])]
        )
        return kind, consumed, units, None
    m = re.search(r"\b(?:what|which) (?:is |was |are |were )?(?:the |an? )?((?:\w+ ){0,3}?\w+)", low)
    words_after = [
        w
        for w in (m[1].split() if m else [])
        if w not in ("is", "was", "are", "were", "does", "do", "did", "the")
    ]
    words_after = [w for w in words_after if w not in STOP]
    head = base(words_after[0]) if words_after else None
    if head in LABELS and low.find("number of") < 0:
        return Kind.LABEL, frozenset(), frozenset(), head
    if re.search(r"\b(?:what|which) (?:is|was|are|were)\b", low) or head is None:
        noun = re.search(
            r"\b(?:what|which) (?:is|was|are|were) (?:the |an? |our |their |his |her |this "
            r")?((?:\w+ )*?\w+?)(?: of| for| in| at| on|\?|$)",
            low,
        )
        label = [base(w) for w in noun[1].split() if w not in STOP] if noun else []
        if label and any(w in LABELS for w in label):
            return Kind.LABEL, frozenset(), frozenset(), next(w for w in label if w in LABELS)
        return Kind.THING, frozenset(), frozenset(), label[-1] if label else None
    return Kind.THING, frozenset(), frozenset(), head


def _counted(tokens: tuple[Token, ...], low: str) -> tuple[Kind, frozenset[str], str | None]:
    at = next((i + 1 for i, t in enumerate(tokens) if t.norm == "many"), None)
    if at is None:
        at = next((i + 2 for i, t in enumerate(tokens) if t.norm == "number"), 0)
    phrase: list[Token] = []
    for t in tokens[at:]:
        if not t.content and t.norm not in ("more", "new", "other", "different"):
            break
        phrase.append(t)
    nouns = [t for t in phrase if t.content]
    plural = next(
        (t for t in nouns if t.norm.endswith("s") or t.stem in ("person", "child", "man", "woman")),
        nouns[0] if nouns else None,
    )
    if plural is None:
        return Kind.COUNT, frozenset(), None
    if plural.stem in UNITS and plural.stem != "cup":
        return Kind.QUANTITY, frozenset({UNITS[plural.stem][0]}), plural.stem
    if plural.stem in ("dollar", "euro", "pound", "yuan", "krone", "kroner"):
        return Kind.MONEY, frozenset(), plural.stem
    return Kind.COUNT, frozenset(), plural.stem


def _relation(text: str, kind: Kind) -> tuple[str, tuple[str, ...]] | None:
    m = re.search(
        r"\b(after|before|following)\s+(?!the (?:change|update|move)\b)([^?.,]{3,60})", text, re.IGNORECASE
    )
    if m is None or kind in (Kind.TIME, Kind.YESNO):
        return None
    stems = tuple(t.stem for t in tokenize(m[2]) if t.content and t.norm not in ABOUT_VIDEO)
    return ("before" if m[1].lower() == "before" else "after", stems) if stems else None


def _moment(m: re.Match[str]) -> float:
    if m[3]:
        return int(m[3]) * 60.0 + int(m[4])
    return float(m[1] or m[2])


def _with_anchors(found: Asked, tokens: tuple[Token, ...], consumed: frozenset[str]) -> Asked:
    quoted = [m.span(1) for m in re.finditer(r"[\"“'‘]([^\"”'’]{2,}?)[\"”'’](?![a-z])", found.text)]
    anchors: list[Anchor] = []
    phrases: list[list[int]] = []
    previous = -2
    for i, t in enumerate(tokens):
        inside = any(a <= t.start and t.end <= b for a, b in quoted)
        month = t.norm in MONTHS and t.text[:1].isupper() and i > 0
        if not t.content and not inside and not month:
            continue
        name = t.text[:1].isupper() and i > 0 and t.kind == "word"
        key = inside or name or t.kind in ("num", "code", "url")
        dropped = (
            t.stem in consumed or t.norm in ABOUT_VIDEO or (found.order is not None and t.stem in ORDER_WORDS)
        )
        if found.at is not None and (t.kind == "num" or t.norm in ("second", "seconds")):
            dropped = True
        if found.relation is not None and t.stem in found.relation[1]:
            continue
        if found.kind is Kind.MONEY and t.stem in MONEY:
            continue  # the currency of the answer
        if dropped and not inside and not (name and t.norm not in ABOUT_VIDEO and t.stem not in consumed):
            continue
        if found.head == t.stem and found.kind is Kind.QUANTITY:
            continue
        if any(a.stem == t.stem for a in anchors):
            continue
        typeword = found.kind is Kind.LABEL and t.stem == found.head
        anchors.append(
            Anchor(t.text, t.stem, key and not typeword, (t.norm in LIGHT and not key) or typeword)
        )
        if key:
            if i == previous + 1 and phrases:
                phrases[-1].append(len(anchors) - 1)
            else:
                phrases.append([len(anchors) - 1])
            previous = i
    introduces = found.kind is Kind.PERSON and re.search(HOSTS, fold(found.text)) is not None
    if introduces:
        rest = [a for a in anchors if not re.fullmatch(HOST, fold(a.text)) and a.stem not in ("tour",)]
        if not rest:
            return replace(found, anchors=(), introduces=True)
    named = _nouns(tokens)
    anchors = [replace(a, noun=a.key or a.stem in named) for a in anchors]
    return replace(found, anchors=tuple(anchors), phrases=tuple(tuple(p) for p in phrases))


def _nouns(tokens: tuple[Token, ...]) -> set[str]:
    """Stems of the words that stand as things: runs after determiners, prepositions and the auxiliary.

    The run after the auxiliary may end with the main verb ("does the night walk start"), which is left out.
    """
    found: set[str] = set()
    i = 0
    while i < len(tokens):
        before = tokens[i - 1].norm if i else ""
        if not tokens[i].content or before not in _BEFORE_NOUN | _AUXILIARIES:
            i += 1
            continue
        j = i
        while j < len(tokens) and tokens[j].content:
            j += 1
        run = list(tokens[i:j])
        follows = tokens[j].norm if j < len(tokens) else ""
        subject = before in _AUXILIARIES or (i > 1 and tokens[i - 2].norm in _AUXILIARIES)
        asks_being = before in ("is", "are", "was", "were") or (
            i > 1 and tokens[i - 2].norm in ("is", "are", "was", "were")
        )
        bare = before in _AUXILIARIES
        if subject and follows != "of" and (len(run) > 1 or (bare and not asks_being)):
            passive = run[-1].norm.endswith(("ed", "en", "t", "n"))
            if not asks_being or passive or run[-1].stem in ("locat", "situat"):
                run = run[:-1]
        found |= {t.stem for t in run}
        i = j
    return found
