"""Sizes before sending: how many frames, how large, how many tokens a reference will become."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from proofreel.models.card import ImageRule, ModelCard
from proofreel.video import ClipRef, FramesRef, GridRef, probe
from proofreel.video.sample import At, Numbered, Plan, Rate, Uniform, WithKeyFrames

Detail = Literal["auto", "low", "high", "original"]
LABEL_TOKENS = 8
"""What the time text in front of a frame costs, roughly."""


@dataclass(frozen=True)
class Facts:
    """What estimates need to know of a video: seconds, displayed pixels, frames (None: not known cheaply)."""

    duration: float
    width: int
    height: int
    frames: int | None = None


def facts_of(path: str) -> Facts:
    """Facts of a file, remembered while the file stays unchanged.

    Raises:
        VideoError: the file is no readable video.
    """
    stat = Path(path).stat() if Path(path).is_file() else None
    return _facts(path, (stat.st_mtime_ns, stat.st_size) if stat else (0, 0))


@lru_cache(maxsize=512)
def _facts(path: str, stamp: tuple[int, int]) -> Facts:
    del stamp  # part of the cache key only
    info = probe(path)
    return Facts(info.duration, info.width, info.height, info.frame_count)


def frame_count(plan: Plan, facts: Facts) -> int:
    """How many frames a plan gives, without decoding; never fewer than the true number."""
    match plan:
        case Uniform(n=n):
            count = n
        case At(times=times):
            return len(times)
        case Numbered(indices=indices):
            return len(indices)
        case Rate(fps=fps, start=start, end=end, cap=cap):
            stop = facts.duration if end is None else min(end, facts.duration)
            count = max(1, math.ceil((stop - start) * fps - 1e-6))
            count = min(count, cap) if cap else count
        case WithKeyFrames(plan=inner, times=times, cap=cap):
            count = frame_count(inner, facts) + len(times)
            return min(count, cap) if cap else count
        case _:
            raise TypeError(f"no frame count for a plan of type {type(plan).__name__}")
    return min(count, facts.frames) if facts.frames else count


def output_size(ref: FramesRef | ClipRef | GridRef, facts: Facts) -> tuple[int, int]:
    """(width, height) in pixels of the pictures a reference gives, up to rounding."""
    width, height = float(facts.width), float(facts.height)
    if isinstance(ref, GridRef):
        rows = math.ceil(frame_count(ref.sampling, facts) / ref.columns)
        return ref.columns * ref.cell_width, rows * max(1, round(ref.cell_width * height / width))
    if isinstance(ref, FramesRef) and ref.crop is not None:
        x0, y0, x1, y1 = ref.crop
        width, height = max((x1 - x0) * width, 1), max((y1 - y0) * height, 1)
    if ref.height:
        width, height = width * ref.height / height, float(ref.height)
    return max(round(width), 1), max(round(height), 1)


def image_tokens(rule: ImageRule, width: int, height: int, detail: Detail = "auto") -> int:
    """Tokens of one image of this size by a card's rule."""
    w, h = float(width), float(height)
    if rule.kind == "fixed":
        return rule.tokens or 0
    if rule.kind == "tiles":
        if detail == "low" and rule.low is not None:
            return rule.low
        shrink = min(1.0, 2048 / max(w, h))
        shrink *= min(1.0, 768 / (min(w, h) * shrink))
        tiles = math.ceil(w * shrink / 512) * math.ceil(h * shrink / 512)
        return (rule.base or 0) + (rule.per_tile or 0) * tiles
    if rule.kind == "crops":
        unit = 384.0 if max(w, h) <= 384 else min(max(math.floor(min(w, h) / 1.5), 256), 768)
        return (rule.tokens or 0) * math.ceil(w / unit) * math.ceil(h / unit)
    if rule.kind == "area":
        shrink = min(1.0, rule.max_side / max(w, h)) if rule.max_side else 1.0
        count = w * h * shrink**2 / (rule.pixels_per_token or 750)
    else:
        side = rule.patch or 32
        count = math.ceil(w / side) * math.ceil(h / side) * rule.multiplier
    return math.ceil(min(count, rule.max_tokens) if rule.max_tokens else count)


def clip_frames(ref: ClipRef, card: ModelCard, facts: Facts) -> int | None:
    """Frames the model will look at in a clip, None when neither reference nor card names a rate."""
    fps = ref.fps or (card.video_rule.default_fps if card.video_rule else None)
    return max(1, math.ceil(clip_seconds(ref, facts) * fps)) if fps else None


def clip_seconds(ref: ClipRef, facts: Facts) -> float:
    """Length of a clip inside its video, in seconds."""
    return max(min(ref.end, facts.duration) - ref.start, 0.0)


def estimate_tokens(
    card: ModelCard,
    ref: FramesRef | ClipRef | GridRef,
    *,
    facts: Facts | None = None,
    detail: Detail = "auto",
) -> int | None:
    """Prompt tokens a reference will cost, time labels included; None when the card does not say.

    Args:
        card: the model's card.
        ref: frames, a clip, or a grid of frames.
        facts: of the video; probed when not given.
        detail: OpenAI image detail.

    Raises:
        VideoError: the file is no readable video (only when probed).
    """
    facts = facts or facts_of(ref.video)
    width, height = output_size(ref, facts)
    if not isinstance(ref, ClipRef):
        if card.image_tokens is None:
            return None
        each, labels = (
            image_tokens(card.image_tokens, width, height, detail),
            frame_count(ref.sampling, facts),
        )
        return (1 if isinstance(ref, GridRef) else labels) * each + labels * LABEL_TOKENS
    if not ref.pictures:
        rate = card.video_rule.audio_per_second if card.video_rule else None
        return None if rate is None else math.ceil(rate * clip_seconds(ref, facts))
    rule, frames = card.video_rule, clip_frames(ref, card, facts)
    if rule is None or frames is None:
        return None
    resolution = ref.media_resolution or "default"
    if resolution in rule.per_frame or "default" in rule.per_frame:
        each = rule.per_frame.get(resolution, rule.per_frame.get("default", 0))
    elif rule.per_patch:
        each = math.ceil(width / rule.per_patch) * math.ceil(height / rule.per_patch)
    else:
        return None
    sound = (rule.audio_per_second or 0) * clip_seconds(ref, facts) if ref.audio else 0
    return math.ceil(frames * each / rule.frames_merged + sound)


def text_tokens(text: str) -> int:
    """A rough upper count for text: four Latin characters, or one other, a token."""
    other = sum(ord(c) > 0x2FF for c in text)
    return math.ceil((len(text) - other) / 4) + other
