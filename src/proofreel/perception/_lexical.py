"""Character n-gram similarity: needs no model and works for any script."""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 1024
# Scripts written without spaces: there one character says about as much as a syllable or word elsewhere.
_CJK = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f\U00020000-\U0003134f]"
)


def fold(text: str) -> str:
    """Compatibility-normalised, case-folded text with single spaces between runs of letters and digits."""
    kept = (c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(kept).split())


def foreign_share(text: str) -> float:
    """Share of letters, in [0, 1], that are outside the Latin script (an English model cannot read them)."""
    letters = [c for c in text if c.isalpha()]
    return sum(ord(c) >= 0x250 for c in letters) / len(letters) if letters else 0.0


def _grams(text: str) -> Iterable[str]:
    """Words as such and in trigrams; runs of CJK as single characters and pairs."""
    for word in fold(text).split():
        if _CJK.search(word):
            yield from word
            yield from (word[i : i + 2] for i in range(len(word) - 1))
        else:
            yield f"={word}"
            padded = f"<{word}>"
            yield from (padded[i : i + 3] for i in range(len(padded) - 2))


def ngram_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Hashed n-gram counts, damped by the square root: float32 [n, 1024], unit rows (zero for empty texts)."""
    rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for gram, count in Counter(_grams(text)).items():
            row[zlib.crc32(gram.encode()) % DIMENSIONS] += count
    rows = np.sqrt(rows)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, norms, out=rows, where=norms > 0), dtype=np.float32)


def coverage(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """Share of the query's n-grams that each text has: float32 [n] in [0, 1]; 0 for an empty query."""
    wanted = set(_grams(query))
    if not wanted:
        return np.zeros(len(texts), dtype=np.float32)
    return np.array([len(wanted & set(_grams(t))) / len(wanted) for t in texts], dtype=np.float32)
