"""What is to be done for one video: which parts, with what, kept under which names."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proofreel.perception._capabilities import embedding_capability, ocr_capability, speech_capability
from proofreel.perception._speech_stage import cue_lines
from proofreel.perception.embeddings import NgramEmbedder
from proofreel.perception.errors import CapabilityMissing
from proofreel.perception.records import SpeechLine
from proofreel.perception.speech import find_model

if TYPE_CHECKING:
    from proofreel.video import VideoInfo

# Part of every cache key; raise it when the same input would give other lines.
PIPELINE = 1


@dataclass(frozen=True)
class Plan:
    """What will be done for one video, and under which names it is kept; None: that part is left out."""

    path: str
    info: "VideoInfo"
    sha256: str
    fps: float
    screen: str | None
    speech: str | None
    cues: tuple[SpeechLine, ...] | None
    embedder: str
    asr_model: str | None
    embed_model: str | None
    notes: tuple[str, ...]

    @property
    def key(self) -> str:
        """Name under which the finished index is kept."""
        cues = None if self.cues is None else [c.model_dump(mode="json") for c in self.cues]
        return _key(self.screen, self.speech, cues, self.embedder, list(self.notes))


def _key(*parts: object) -> str:
    text = json.dumps([PIPELINE, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def make_plan(
    path: str | Path,
    ocr: bool,
    speech: bool,
    embed: bool,
    asr_model: str | Path | None,
    embed_model: str | Path | None,
    fps: float,
    transcript: str | Path | None,
) -> Plan:
    """Looks at the file and at what is installed; arguments and errors as for ``prepare``."""
    from proofreel.video import Rate, file_hash, probe

    Rate(fps)  # refuses what is not a rate before the file is touched
    info = probe(path)
    notes: list[str] = []
    missing: list[str] = []
    screen_key = speech_key = cues = None
    if ocr and not info.has_video:
        notes.append("no video track: no screen text")
    elif ocr:
        can = ocr_capability()
        if can.ok:
            screen_key = _key("screen", can.detail, fps)
        else:
            missing.append(f"no screen text: {can.detail}")
    if transcript is not None:
        cues = cue_lines(transcript)
        notes.append(f"speech is taken from the transcript file {Path(transcript).name}")
    elif speech and not info.has_audio:
        notes.append("no audio track: no transcript")
    elif speech:
        if asr_model is not None:
            find_model(asr_model)  # a model asked for by name must be usable
        can = speech_capability(asr_model)
        if can.ok:
            speech_key = _key("speech", can.detail)
        else:
            missing.append(f"no speech model: no transcript ({can.detail})")
    if missing and screen_key is None and speech_key is None and transcript is None:
        raise CapabilityMissing("perception", "; ".join(missing))
    embedder = NgramEmbedder.name
    if embed:
        can = embedding_capability(embed_model)
        if not can.ok and embed_model is not None:
            raise CapabilityMissing("embeddings", can.detail)
        if can.ok:
            embedder = can.detail
        else:
            missing.append(f"texts are compared by spelling only ({can.detail})")
    if info.truncated:
        notes.append("the file is cut short: what follows its last frame is unknown")
    return Plan(
        path=str(path),
        info=info,
        sha256=file_hash(path),
        fps=fps,
        screen=screen_key,
        speech=speech_key,
        cues=cues,
        embedder=embedder,
        asr_model=None if asr_model is None else str(asr_model),
        embed_model=None if embed_model is None else str(embed_model),
        notes=(*notes, *missing),
    )
