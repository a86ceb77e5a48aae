"""What a question asks for: expected type of the answer, anchors that must be met, order, and whether eyes are needed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from proofreel.agents._answerable.values import UNITS
from proofreel.agents._answerable.wordlists import ABOUT_VIDEO, LIGHT, MONTHS, NEGATIONS, STOP
from proofreel.agents._answerable.words import Token, base, fold, has_cjk, tokenize


class Kind(StrEnum):
    """Type of the expected answer."""

    TIME = "clock time"
    DATE = "date"
    WHEN = "time or date"
    MONEY = "amount of money"
    PERCENT = "percentage"
    COUNT = "count"
    QUANTITY = "quantity with a unit"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    MANNER = "way of doing"
    URL = "web address"
    EMAIL = "email address"
    PHONE = "phone number"
    CODE = "password or code"
    COLOUR = "colour"
    LABEL = "number or letter of a thing"
    NAME = "name"
    SAY = "wording"
    YESNO = "yes or no"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A word of the question that the cited line must meet.

    ``key`` for names and numbers, ``light`` for vague words, ``noun`` for what stands as a thing in the question.
    """

    text: str
    stem: str
    key: bool = False
    light: bool = False
    noun: bool = False
    cjk: bool = False


@dataclass(frozen=True)
class Asked:
    """A question taken apart.

    Attributes:
        kind: type of the expected answer.
        head: stem of the thing asked for ("gate", "bike"), None when the type says it all.
        units: dimensions a quantity may have; empty for any.
        anchors: words that must be met, ``phrases`` groups the names among them.
        order: first, last, earlier or later value where several compete.
        relation: ("after" or "before", stems of the event).
        source: speech or screen when the question says which.
        visual: the question is about what is seen.
        denies: the question holds a negation.
        negated: asks for the option that does not hold.
        introduces: asks who the speaker (guide, host) is.
        measure: the adjective of a measure ("deep"), None where none is asked for.
        at: second of the video that the question names.
    """

    text: str
    kind: Kind
    anchors: tuple[Anchor, ...]
    phrases: tuple[tuple[int, ...], ...] = ()
    head: str | None = None
    units: frozenset[str] = frozenset()
    order: str | None = None
    relation: tuple[str, tuple[str, ...]] | None = None
    source: str | None = None
    denies: bool = False
    visual: bool = False
    negated: bool = False
    at: float | None = None
    introduces: bool = False
    measure: str | None = None


_MEASURES = {"long": "duration length", "far": "length", "tall": "length", "high": "length", "deep": "length", "wide": "length",
             "heavy": "weight", "fast": "speed", "hot": "temperature", "cold": "temperature", "warm": "temperature",
             "old": "duration", "temperature": "temperature", "speed": "speed", "height": "length", "length": "length duration",
             "weight": "weight", "width": "length", "depth": "length", "distance": "length", "duration": "duration",
             "big": "", "large": "", "thick": "length"}  # fmt: skip
_LABELS = frozenset(base(w) for w in "gate platform room floor hall track seat terminal level bus flight line chapter page step channel number "
                    "lane row bay desk counter exit route version edition episode season shelf aisle table building lot "
                    "tram zone section part score result deck cabin booth stand pier dock size grade class".split())  # fmt: skip
