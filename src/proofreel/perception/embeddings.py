"""Text vectors: MiniLM through onnxruntime, or character n-grams where that is not installed."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from proofreel.perception._lexical import coverage, foreign_share, ngram_vectors
from proofreel.perception._pins import EXTRA
from proofreel.perception._weights import embedding_model, installed, tokenizer_file
from proofreel.perception.errors import CapabilityMissing

LEXICAL_WEIGHT = 0.3
_BATCH, _MAX_TOKENS, _THREADS = 32, 128, 2


class Embedder(Protocol):
    """Turns texts into unit vectors; ``name`` says with what."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32 [n, d], unit rows."""
        ...


class NgramEmbedder:
    """Vectors of character n-grams: same spelling, not same meaning."""

    name = "char-ngram"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32 [n, 1024], unit rows."""
        return ngram_vectors(texts)


class OnnxEmbedder:
    """A BERT-like sentence model: mean of the token states under the attention mask, scaled to length 1."""

    def __init__(self, name: str, session: Any, tokenizer: Any) -> None:
        self.name = name
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = {i.name for i in session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32 [n, d], unit rows; equal texts are computed once."""
        if not texts:
            return np.zeros((0, self._session.get_outputs()[0].shape[-1]), dtype=np.float32)
        # Batches of like length waste little on padding; the order is restored at the end.
        unique = sorted(set(texts), key=lambda t: (len(t), t))
        blocks = [self._batch(unique[i : i + _BATCH]) for i in range(0, len(unique), _BATCH)]
        table, place = np.concatenate(blocks), {t: i for i, t in enumerate(unique)}
        return np.asarray(table[[place[t] for t in texts]], dtype=np.float32)

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0]
        weights = mask[..., None].astype(np.float32)
        means = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
        norms = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.maximum(norms, 1e-12), dtype=np.float32)


@lru_cache(maxsize=2)
def load_embedder(embed_model: str | Path | None = None) -> OnnxEmbedder:
    """The sentence embedder, loaded once per process.

    Raises:
        CapabilityMissing: no runtime, no model, or weights that are not the pinned ones.
    """
    for package in ("onnxruntime", "tokenizers"):
        if not installed(package):
            raise CapabilityMissing("embeddings", f"{package} is not installed: {EXTRA}")
    model = embedding_model(embed_model)
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as e:
        raise CapabilityMissing(
            "embeddings", f"onnxruntime or tokenizers does not load ({e}): {EXTRA}"
        ) from e
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model.path), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(tokenizer_file(model)))
    tokenizer.enable_padding()  # to the longest of the batch, not to the fixed length in the file
    tokenizer.enable_truncation(_MAX_TOKENS)
    return OnnxEmbedder(model.name, session, tokenizer)


def text_similarity(
    query: str,
    texts: Sequence[str],
    *,
    embedder: Embedder | None = None,
    vectors: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """How well each text matches the query: float32 [n], at most 1; meaning, spelling and script together.

    The value is a cosine of sentence vectors blended with the share of the query's character n-grams found in the
    text. The blend leans fully on n-grams as far as the query or the text is not in the Latin script, which an
    English sentence model cannot read. Without an embedder only the n-grams count.

    Args:
        query: what is looked for.
        texts: candidates.
        embedder: what made ``vectors``, or shall make them.
        vectors: unit rows of the texts, when already known.

    Raises:
        ValueError: not as many vectors as texts.
    """
    lexical = coverage(query, texts)
    if embedder is None or isinstance(embedder, NgramEmbedder) or not texts:
        return lexical
    if vectors is None:
        vectors = embedder.embed(texts)
    if len(vectors) != len(texts):
        raise ValueError(f"got {len(vectors)} vectors for {len(texts)} texts")
    cosine = vectors @ embedder.embed([query])[0]
    foreign = np.maximum(foreign_share(query), np.array([foreign_share(t) for t in texts], dtype=np.float32))
    weight = LEXICAL_WEIGHT + (1 - LEXICAL_WEIGHT) * foreign
    return np.asarray((1 - weight) * cosine + weight * lexical, dtype=np.float32)
