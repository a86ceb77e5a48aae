"""Video in, frames with true times out.

Everything here is loaded on first use, so that naming a plan costs no decoder.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Not lazy: the function must win over its module of the same name, whoever imports that first. It is light.
from .probe import VideoInfo, probe

if TYPE_CHECKING:
    from ._hash import file_hash
    from .audio import read_audio
    from .cache import MediaCache, cache_dir
    from .clip import cut_clip
    from .decode import Frame, FrameFlag, Frames, iter_frames, read_frames
    from .errors import (
        BadRequest,
        DamagedFrame,
        DecoderCrashed,
        DecodeTimeout,
        NoAudio,
        NoFrames,
        NoVideoStream,
        OutOfRange,
        UnreadableContainer,
        UnsupportedCodec,
        VideoError,
    )
    from .jpeg import encode_jpeg
    from .ledger import Ledger, LedgerEntry
    from .ref import ClipRef, EncodedFrames, FramesRef, expand_clip, expand_frames
    from .sample import At, Numbered, Plan, Rate, Uniform, WithKeyFrames, plan_from_dict
    from .transcript import Cue, load_transcript

_HOMES = {
    "_hash": ("file_hash",),
    "audio": ("read_audio",),
    "cache": ("MediaCache", "cache_dir"),
    "clip": ("cut_clip",),
    "decode": ("Frame", "FrameFlag", "Frames", "iter_frames", "read_frames"),
    "errors": (
        "BadRequest",
        "DamagedFrame",
        "DecodeTimeout",
        "DecoderCrashed",
        "NoAudio",
        "NoFrames",
        "NoVideoStream",
        "OutOfRange",
        "UnreadableContainer",
        "UnsupportedCodec",
        "VideoError",
    ),
    "jpeg": ("encode_jpeg",),
    "ledger": ("Ledger", "LedgerEntry"),
    "ref": ("ClipRef", "EncodedFrames", "FramesRef", "expand_clip", "expand_frames"),
    "sample": ("At", "Numbered", "Plan", "Rate", "Uniform", "WithKeyFrames", "plan_from_dict"),
    "transcript": ("Cue", "load_transcript"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "At",
    "BadRequest",
    "ClipRef",
    "Cue",
    "DamagedFrame",
    "DecodeTimeout",
    "DecoderCrashed",
    "EncodedFrames",
    "Frame",
    "FrameFlag",
    "Frames",
    "FramesRef",
    "Ledger",
    "LedgerEntry",
    "MediaCache",
    "NoAudio",
    "NoFrames",
    "NoVideoStream",
    "Numbered",
    "OutOfRange",
    "Plan",
    "Rate",
    "Uniform",
    "UnreadableContainer",
    "UnsupportedCodec",
    "VideoError",
    "VideoInfo",
    "WithKeyFrames",
    "cache_dir",
    "cut_clip",
    "encode_jpeg",
    "expand_clip",
    "expand_frames",
    "file_hash",
    "iter_frames",
    "load_transcript",
    "plan_from_dict",
    "probe",
    "read_audio",
    "read_frames",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
