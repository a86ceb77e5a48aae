"""Tokens of English and Chinese text, a light stemmer, and word likeness."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein

from proofreel.agents._answerable.wordlists import CONTRAST, STOP, SYNONYM

CJK = r"\u3400-\u9fff\uf900-\ufaff"
_LETTER = rf"(?:(?![{CJK}])[^\W_])"
_TOKEN = re.compile(
    rf"(?P<url>(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:com|org|net|edu|gov|info|io|ai|dev|app|example|co\.uk|uk|de|fr|cn|no|se|eu)\b(?:/[^\s,;]*)?)"
    rf"|(?P<cjk>[{CJK}])"
    r"|(?P<num>\d{1,2}[:.]\d{2}(?![\d.])|\d+(?:[.,]\d+)*)(?![A-Za-z\d])"
    rf"|(?P<word>{_LETTER}+(?:['’](?!\d){_LETTER}+|[-_&]{_LETTER}+)*)"
    r"|(?P<sign>[$€£¥%°])",
    re.UNICODE,
)
_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Token:
    """One token: as written, folded, stemmed, and its characters ``[start, end)`` in the text."""

    text: str
    norm: str
    stem: str
    start: int
    end: int
    kind: str

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return (
            self.kind != "sign"
            and self.norm not in STOP
            and (len(self.norm) > 1 or self.kind in ("num", "cjk"))
        )


def fold(text: str) -> str:
    """Lower case, width-folded (NFKC), accents removed, straight apostrophes."""
    wide = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    plain = unicodedata.normalize("NFKD", wide)
    return unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))


@lru_cache(maxsize=20000)
def stem(word: str) -> str:
    """A light English stem: plural, -ed, -ing, -ly, -er and -or are cut where enough of the word stays."""
    w = word.removesuffix("'s").replace("'", "")
    if len(w) <= 3 or not w.isascii() or not w.isalpha():
        return w
    if w.endswith("ies") and len(w) > 4:
        w = w[:-3] + "y"
    elif w.endswith(("sses", "shes", "ches", "xes", "zes")):
        w = w[:-2]
    elif w.endswith("s") and not w.endswith(("ss", "us", "is")):
        w = w[:-1]
    for suffix, least in (("ing", 6), ("edly", 7), ("ed", 5), ("ly", 6)):
        if w.endswith(suffix) and len(w) >= least and re.search("[aeiouy]", w[: -len(suffix)]):
            w = w[: -len(suffix)]
            if len(w) > 3 and w[-1] == w[-2] and w[-1] not in "ls":
                w = w[:-1]
            break
    if len(w) > 4 and w.endswith("e"):
        w = w[:-1]
    if len(w) > 4 and w.endswith("y"):
        w = w[:-1] + "i"
    return w


_IRREGULAR = {
    "left": "leave", "began": "begin", "begun": "begin", "bought": "buy", "built": "build", "caught": "catch",
    "chose": "choose", "chosen": "choose", "came": "come", "drove": "drive", "ate": "eat", "fell": "fall",
    "found": "find", "flew": "fly", "gave": "give", "went": "go", "grew": "grow", "kept": "keep", "knew": "know",
    "led": "lead", "lost": "lose", "made": "make", "met": "meet", "paid": "pay", "ran": "run", "sold": "sell",
    "sent": "send", "spoke": "speak", "spent": "spend", "stole": "steal", "taught": "teach", "took": "take",
    "told": "tell", "thought": "think", "won": "win", "wrote": "write", "written": "write", "children": "child",
    "feet": "foot", "mice": "mouse", "broke": "break", "broken": "break", "shut": "close", "wore": "wear",
    "brought": "bring", "sang": "sing", "rose": "rise", "drew": "draw", "held": "hold", "hid": "hide",
    "people": "person", "men": "man", "women": "woman", "forgot": "forget", "died": "die", "closed": "close",
    "closing": "close", "opening": "open", "departure": "depart", "departs": "depart", "arrival": "arrive",
}  # fmt: skip


@lru_cache(maxsize=20000)
def base(word: str) -> str:
    """The stem of a folded word, irregular forms first."""
    return stem(_IRREGULAR.get(word) or _IRREGULAR.get(word.removesuffix("s"), word))


@lru_cache(maxsize=20000)
def tokenize(text: str) -> tuple[Token, ...]:
    """Tokens in order; a Chinese character is a token of its own."""
    found = []
    for m in _TOKEN.finditer(text):
        kind = m.lastgroup or "word"
        raw = m.group().rstrip(".,;:!?)") if kind == "url" else m.group()
        norm = fold(raw)
        if kind == "word" and any(c.isdigit() for c in norm):
            kind = "code"
        root = base(norm) if kind == "word" else norm.replace(",", "") if kind == "num" else norm
        found.append(Token(raw, norm, root, m.start(), m.start() + len(raw), kind))
    return tuple(found)


def has_cjk(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return _CJK.search(text) is not None


def _groups(rows: tuple[frozenset[str], ...]) -> dict[str, frozenset[int]]:
    out: dict[str, set[int]] = {}
    for i, row in enumerate(rows):
        for w in row:
            out.setdefault(base(w), set()).add(i)
    return {w: frozenset(s) for w, s in out.items()}


_CONTRAST, _SYNONYM = _groups(CONTRAST), _groups(SYNONYM)


def contrasts(a: str, b: str) -> bool:
    """Whether two different stems exclude each other (Monday and Friday, open and close)."""
    return (
        a != b and bool(_CONTRAST.get(a, frozenset()) & _CONTRAST.get(b, frozenset())) and not synonyms(a, b)
    )


def synonyms(a: str, b: str) -> bool:
    """Whether two stems are equal or listed as saying the same."""
    return a == b or bool(_SYNONYM.get(a, frozenset()) & _SYNONYM.get(b, frozenset()))


@lru_cache(maxsize=200000)
def likeness(a: str, b: str) -> float:
    """How much alike two stems are written, in [0, 1]; below 0.8 counts as 0, digits must agree exactly.

    Recognisers misread single letters, so long words may differ by one edit and very long ones by two.
    """
    if a == b or a.replace("-", "") == b.replace("-", ""):
        return 1.0
    if any(c.isdigit() for c in a + b) or contrasts(a, b):
        return 0.0
    shorter = min(len(a), len(b))
    if shorter < 5:
        return 0.0
    if (a.startswith(b) or b.startswith(a)) and abs(len(a) - len(b)) <= 4:
        return 0.92
    edits = DamerauLevenshtein.distance(a, b, score_cutoff=2)
    allowed = 0 if shorter < 7 else 1 if shorter < 10 else 2
    return 1.0 - 0.08 * edits if edits <= allowed else 0.0
