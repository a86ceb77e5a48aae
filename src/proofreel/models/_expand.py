"""References into plain message content, off the event loop, at the last moment."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from proofreel.models._late import LateFrames, data_uri, label, new_mark
from proofreel.models.card import ModelCard
from proofreel.models.estimate import facts_of, text_tokens
from proofreel.models.failure import FailureKind, ModelFailure
from proofreel.models.media import MediaPart, is_media, media_parts
from proofreel.models.payload import PayloadPlan, PayloadTooLarge, Policy, check_payload, smaller_cells
from proofreel.video import (
    ClipRef,
    EncodedGrid,
    FramesRef,
    GridRef,
    VideoError,
    expand_clip,
    expand_frames,
    expand_grid,
    expand_sound,
)
from proofreel.video.ref import EncodedFrames, MediaChanged

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content

T = TypeVar("T")
_CORES = max(os.cpu_count() or 1, 1)
_slots = threading.BoundedSemaphore(_CORES)
_room: RunVar[anyio.CapacityLimiter] = RunVar("proofreel_expansions")


@dataclass(frozen=True)
class VideoPart:
    """True video to be put in by a provider subclass where ``marker`` stands.

    Attributes:
        marker: an unguessable text that holds the place in the plain messages.
        mode: ``clip`` is a cut mp4, ``frames`` are JPEG pictures as one video, ``file`` is the whole file inside
            the request, ``upload`` is the whole file by reference.
        data: the bytes of a ``clip`` or ``file``.
        frames: the pictures of ``frames``.
        fps: rate the model is asked to look at, None for the server's own.
    """

    marker: str
    ref: FramesRef | ClipRef
    mode: Literal["clip", "frames", "file", "upload"]
    data: bytes = b""
    frames: EncodedFrames | None = None
    fps: float | None = None


@dataclass(frozen=True)
class Shown:
    """One reference as it was shown: for the ledger, so pictures are without bytes; None for an uploaded file."""

    ref: FramesRef | ClipRef | GridRef
    encoded: EncodedFrames | EncodedGrid | bytes | None


@dataclass
class Expanded:
    """A request ready for the inner provider; ``late`` are frames for which a mark stands in the messages."""

    messages: list[ChatMessage]
    shown: list[Shown] = field(default_factory=list)
    videos: list[VideoPart] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    images: int = 0
    late: dict[str, LateFrames] = field(default_factory=dict)


Whole = Literal["clip", "file", "upload"]
"""A clip cut out, or the whole file inside the request or uploaded."""

ClipMode = Callable[[ClipRef, ModelCard], Whole]


async def in_thread(work: Callable[[], T]) -> T:
    """Runs decoding work in a thread, at most one per core at a time; a deadline leaves it behind.

    Waiting is done on the event loop: threads that wait would each keep a heap of their own, and pictures of many
    calls would lie scattered over all of them. The inner bound also counts work that was left behind.
    """

    def run() -> T:
        with _slots:
            return work()

    limiter = _room.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(_CORES)
        _room.set(limiter)
    return await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=limiter)


async def expand(
    messages: Sequence[ChatMessage],
    card: ModelCard,
    *,
    takes_video: bool,
    policy: Policy = "refuse",
    clip_mode: ClipMode | None = None,
    late: bool = False,
    joins_frames: bool = True,
) -> Expanded:
    """Checks the card, decodes and encodes, and builds messages without references.

    Args:
        messages: the conversation; never changed.
        card: limits of the model.
        takes_video: the route can carry true video.
        policy: what to do with payloads that do not fit.
        clip_mode: chooses between a cut clip and the whole file; None always cuts.
        late: leave marks for frames, which the provider puts in as it sends.
        joins_frames: the route can carry pictures as one video; where it cannot, they go as pictures.

    Raises:
        ModelFailure: the payload does not fit, or the media cannot be read.
    """
    try:
        parts = list(media_parts(messages))
        if not parts:
            return Expanded(list(messages))
        if not joins_frames:
            for part in parts:
                part.frames_as = "images"
        return await in_thread(lambda: _build(messages, parts, card, takes_video, policy, clip_mode, late))
    except VideoError as error:
        raise ModelFailure(FailureKind.MEDIA, str(error)) from error


def _build(
    messages: Sequence[ChatMessage],
    parts: list[MediaPart],
    card: ModelCard,
    takes_video: bool,
    policy: Policy,
    clip_mode: ClipMode | None,
    late: bool,
) -> Expanded:
    words, other = _rest(messages)
    detail = parts[0].detail
    plan = check_payload(
        card,
        [p.ref for p in parts],
        text_tokens=words,
        other_images=other,
        detail=detail,
        takes_video=takes_video,
        policy=policy,
    )
    out = _encode_all(plan, parts, takes_video, card, clip_mode)
    for _ in range(12):
        too_large = _byte_fault(card, out)
        if too_large is None:
            break
        said, factor = too_large
        smaller = _lower(plan, out, factor)
        if policy == "refuse" or smaller is None:
            sizes = smaller.refs if smaller else ()
            heights = sorted({r.height for r in sizes if not isinstance(r, GridRef) and r.height})
            hint = f"; height {heights[0]} would fit (on_limit=fit does it)" if heights else ""
            raise PayloadTooLarge(f"{card.name}: {said}; nothing was sent{hint}", smaller)
        plan = smaller
        out = _encode_all(plan, parts, takes_video, card, clip_mode)
    else:
        raise PayloadTooLarge(
            f"{card.name}: the pictures stay too large at the lowest height; send fewer frames"
        )
    return _assemble(messages, parts, plan, out, late)


@dataclass(frozen=True)
class _Ready:
    shown: Shown
    video: VideoPart | None


def _encode_all(
    plan: PayloadPlan,
    parts: list[MediaPart],
    takes_video: bool,
    card: ModelCard,
    clip_mode: ClipMode | None,
) -> list[_Ready]:
    ready: list[_Ready] = []
    for ref, part in zip(plan.refs, parts, strict=True):
        marker = f"[[media {secrets.token_hex(16)}]]"
        if isinstance(ref, FramesRef):
            encoded = expand_frames(ref)
            video = None
            if part.frames_as == "video" and takes_video:
                video = VideoPart(marker, ref, "frames", frames=encoded, fps=_rate(encoded.times))
            ready.append(_Ready(Shown(ref, encoded), video))
            continue
        if isinstance(ref, GridRef):
            ready.append(_Ready(Shown(ref, expand_grid(ref)), None))
            continue
        if not ref.pictures:
            ready.append(_Ready(Shown(ref, expand_sound(ref)), None))
            continue
        mode = clip_mode(ref, card) if clip_mode else "clip"
        data = expand_clip(ref) if mode == "clip" else _whole_file(ref) if mode == "file" else b""
        video = VideoPart(marker, ref, mode, data=data, fps=ref.fps)
        ready.append(_Ready(Shown(ref, data or None), video))
    return ready


def _whole_file(ref: ClipRef) -> bytes:
    data = Path(ref.video).read_bytes()
    if hashlib.sha256(data).hexdigest() != ref.sha256:
        raise MediaChanged(
            ref.video, "is not the file of the reference; restore it or make the reference anew"
        )
    return data


def _rate(times: Sequence[float]) -> float | None:
    span = times[-1] - times[0] if len(times) > 1 else 0.0
    return round((len(times) - 1) / span, 6) if span > 0 else None


def _byte_fault(card: ModelCard, ready: list[_Ready]) -> tuple[str, float] | None:
    """What is too large in bytes, and by which factor it must shrink."""
    pictures = [j for r in ready if isinstance(r.shown.encoded, EncodedFrames) for j in r.shown.encoded.jpegs]
    pictures += [r.shown.encoded.jpeg for r in ready if isinstance(r.shown.encoded, EncodedGrid)]
    clips = [r.shown.encoded for r in ready if isinstance(r.shown.encoded, bytes)]
    largest = max((len(j) for j in pictures), default=0)
    if card.max_image_bytes is not None and largest > card.max_image_bytes:
        said = f"an image of {largest} bytes, at most {card.max_image_bytes} allowed"
        return said, card.max_image_bytes / largest
    total = sum(-(-len(b) // 3) * 4 for b in [*pictures, *clips]) + 200 * len(pictures)
    if card.max_request_bytes is not None and total > card.max_request_bytes:
        said = f"a request of about {total} bytes, at most {card.max_request_bytes} allowed"
        return said, card.max_request_bytes / total
    return None


def _lower(plan: PayloadPlan, ready: list[_Ready], factor: float) -> PayloadPlan | None:
    """The same plan with lower pictures, None when they are as low as they may be."""
    refs: list[FramesRef | ClipRef | GridRef] = []
    for ref, done in zip(plan.refs, ready, strict=True):
        if isinstance(ref, GridRef):
            refs.append(smaller_cells(ref, factor**0.5 * 0.95))
            continue
        if isinstance(ref, ClipRef) and not ref.pictures:
            return None
        encoded = done.shown.encoded
        height = encoded.height if isinstance(encoded, EncodedFrames) else ref.height
        height = height or facts_of(ref.video).height
        if height <= 64:
            return None
        refs.append(ref.model_copy(update={"height": max(int(height * min(factor**0.5 * 0.95, 0.85)), 64)}))
    note = "lowered the pictures to fit the byte limit"
    return PayloadPlan(tuple(refs), plan.images, None, (*plan.notes, note), changed=True)


def _rest(messages: Sequence[ChatMessage]) -> tuple[int, int]:
    """(estimated text tokens, images that are no references) of a conversation."""
    words = images = 0
    for message in messages:
        if isinstance(message.content, str):
            words += text_tokens(message.content)
            continue
        for content in message.content:
            if content.type == "text":
                words += text_tokens(content.text)
            elif content.type == "image":
                images += 1
    return words, images


def _assemble(
    messages: Sequence[ChatMessage],
    parts: list[MediaPart],
    plan: PayloadPlan,
    ready: list[_Ready],
    late: bool,
) -> Expanded:
    out = Expanded([], notes=plan.notes, images=plan.images)
    queue = iter(zip(parts, ready, strict=True))
    for message in messages:
        if isinstance(message.content, str) or not any(is_media(c) for c in message.content):
            out.messages.append(message)
            continue
        if message.role == "tool":
            raise ModelFailure(
                FailureKind.PAYLOAD, "media in a tool result: append a user message with it after the results"
            )
        content: list[Content] = []
        for piece in message.content:
            if not is_media(piece):
                content.append(piece)
                continue
            part, done = next(queue)
            content += _content(part, done, out.late if late else None)
            out.shown.append(_lean(done))
            if done.video is not None:
                out.videos.append(done.video)
        out.messages.append(message.model_copy(update={"content": content}))
    return out


def _lean(done: _Ready) -> Shown:
    """For the ledger: times and hashes of pictures; their bytes are in the messages and not held twice."""
    shown = done.shown
    if isinstance(shown.encoded, EncodedGrid):
        return replace(shown, encoded=replace(shown.encoded, jpeg=b""))
    if done.video is None and isinstance(shown.encoded, EncodedFrames):
        return replace(shown, encoded=replace(shown.encoded, jpegs=[]))
    return shown


def _content(part: MediaPart, ready: _Ready, late: dict[str, LateFrames] | None) -> list[Content]:
    from inspect_ai.model import ContentText

    ref, encoded, video = ready.shown.ref, ready.shown.encoded, ready.video
    if isinstance(ref, ClipRef) and video is not None:
        return [ContentText(text=_clip_label(ref, video.mode)), ContentText(text=video.marker)]
    if isinstance(ref, ClipRef) and isinstance(encoded, bytes):
        return _sound(ref, encoded)
    if isinstance(encoded, EncodedGrid):
        cells = ", ".join(f"{n}: t={t:.2f} s" for n, t in enumerate(encoded.times, 1))
        return [
            ContentText(text=f"[grid of {len(encoded)} frames; {cells}]"),
            _picture(encoded.jpeg, part),
        ]
    if not isinstance(encoded, EncodedFrames) or len(encoded.jpegs) != len(encoded.times):
        raise ModelFailure(FailureKind.MEDIA, f"reference {ref.id}: frames without times")
    if video is not None:
        stamps = ", ".join(f"{t:.2f}" for t in encoded.times)
        said = f"[video of {len(encoded)} frames, shown at these seconds: {stamps}]"
        return [ContentText(text=said), ContentText(text=video.marker)]
    if late is not None and encoded.jpegs:
        mark = new_mark()
        late[mark] = LateFrames.of(encoded, part.detail)
        return [ContentText(text=mark)]
    content: list[Content] = []
    for time, jpeg in zip(encoded.times, encoded.jpegs, strict=True):
        content += [ContentText(text=label(time)), _picture(jpeg, part)]
    return content


def _picture(jpeg: bytes | memoryview, part: MediaPart) -> Content:
    from inspect_ai.model import ContentImage

    return ContentImage(image=data_uri(jpeg), detail=part.detail)


def _sound(ref: ClipRef, mp3: bytes) -> list[Content]:
    from inspect_ai.model import ContentAudio, ContentText

    data = base64.b64encode(mp3).decode("ascii")
    span = f"[sound of the video, {ref.start:.2f} s to {ref.end:.2f} s]"
    return [ContentText(text=span), ContentAudio(audio=f"data:audio/mpeg;base64,{data}", format="mp3")]


def _clip_label(ref: ClipRef, mode: str) -> str:
    span = f"{ref.start:.2f} s to {ref.end:.2f} s"
    if mode != "clip" or ref.start == 0:
        return f"[video, {span}]"
    return f"[video clip, {span} of the video; second 0 of the clip is second {ref.start:.2f} of the video]"
