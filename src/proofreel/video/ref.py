"""References to media, and the one place where they become bytes, at the last moment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from ._hash import file_hash
from ._reference import ClipRef, FramesRef, GridRef, MediaRef, parse_ref
from ._rules import keep_priority
from .cache import MediaCache, default_cache
from .clip import CLIP_VERSION, cut_clip
from .decode import iter_frames
from .errors import VideoError
from .jpeg import encode_jpeg, jpeg_encoder
from .sample import At, WithKeyFrames

__all__ = [
    "ClipRef",
    "EncodedFrames",
    "FramesRef",
    "GridRef",
    "MediaChanged",
    "MediaRef",
    "expand_clip",
    "expand_frames",
    "parse_ref",
]

_FRAMES_VERSION = 1


class MediaChanged(VideoError):  # noqa: N818 - named as the other errors of this package
    """The file is not the one that the reference was made from."""

    code = "media_changed"


@dataclass(frozen=True)
class EncodedFrames:
    """The pictures of a `FramesRef`; all lists have one entry for each frame, in the order of the plan.

    Attributes:
        jpegs: the pictures as JPEG: bytes, or views of the one block they were read from.
        times: true time of each frame, seconds on the container timeline.
        indices: display-order frame numbers.
        flags: what is not as asked (`FrameFlag`), as a number.
        width: pixels.
        height: pixels.
        hashes: SHA-256 of each JPEG, hex.
    """

    jpegs: Sequence[bytes | memoryview]
    times: list[float]
    indices: list[int]
    flags: list[int]
    width: int
    height: int
    hashes: list[str]

    def __len__(self) -> int:
        return len(self.jpegs)


def expand_frames(ref: FramesRef, cache: MediaCache | None = None) -> EncodedFrames:
    """Decode and encode the frames of a reference, or take them from the cache.

    Args:
        ref: what to show.
        cache: where the pictures are kept; the cache of this process by default.

    Raises:
        MediaChanged: the file has another hash than the reference.
        VideoError: as `read_frames` does.
    """
    check_unchanged(ref)
    key = f"frames|{_FRAMES_VERSION}|{jpeg_encoder()}|{ref.id}"
    kept = cache or default_cache()
    return _unpack(kept.get_or_make(key, lambda: _pack(_with_keys(ref, kept) or _encode(ref))))


def expand_clip(ref: ClipRef, cache: MediaCache | None = None) -> bytes:
    """Cut the clip of a reference, or take it from the cache: a playable mp4.

    Raises:
        MediaChanged: the file has another hash than the reference.
        VideoError: as `cut_clip` does.
    """
    check_unchanged(ref)
    # How a provider is asked to look at it does not change the clip.
    same_clip = ref.model_copy(update={"media_resolution": None})
    key = f"clip|{CLIP_VERSION}|{same_clip.id}"
    return (cache or default_cache()).get_or_make(
        key,
        lambda: cut_clip(ref.video, ref.start, ref.end, fps=ref.fps, height=ref.height, audio=ref.audio),
    )


def check_unchanged(ref: FramesRef | ClipRef | GridRef) -> None:
    """Raise `MediaChanged` unless the file is the one that the reference was made from."""
    now = file_hash(ref.video)
    if now != ref.sha256:
        raise MediaChanged(
            ref.video,
            f"is not the file of the reference (sha256 {ref.sha256[:12]}..., now {now[:12]}...); "
            "restore it or make the reference anew",
        )


def _with_keys(ref: FramesRef, cache: MediaCache) -> EncodedFrames | None:
    """Frames with key frames from two parts that are kept on their own; None for every other plan.

    Questions about one video share all frames but their own few key frames: the many are decoded once.
    """
    plan = ref.sampling
    if not isinstance(plan, WithKeyFrames) or not plan.times:
        return None
    shared = expand_frames(ref.model_copy(update={"plan": plan.plan.to_dict()}), cache)
    keys = expand_frames(ref.model_copy(update={"plan": At(plan.times).to_dict()}), cache)
    if (shared.width, shared.height) != (keys.width, keys.height):
        return None
    rows: dict[int, tuple[bytes | memoryview, float, int, str]] = {}
    for part in (keys, shared):
        pictures = zip(part.jpegs, part.times, part.flags, part.hashes, strict=True)
        for index, picture in zip(part.indices, pictures, strict=True):
            rows.setdefault(index, picture)
    order = sorted(rows)
    if plan.cap is not None:
        order = keep_priority(order, keys.indices, plan.cap)
    chosen = [rows[i] for i in order]
    return EncodedFrames(
        jpegs=[r[0] for r in chosen],
        times=[r[1] for r in chosen],
        indices=order,
        flags=[r[2] for r in chosen],
        width=shared.width,
        height=shared.height,
        hashes=[r[3] for r in chosen],
    )


def _encode(ref: FramesRef) -> EncodedFrames:
    rows: list[tuple[int, bytes, float, int, int]] = []
    width = height = 0
    for frame in iter_frames(ref.video, ref.sampling, ref.height, ref.width_multiple, ref.crop):
        height, width = frame.image.shape[:2]
        jpeg = encode_jpeg(frame.image, ref.quality)
        rows.append((frame.request, jpeg, frame.time, frame.index, int(frame.flags)))
    rows.sort(key=lambda row: row[0])  # frames come in display order, the plan may have another
    jpegs = [row[1] for row in rows]
    return EncodedFrames(
        jpegs=jpegs,
        times=[row[2] for row in rows],
        indices=[row[3] for row in rows],
        flags=[row[4] for row in rows],
        width=width,
        height=height,
        hashes=[hashlib.sha256(jpeg).hexdigest() for jpeg in jpegs],
    )


def _pack(frames: EncodedFrames) -> bytes:
    facts = {k: v for k, v in vars(frames).items() if k != "jpegs"}
    head = json.dumps({**facts, "sizes": [len(jpeg) for jpeg in frames.jpegs]}).encode()
    return b"".join([len(head).to_bytes(4, "big"), head, *frames.jpegs])


def _unpack(blob: bytes) -> EncodedFrames:
    at = 4 + int.from_bytes(blob[:4], "big")
    facts = json.loads(blob[4:at])
    block, jpegs = memoryview(blob), []
    for size in facts.pop("sizes"):
        jpegs.append(block[at : at + size])
        at += size
    return EncodedFrames(jpegs=jpegs, **facts)
