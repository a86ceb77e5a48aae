"""What is known of a model: limits, prices, conventions. Unknown stays None and is reported as unknown."""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import Field

from proofreel.core import BoxScale
from proofreel.core._base import Record


class PriceBand(Record):
    """US dollars per million tokens for requests whose whole prompt exceeds ``above_prompt`` tokens.

    The band of a request prices all of its tokens (the published rule of models with a long-context price).
    """

    above_prompt: int = Field(default=0, ge=0)
    input: float | None = Field(default=None, ge=0)
    output: float | None = Field(default=None, ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    audio_input: float | None = Field(default=None, ge=0)
    video_input: float | None = Field(default=None, ge=0)
    image_input: float | None = Field(default=None, ge=0)


class ImageRule(Record):
    """How many tokens an image costs.

    ``fixed``: ``tokens``. ``area``: width * height / ``pixels_per_token`` after shrinking to ``max_side`` and
    ``max_tokens``. ``tiles``: ``base`` + ``per_tile`` for every 512-pixel tile after shrinking into 2048x2048
    and then to a short side of 768; ``low`` for detail low. ``crops``: ``tokens`` up to 384x384, otherwise
    ``tokens`` for every tile of side clamp(short side / 1.5, 256, 768). ``patches``: one token per square of
    ``patch`` pixels, times ``multiplier``, at most ``max_tokens``.
    """

    kind: Literal["fixed", "area", "tiles", "crops", "patches"]
    tokens: int | None = None
    low: int | None = None
    base: int | None = None
    per_tile: int | None = None
    pixels_per_token: float | None = None
    patch: int | None = None
    multiplier: float = 1.0
    max_side: int | None = None
    max_tokens: int | None = None


class VideoRule(Record):
    """How a model takes true video.

    Attributes:
        per_frame: tokens of a frame by media resolution (default, low, medium, high).
        per_patch: side in pixels of the square that costs one token, for models that bill by picture size.
        frames_merged: frames that share their tokens (2 when the encoder pairs neighbours).
        audio_per_second: tokens a second of sound, None when sound is not taken.
        default_fps: frames a second when the request names none.
        max_fps: the highest rate the server accepts.
        max_seconds: longest video.
        inline_bytes: largest request with the video inside; larger ones need an upload.
    """

    per_frame: dict[str, int] = Field(default_factory=dict)
    per_patch: int | None = None
    frames_merged: int = Field(default=1, ge=1)
    audio_per_second: int | None = None
    default_fps: float | None = None
    max_fps: float | None = None
    max_seconds: float | None = None
    inline_bytes: int | None = None


class ModelCard(Record):
    """Limits, prices and conventions of one model; every None means unknown.

    Attributes:
        name: the card's name, usually ``provider/model``.
        match: lower-case patterns (``*`` allowed) for the model part of a name.
        source: title or address of the document the values come from.
        date: when they were written down.
        verified: whether they were checked against the source on that date (False: from memory).
        max_images: images in one request, history included.
        max_image_bytes: one encoded image.
        max_request_bytes: the whole request body.
        max_image_side: longest side in pixels the server accepts.
        many_images: above so many images, ``max_image_side_many`` holds instead.
        video: takes true video (by itself or through its usual server).
        audio: hears the sound of a video.
        box_scale: how the model writes boxes.
        native_tools: has tool calls of its own; False: use the JSON-action mode.
        json_schema: the usual server can force answers into a JSON schema.
        temperature: accepts a sampling temperature.
    """

    name: str
    match: tuple[str, ...] = ()
    source: str = "no card"
    date: datetime.date | None = None
    verified: bool = False
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    max_images: int | None = None
    max_image_bytes: int | None = None
    max_request_bytes: int | None = None
    max_image_side: int | None = None
    many_images: int | None = None
    max_image_side_many: int | None = None
    images: bool | None = None
    video: bool | None = None
    audio: bool | None = None
    box_scale: BoxScale | None = None
    native_tools: bool | None = None
    json_schema: bool | None = None
    temperature: bool | None = None
    image_tokens: ImageRule | None = None
    video_rule: VideoRule | None = None
    prices: tuple[PriceBand, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there is a card at all; without one no limit can be checked."""
        return self.source != "no card"

    @property
    def summary(self) -> str:
        """One line for a list: what it takes, how much, at which price; unknown things are left out."""
        senses = [
            n for n, has in (("images", self.images), ("video", self.video), ("sound", self.audio)) if has
        ]
        parts = ["takes " + ", ".join(senses)] if senses else []
        if self.context_tokens is not None:
            parts.append(f"{self.context_tokens // 1000}k tokens")
        if self.max_images is not None:
            parts.append(f"at most {self.max_images} images")
        base = self.band(0)
        if base is not None and base.input is not None and base.output is not None:
            parts.append(f"${base.input:g} in, ${base.output:g} out per million")
        else:
            parts.append("price unknown")
        return "; ".join(parts) + ("" if self.verified else " (not verified)")

    def band(self, prompt_tokens: int) -> PriceBand | None:
        """The price band of a request with this many prompt tokens (cached ones included)."""
        fitting = [b for b in self.prices if prompt_tokens > b.above_prompt or b.above_prompt == 0]
        return max(fitting, key=lambda b: b.above_prompt, default=None)
