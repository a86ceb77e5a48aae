"""The rule that stands beside a model's verdict on an open answer: equal after a plain clean-up, or not."""

import re
import unicodedata
from collections.abc import Sequence

_ARTICLES = frozenset(("a", "an", "the"))
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def plain_words(text: str) -> str:
    """Unicode NFKC, lower case, no punctuation, no English articles, single spaces.

    A point or comma between digits stays (3.5 is not 35), except the comma before three digits (1,894 is 1894); a
    minus sign before a digit stays.
    """
    text = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    kept = []
    for i, char in enumerate(text):
        before, after = text[i - 1 : i], text[i + 1 : i + 2]
        number = (char in ".," and before.isdigit() and after.isdigit()) or (
            char in "-−" and after.isdigit() and not before.strip()
        )
        odd = unicodedata.category(char)[0] in "PS"
        kept.append(("-" if char == "−" else char) if number or not odd else _gap(char))
    return " ".join(w for w in "".join(kept).split() if w not in _ARTICLES)


def _gap(char: str) -> str:
    """Marks inside a word close up (O'Neil, U.S.); others part words. Signs that carry meaning stay."""
    if char in "'’.":
        return ""
    return char if char in "+%$€£¥°&#@" else " "


def same_words(answer: str, reference: str, aliases: Sequence[str] = ()) -> bool:
    """Whether an answer equals the reference or an alias after clean-up; an empty one never does."""
    given = plain_words(answer)
    return bool(given) and given in {plain_words(text) for text in (reference, *aliases)}
