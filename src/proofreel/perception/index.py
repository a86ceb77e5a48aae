"""The index of one video: its screen text, its speech, and a vector for every line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from proofreel.perception.embeddings import Embedder, NgramEmbedder, load_embedder, text_similarity
from proofreel.perception.records import Line, ScreenLine, SpeechLine

FORMAT_VERSION = 1
_SCREEN, _SPEECH = TypeAdapter(tuple[ScreenLine, ...]), TypeAdapter(tuple[SpeechLine, ...])


@dataclass(frozen=True, eq=False)
class VideoIndex:
    """All that was read and heard in a video.

    Attributes:
        path: file it was made from.
        sha256: identity of the file.
        duration: seconds.
        screen: lines of screen text in order of start.
        speech: lines of speech in order of start.
        notes: what is missing or weak, in words for people ("no audio track: no transcript").
        embedder: what made the vectors: a model name, or ``char-ngram``.
        frames_read: how many frames the text reader looked at closely.
        language: two-letter code of the speech, None when unknown.
    """

    path: str
    sha256: str
    duration: float
    screen: tuple[ScreenLine, ...]
    speech: tuple[SpeechLine, ...]
    notes: tuple[str, ...]
    embedder: str
    frames_read: int = 0
    language: str | None = None
    embed_model: str | None = None
    _vectors: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 0), dtype=np.float32), repr=False
    )

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Screen lines, then speech lines: the order of the vectors."""
        return (*self.screen, *self.speech)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """One unit row for each of ``lines``: float32 [n, d]."""
        return self._vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of other texts in the same space: float32 [n, d], unit rows.

        Raises:
            CapabilityMissing: the model that made the index is not here any more.
        """
        return self._embedder().embed(texts)

    def similarity(self, query: str) -> NDArray[np.float32]:
        """How well each of ``lines`` matches a text: float32 [n], see ``text_similarity``."""
        return text_similarity(
            query, [line.text for line in self.lines], embedder=self._embedder(), vectors=self._vectors
        )

    def search(self, query: str, top: int = 5) -> list[tuple[Line, float]]:
        """The best matching lines with their similarity, best first; equal values in order of time."""
        scores = self.similarity(query)
        order = sorted(range(len(scores)), key=lambda i: (-float(scores[i]), self.lines[i].start))
        return [(self.lines[i], float(scores[i])) for i in order[:top]]

    def _embedder(self) -> Embedder:
        if self.embedder == NgramEmbedder.name:
            return NgramEmbedder()
        return load_embedder(self.embed_model)

    def at(self, path: str) -> "VideoIndex":
        """The same index for the same content under another path."""
        return self if path == self.path else replace(self, path=path)

    def to_json(self) -> str:
        """The index without its vectors, as JSON."""
        data: dict[str, Any] = {
            "format_version": FORMAT_VERSION,
            "path": self.path,
            "sha256": self.sha256,
            "duration": self.duration,
            "notes": list(self.notes),
            "embedder": self.embedder,
            "embed_model": self.embed_model,
            "frames_read": self.frames_read,
            "language": self.language,
            "screen": [line.model_dump(mode="json") for line in self.screen],
            "speech": [line.model_dump(mode="json") for line in self.speech],
        }
        return json.dumps(data, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str, vectors: NDArray[np.float32]) -> "VideoIndex":
        """The index again.

        Raises:
            ValueError: another format version, broken JSON, or a wrong number of vectors.
        """
        data = json.loads(text)
        if data.pop("format_version", None) != FORMAT_VERSION:
            raise ValueError(f"index is not of format version {FORMAT_VERSION}: prepare the video again")
        screen, speech = (
            _SCREEN.validate_python(data.pop("screen")),
            _SPEECH.validate_python(data.pop("speech")),
        )
        if len(vectors) != len(screen) + len(speech):
            raise ValueError(f"index has {len(screen) + len(speech)} lines but {len(vectors)} vectors")
        data["notes"] = tuple(data["notes"])
        return cls(**data, screen=screen, speech=speech, _vectors=vectors)

    def save(self, folder: Path, name: str) -> None:
        """Writes ``name.npy`` and then ``name.json``, each by a rename: the JSON file says that both are whole."""
        draft = folder / f"{name}.draft.npy"
        np.save(draft, self._vectors, allow_pickle=False)
        draft.replace(folder / f"{name}.npy")
        text = folder / f"{name}.draft.json"
        text.write_text(self.to_json(), encoding="utf-8")
        text.replace(folder / f"{name}.json")

    @classmethod
    def load(cls, folder: Path, name: str) -> "VideoIndex | None":
        """A saved index; None when there is none or when its files are not whole (it is then made again)."""
        text, vectors = folder / f"{name}.json", folder / f"{name}.npy"
        try:
            return cls.from_json(
                text.read_text(encoding="utf-8"), np.load(vectors, mmap_mode="r", allow_pickle=False)
            )
        except (OSError, ValueError, TypeError, KeyError, EOFError):
            return None
