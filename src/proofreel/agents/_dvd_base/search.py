"""Finding clips by what was described of them."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import anyio.to_thread

from proofreel.agents._dvd_base.records import Clip, ClipBase
from proofreel.core import TokenUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

PIECE = 400
"""Characters a small sentence model reads of a caption at once; longer ones are compared piece by piece."""


class EmbeddingFailed(Exception):  # noqa: N818  the name says what happened
    """The embedding model gave no vectors; the message is one line."""


class Comparer(Protocol):
    """Makes vectors of texts. ``whole`` says that it reads captions in one piece."""

    name: str
    whole: bool

    async def vectors(self, texts: Sequence[str]) -> tuple[Vectors, TokenUse]:
        """Unit rows, float32 [n, d], and what they cost."""
        ...


class LocalComparer:
    """The embedded sentence model, or character n-grams where it is not installed."""

    whole = False

    def __init__(self) -> None:
        from proofreel.perception.embeddings import Embedder, NgramEmbedder, load_embedder
        from proofreel.perception.errors import CapabilityMissing

        self.note: str | None = None
        self.embedder: Embedder
        try:
            self.embedder = load_embedder()
        except CapabilityMissing as error:
            self.embedder = NgramEmbedder()
            self.note = f"clips are compared by spelling, not by meaning: {error}"
        self.name = self.embedder.name

    async def vectors(self, texts: Sequence[str]) -> tuple[Vectors, TokenUse]:
        """Computed here, off the event loop; free."""
        return await anyio.to_thread.run_sync(self.embedder.embed, list(texts)), TokenUse()


class RemoteComparer:
    """An embedding model behind the OpenAI form of ``/embeddings``.

    Args:
        model: engine model whose provider has an OpenAI client (``openai/...``, ``openai-api/<service>/...``).

    Raises:
        EmbeddingFailed: the provider has no embeddings.
    """

    whole = True
    BATCH = 64

    def __init__(self, model: Any) -> None:
        from proofreel.tools.model_call import model_name

        self.name = model_name(model)
        inner = getattr(getattr(model, "api", None), "inner", None)
        self._client: Any = getattr(inner, "client", None)
        if not hasattr(self._client, "embeddings"):
            raise EmbeddingFailed(
                f"{self.name} has no embeddings; give openai/NAME or openai-api/SERVICE/NAME as embedder"
            )
        self._served: str = getattr(inner, "service_model_name")()  # noqa: B009  every provider with a client has it

    async def vectors(self, texts: Sequence[str]) -> tuple[Vectors, TokenUse]:
        """One request for each 64 texts.

        Raises:
            EmbeddingFailed: no vectors came back.
        """
        import numpy as np
        from openai import OpenAIError

        from proofreel.models.cards import model_card
        from proofreel.models.pricing import CallUsage, price

        rows: list[list[float]] = []
        used = TokenUse()
        for at in range(0, len(texts), self.BATCH):
            batch = list(texts[at : at + self.BATCH])
            try:
                reply = await self._client.embeddings.create(model=self._served, input=batch)
            except OpenAIError as error:
                said = " ".join(str(error).split())[:300]
                raise EmbeddingFailed(f"{self.name}: no vectors ({said})") from error
            if len(reply.data) != len(batch):
                raise EmbeddingFailed(f"{self.name}: {len(reply.data)} vectors for {len(batch)} texts")
            rows += [d.embedding for d in sorted(reply.data, key=lambda d: d.index)]
            tokens = reply.usage.prompt_tokens if reply.usage else 0
            cost = price(model_card(self.name), CallUsage(prompt=tokens, completion=0))
            used = used + TokenUse(prompt=tokens, calls=1, cost_usd=cost)
        table = np.asarray(rows, dtype=np.float32).reshape(len(rows), -1)
        norms = np.linalg.norm(table, axis=1, keepdims=True)
        return table / np.maximum(norms, 1e-12), used


@dataclass
class ClipSearch:
    """Ranks the clips of a base.

    Attributes:
        base: the descriptions.
        comparer: makes vectors.
        mode: ``official`` compares whole captions by cosine alone; ``careful`` lets spelling and script count too
            (an English sentence model cannot read Chinese) and takes the best piece of a long caption.
        folder: where vectors are kept; None keeps none.
    """

    base: ClipBase
    comparer: Comparer
    mode: str = "careful"
    folder: Path | None = None
    _texts: list[str] = field(default_factory=list)
    _owner: list[int] = field(default_factory=list)
    _rows: Vectors | None = None

    async def ready(self) -> TokenUse:
        """Makes or loads the vectors of all clips; returns what it cost."""
        if self._rows is not None:
            return TokenUse()
        split = self.mode != "official" and not self.comparer.whole
        texts: list[str] = []
        owner: list[int] = []
        for place, clip in enumerate(self.base.clips):
            parts = pieces(clip.line) if split else [clip.line]
            texts += parts
            owner += [place] * len(parts)
        file = self._file(split)
        rows, used = _load(file, len(texts)), TokenUse()
        if rows is None:
            rows, used = await self.comparer.vectors(texts)
            if file is not None and self.base.whole:
                _save(file, rows)
        self._texts, self._owner, self._rows = texts, owner, rows
        return used

    async def best(self, query: str, top: int) -> tuple[list[Clip], TokenUse]:
        """The ``top`` clips most like a text, in order of time, and what the comparison cost."""
        if not self.base.clips:
            return [], TokenUse()
        used = await self.ready()
        vector, more = await self.comparer.vectors([query])
        scores = await anyio.to_thread.run_sync(self._scores, query, vector[0])
        order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[: max(top, 0)]
        return [self.base.clips[i] for i in sorted(order)], used + more

    def _scores(self, query: str, vector: Vectors) -> list[float]:
        """Similarity of every clip: that of its best piece."""
        if self._rows is None or self._rows.shape[1] != len(vector):
            raise EmbeddingFailed(f"{self.comparer.name}: vectors of two different lengths")
        values = self._rows @ vector
        if self.mode != "official":
            from proofreel.perception.embeddings import text_similarity

            known = _Known(self.comparer.name, vector)
            values = text_similarity(query, self._texts, embedder=known, vectors=self._rows)
        found = [-math.inf] * len(self.base.clips)
        for owner, value in zip(self._owner, values, strict=True):
            found[owner] = max(found[owner], float(value))
        return found

    def _file(self, split: bool) -> Path | None:
        if self.folder is None:
            return None
        name = "".join(c if c.isalnum() else "_" for c in self.comparer.name)[-60:]
        return self.folder / f"{self.base.key}-{name}-{'pieces' if split else 'whole'}.npy"


class _Known:
    """An embedder whose one text, the query, is embedded already."""

    def __init__(self, name: str, vector: Vectors) -> None:
        self.name, self._vector = name, vector

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        return np.stack([self._vector] * len(texts))


def pieces(text: str, most: int = PIECE) -> list[str]:
    """A text in pieces of at most about ``most`` characters, cut at ends of sentences or lines, else at spaces."""
    made: list[str] = []
    rest = text.strip()
    while len(rest) > most:
        head = rest[:most]
        cut = max(head.rfind(mark) + len(mark) for mark in (". ", "\n", "。", "! ", "? "))
        if cut < most // 3:
            cut = head.rfind(" ") + 1 or most
        made.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*made, rest] if rest or not made else made


def _load(file: Path | None, rows: int) -> Vectors | None:
    if file is None:
        return None
    import numpy as np

    try:
        found = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found if found.ndim == 2 and len(found) == rows else None


def _save(file: Path, rows: Vectors) -> None:
    """By a rename, so that a reader never meets half a file; a full disk only costs the next question its time."""
    import numpy as np

    with suppress(OSError):
        draft = file.with_suffix(f".{os.getpid()}.draft.npy")
        np.save(draft, rows, allow_pickle=False)
        draft.replace(file)
