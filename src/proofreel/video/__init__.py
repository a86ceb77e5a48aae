"""Video in, frames with true times out.

Everything here is loaded on first use, so that naming a plan costs no decoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

# Not lazy: the function must win over its module of the same name, whoever imports that first. It is light.
from .probe import VideoInfo, probe

if TYPE_CHECKING:
    from ._frame_times import frame_times
    from ._hash import file_hash
    from .audio import iter_audio, read_audio
    from .cache import MediaCache, cache_dir, default_cache
    from .clip import cut_clip, transcode_under
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
    from .grid import EncodedGrid, expand_grid
    from .jpeg import encode_jpeg
    from .ledger import Ledger, LedgerEntry, ShownFrame, first_difference
    from .ref import (
        ClipRef,
        EncodedFrames,
        FramesRef,
        GridRef,
        MediaChanged,
        MediaRef,
        expand_clip,
        expand_frames,
        parse_ref,
    )
    from .sample import At, Numbered, Plan, Rate, Uniform, WithKeyFrames, plan_from_dict
    from .sound import cut_sound, expand_sound
    from .transcript import Cue, TranscriptError, find_transcript, load_transcript, window_cues

_HOMES = {
    "_frame_times": ("frame_times",),
    "_hash": ("file_hash",),
    "audio": ("iter_audio", "read_audio"),
    "cache": ("MediaCache", "cache_dir", "default_cache"),
    "clip": ("cut_clip", "transcode_under"),
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
    "grid": ("EncodedGrid", "expand_grid"),
    "jpeg": ("encode_jpeg",),
    "ledger": ("Ledger", "LedgerEntry", "ShownFrame", "first_difference"),
    "ref": (
        "ClipRef",
        "EncodedFrames",
        "FramesRef",
        "GridRef",
        "MediaChanged",
        "MediaRef",
        "expand_clip",
        "expand_frames",
        "parse_ref",
    ),
    "sound": ("cut_sound", "expand_sound"),
    "sample": ("At", "Numbered", "Plan", "Rate", "Uniform", "WithKeyFrames", "plan_from_dict"),
    "transcript": ("Cue", "TranscriptError", "find_transcript", "load_transcript", "window_cues"),
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
    "EncodedGrid",
    "Frame",
    "FrameFlag",
    "Frames",
    "FramesRef",
    "GridRef",
    "Ledger",
    "LedgerEntry",
    "MediaCache",
    "MediaChanged",
    "MediaRef",
    "NoAudio",
    "NoFrames",
    "NoVideoStream",
    "Numbered",
    "OutOfRange",
    "Plan",
    "Rate",
    "ShownFrame",
    "TranscriptError",
    "Uniform",
    "UnreadableContainer",
    "UnsupportedCodec",
    "VideoError",
    "VideoInfo",
    "WithKeyFrames",
    "cache_dir",
    "cut_clip",
    "cut_sound",
    "default_cache",
    "encode_jpeg",
    "expand_clip",
    "expand_frames",
    "expand_grid",
    "expand_sound",
    "file_hash",
    "find_transcript",
    "first_difference",
    "frame_times",
    "iter_audio",
    "iter_frames",
    "load_transcript",
    "parse_ref",
    "plan_from_dict",
    "probe",
    "read_audio",
    "read_frames",
    "transcode_under",
    "window_cues",
]

__getattr__ = lazy_names(__name__, _HOME_OF)