_PLACES = (
    "city|country|town|village|place|location|venue|building|street|address|district|region|area|state|island"
)
_RULES: tuple[tuple[str, Kind, str], ...] = (
    (r"\bphone number|\btelephone|\bnumber (?:can|should|do|to) .{0,20}\b(?:call|ring|dial)\b", Kind.PHONE, "phone telephone number call ring dial"),
    (r"\be-?mail\b(?! .{0,20}\bsent\b)", Kind.EMAIL, "email e-mail mail address"),
    (r"\bweb ?(?:site|page|address)|\burl\b|\bwhich site\b|\blink\b", Kind.URL, "website site web page address url link visit webpage"),
    (r"\bpass(?:word|code|phrase)\b|\bpin\b|\b(?:access|door|discount|promo|coupon|entry|voucher|security|booking|error|course|product|tracking) code\b|\b(?:what|which) code\b", Kind.CODE, ""),
    (r"\b(?:what|which) (?:\w+ )?colou?rs?\b|\bcolou?r (?:is|are|was|were|of)\b", Kind.COLOUR, "color colour"),
    (r"\bwhat percent|\bpercentage\b|\bhow many percent\b|\bper cent\b", Kind.PERCENT, "percent percentage share"),
    (r"\b(?:what|which|at what) time\b|\bwhat hour\b|\bo'?clock\b", Kind.TIME, "time hour o'clock oclock"),
    (r"\b(?:what|which|on what|on which) (?:\w+ )?(?:day|date|weekday|month|year)\b|\bdate (?:is|of|was)\b", Kind.DATE, "day date weekday month year"),
    (r"\bhow many\b|\bthe (?:total )?number of\b", Kind.COUNT, ""),
    (r"\bhow much (?:(?:do|does|did|will|would|is|are|was|were|must|should|can)\b)(?!.*\b(?:weigh|hold|grow|rise|rose|fall|increase)\b)|\b(?:price|cost|fee|fare|charge|salary|rent|budget|fine|prize|deposit)\b(?= (?:of|for|is|was|per|to)\b|\?|$)|\bhow much money\b|\bhow expensive\b", Kind.MONEY, "price cost fee charge pay paid money much expensive worth"),
    (r"\bhow much\b", Kind.QUANTITY, "much weigh"),
    (r"\bhow (?P<m>long|far|tall|high|deep|wide|heavy|fast|hot|cold|warm|old|big|large|thick)\b", Kind.QUANTITY, ""),
    (r"\bwhat (?:is|was|are|will be) the (?:\w+ ){0,3}?(?P<m>temperature|speed|height|length|weight|width|depth|distance|duration)\b|\b(?:what|which) (?P<m2>temperature|speed|height|length|weight|width|depth|distance)\b", Kind.QUANTITY, ""),
    (r"^what(?:'s| is| was) the (?:\w+ )?address\b|\b(?:what|which) address\b", Kind.PLACE, "address"),
    (r"\b\w+'s name\b", Kind.PERSON, "name called"),
    (r"\bwho(?:se|m)?\b|\b(?:what|which) (?:person|man|woman|speaker|author|player|teacher)\b", Kind.PERSON, "person"),
    (rf"\bwhere\b|\b(?:what|in what|which|in which|at which) (?:{_PLACES})\b", Kind.PLACE, f"{_PLACES.replace('|', ' ')} locate located situated find found held take place"),
    (r"\bwhen\b", Kind.WHEN, "happen take place"),
    (r"\bwhy\b|\bfor what reason\b|\bwhat (?:is|was) the reason\b|\bwhat caused\b", Kind.REASON, "reason"),
    (r"\bwhat (?:is|was|are) the (?:\w+ )?names? of\b|\bwhat (?:is|was|are) .{1,60}\b(?:called|named)\b|\bname of\b|\bwhat name\b", Kind.NAME, "name called named"),
    (r"^(?:what|which) (?:words? |text |sentence |message )?(?:do|does|did|is|are|was|were) .{0,40}\b(?:say|says|read|written|shown|displayed|state)\b", Kind.SAY, ""),
    (r"^(?:is|are|was|were|does|do|did|can|could|will|has|have|should|must|may)\b", Kind.YESNO, ""),
    (r"\bhow\b", Kind.MANNER, ""),
)  # fmt: skip
_ORDERS = (
    ("earlier", r"\b(?:original(?:ly)?|initial(?:ly)?|at first|previous(?:ly)?|formerly|(?:moved|changed|switched|rescheduled) from|before (?:the|it was) (?:change|move|update)d?)\b"),
    ("later", r"\b(?:moved to|changed to|switched to|updated to|rescheduled (?:to|for)|postponed (?:to|until)|updated|replaced (?:by|with)|after the (?:change|update|move)|corrected|correction|now)\b"),
    ("last", r"\b(?:last(?! (?:year|week|month|night|summer|winter|spring|autumn|season|time|name|\w+day))|final(?:ly)?|at the (?:very )?end|in the end|ends? with)\b"),
    ("first", r"\b(?:first(?! (?:half|floor|name|class|aid|time|lady|language))|at the (?:very )?(?:beginning|start)|begins? with)\b"),
)  # fmt: skip
_ORDER_WORDS = frozenset(base(w) for w in "original originally initial initially previous previously moved changed switched updated rescheduled postponed replaced corrected correct last final finally end first beginning start opening closing change update".split())  # fmt: skip
_VISUAL = re.compile(
    r"\bwhat (?:is|are|was|were) (?:the |a |an |this |that )?(?:\w+ ){0,3}(?:doing|wearing|holding|carrying|riding|eating|drinking|chasing|looking)\b"
    r"|\b(?:wearing|wears?|dressed|holding|facial|expression|looks? like|gesture|posing|hairstyle|hair|beard|glasses|clothes|shirt|jacket|dress)\b"
    r"|\b(?:visible|can be seen|is seen|are seen|do you see|can you see|appears? (?:on|in) (?:the )?(?:screen|frame|video|scene|background|picture)|in the (?:background|foreground|picture|scene|frame|shot|image))\b"
    r"|\b(?:left|right|top|bottom|upper|lower)[- ](?:side|corner|hand|half)\b|\bto the (?:left|right) of\b|\bin front of\b"
    r"|\bcolou?r\b|\b(?:camera|zoom|shot from|filmed|animation|shape)\b|\b(?:is|are|was|were)\b.{0,40}\b(?:walking|running|sitting|standing|jumping|dancing|smiling|waving|laughing|pointing)\b"
    r"|\bhow many (?:people|persons|men|women|children|cars|animals|objects|birds|dogs|cats|cups|trees|windows|chairs|pedestrians|cyclists)\b.{0,40}\b(?:are there|cross|walk|appear|enter|pass|in the video|in the clip|on (?:the )?(?:screen|street))"
    r"|\b(?:what|which) (?:animal|animals|vehicle|object|objects|person)\b.{0,50}\b(?:appear|video|scene|clip|shown|see|screen)\b|\bwhat happens\b|\bindoors or outdoors\b|\bweather like\b"
    r"|\bwhere (?:is|are) the (?:man|woman|person|ball|dog|cat|cup|car|child|boy|girl|rabbit|bird|people)\b"
)
_SPEECH = re.compile(
    r"\b(?:speaker|narrator|presenter|host|voice|announcer|heard|spoken|in the (?:talk|speech|audio))\b|\b(?:is|was|are|were) said\b|\b(?:does|did) (?:he|she) say\b"
)
_SCREEN = re.compile(
    r"\b(?:on[- ]?screen|on the (?:slide|sign|screen|banner|poster|board|display|whiteboard|caption|label)|(?:slide|sign|caption|banner|poster|label|board|subtitle)s? (?:say|says|show|shows|read|reads)|written|displayed)\b"
)
_AT = re.compile(
    r"\b(?:at|around) (?:second (\d+)|(\d+(?:\.\d+)?) ?(?:s|sec|seconds)\b|(\d{1,2}):(\d{2})(?= (?:in|of|into|on) the (?:video|clip|recording)))"
)
_HOST = "guide|speaker|presenter|host|narrator|lecturer|announcer|reporter|instructor"
_HOSTS = rf"\b(?:{_HOST})\b"
_NEGATED = re.compile(
    r"\b(?:is|was|are|were|does|do|did)(?: not|n't)\b|\bnot (?:mentioned|listed|shown|included|part|among|named|on|in|said|true|one)\b|\bnever mentioned\b|\bexcept\b|\bNOT\b"
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
    order = next((name for name, pattern in _ORDERS if re.search(pattern, low)), None)
    if order == "last" and low.startswith("how long"):
        order = None  # the verb: how long does it last
    moment = _AT.search(low)
    found = Asked(
        text, kind, (), head=head, units=units, order=order, relation=_relation(text, kind),
        source="speech" if _SPEECH.search(low) else "screen" if _SCREEN.search(low) else None,
        denies=any(t.norm.replace("'", "") in NEGATIONS for t in tokens),
        visual=_VISUAL.search(low) is not None,
        measure=measure_of(low) if kind is Kind.QUANTITY else None,
        negated=kind is not Kind.YESNO and kind is not Kind.REASON and _NEGATED.search(text) is not None,
        at=_moment(moment) if moment else None,
    )  # fmt: skip
    return _with_anchors(found, tokens, consumed)


def measure_of(low: str) -> str | None:
    """The adjective after "how" when it is one of measure."""
    m = re.search(r"\bhow (?:far (apart)|(" + "|".join(_MEASURES) + r"))\b", low)
    return (m[1] or m[2]) if m else None


def _kind(low: str) -> tuple[Kind, frozenset[str], frozenset[str], str | None]:
    for pattern, kind, words in _RULES:
        m = re.search(pattern, low)
        if m is None:
            continue
        measure = next((v for k, v in m.groupdict().items() if v), None) if m.groupdict() else None
        units = frozenset(_MEASURES[measure].split()) if measure else frozenset()
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
    if head in _LABELS and low.find("number of") < 0:
        return Kind.LABEL, frozenset(), frozenset(), head
    if re.search(r"\b(?:what|which) (?:is|was|are|were)\b", low) or head is None:
        noun = re.search(
            r"\b(?:what|which) (?:is|was|are|were) (?:the |an? |our |their |his |her |this )?((?:\w+ )*?\w+?)(?: of| for| in| at| on|\?|$)",
            low,
        )
        label = [base(w) for w in noun[1].split() if w not in STOP] if noun else []
        if label and any(w in _LABELS for w in label):
            return Kind.LABEL, frozenset(), frozenset(), next(w for w in label if w in _LABELS)
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
            t.stem in consumed
            or t.norm in ABOUT_VIDEO
            or (found.order is not None and t.stem in _ORDER_WORDS)
        )
        if found.at is not None and (t.kind == "num" or t.norm in ("second", "seconds")):
            dropped = True
        if found.relation is not None and t.stem in found.relation[1]:
            continue
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
    introduces = found.kind is Kind.PERSON and re.search(_HOSTS, fold(found.text)) is not None
    if introduces:
        rest = [a for a in anchors if not re.fullmatch(_HOST, fold(a.text)) and a.stem not in ("tour",)]
        if not rest:
            return replace(found, anchors=(), introduces=True)
    named = _nouns(tokens)
    anchors = [replace(a, noun=a.key or a.stem in named) for a in anchors]
    return replace(found, anchors=tuple(anchors), phrases=tuple(tuple(p) for p in phrases))


_AUXILIARIES = frozenset(
    "do does did is are was were will would can could should must has have had may might".split()
)
_BEFORE_NOUN = frozenset(
    "the a an our your his her their its this that these those of in on at for to with from by about against and".split()
)


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
