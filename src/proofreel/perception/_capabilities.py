"""What this installation can perceive, found without loading any model."""

from dataclasses import dataclass
from pathlib import Path

from proofreel.perception._pins import EXTRA
from proofreel.perception._weights import embedding_model, installed
from proofreel.perception.errors import CapabilityMissing
from proofreel.perception.screen import ocr_version
from proofreel.perception.speech import find_model


@dataclass(frozen=True)
class Capability:
    """One sense.

    Attributes:
        name: ``screen text``, ``speech`` or ``embeddings``.
        ok: whether it can be used.
        detail: the engine or model that would be used; when not ``ok``, what is missing and what to do.
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class Capabilities:
    """The senses of this installation. None of them sees objects or actions: that needs a vision model."""

    ocr: Capability
    speech: Capability
    embeddings: Capability

    @property
    def all(self) -> tuple[Capability, Capability, Capability]:
        """Screen text, speech, embeddings."""
        return self.ocr, self.speech, self.embeddings


def ocr_capability() -> Capability:
    """Whether screen text can be read."""
    try:
        return Capability("screen text", True, ocr_version())
    except CapabilityMissing as e:
        return Capability("screen text", False, e.reason)


def speech_capability(asr_model: str | Path | None = None) -> Capability:
    """Whether speech can be heard, and with which model (identity of the weights)."""
    try:
        return Capability("speech", True, find_model(asr_model).name)
    except CapabilityMissing as e:
        return Capability("speech", False, e.reason)


def embedding_capability(embed_model: str | Path | None = None) -> Capability:
    """Whether texts can be compared by meaning; without it they are compared by spelling."""
    missing = [p for p in ("onnxruntime", "tokenizers") if not installed(p)]
    try:
        name = embedding_model(embed_model).name
    except CapabilityMissing as e:
        return Capability("embeddings", False, e.reason)
    if missing:
        return Capability("embeddings", False, f"{missing[0]} is not installed: {EXTRA}")
    return Capability("embeddings", True, name)


def capabilities(
    *, asr_model: str | Path | None = None, embed_model: str | Path | None = None
) -> Capabilities:
    """What is installed and usable here, each with the reason when not.

    Checks packages and the hashes of the pinned weights; loads no model. Never raises ``CapabilityMissing``.
    """
    return Capabilities(ocr_capability(), speech_capability(asr_model), embedding_capability(embed_model))
