"""From a decoded frame to upright RGB at the size asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import Interpolation, VideoReformatter

from ._rules import fit_height
from .errors import BadRequest

Image = npt.NDArray[np.uint8]
Crop = tuple[float, float, float, float]


@dataclass(frozen=True)
class PictureSpec:
    """How frames are to look.

    Attributes:
        height: rows of the result; `None` keeps the display size (of the crop, if any).
        width_multiple: the width is floored to a multiple of this.
        crop: (x0, y0, x1, y1), relative to the upright picture, 0-1.
    """

    height: int | None = None
    width_multiple: int = 1
    crop: Crop | None = None

    @classmethod
    def checked(cls, height: Any, width_multiple: Any, crop: Sequence[float] | None) -> PictureSpec:
        """The spec, or `BadRequest` where a number is out of range."""
        if height is not None and (height != int(height) or height < 1):
            raise BadRequest(f"height must be a whole number >= 1, got {height}")
        if width_multiple != int(width_multiple) or width_multiple < 1:
            raise BadRequest(f"width_multiple must be a whole number >= 1, got {width_multiple}")
        box = None
        if crop is not None:
            box = tuple(float(v) for v in crop)
            if len(box) != 4 or not all(math.isfinite(v) and 0 <= v <= 1 for v in box):
                raise BadRequest(f"crop must be four numbers from 0 to 1 (x0, y0, x1, y1), got {crop}")
            if box[0] >= box[2] or box[1] >= box[3]:
                raise BadRequest(f"crop must have x0 < x1 and y0 < y1, got {crop}")
        return cls(None if height is None else int(height), int(width_multiple), box)  # type: ignore[arg-type]

    def size_for(self, display: tuple[int, int]) -> tuple[int, int]:
        """(height, width) of the result for an upright display size given as (width, height)."""
        width, height = display
        if self.crop is not None:
            x0, y0, x1, y1 = self.crop
            width, height = max(1, round(width * (x1 - x0))), max(1, round(height * (y1 - y0)))
        if self.height is None and self.width_multiple == 1:
            return height, width
        return fit_height(height, width, self.height or height, self.width_multiple)


class Converter:
    """Turns decoded frames into images of one size. One for each thread; the stream may change size midway."""

    def __init__(self, spec: PictureSpec, display: tuple[int, int], rotation: int) -> None:
        self.height, self.width = spec.size_for(display)
        self._turns = rotation // 90
        self._crop = None if spec.crop is None else _turn_back(spec.crop, self._turns)
        self._scaler = VideoReformatter()

    def image(self, frame: av.VideoFrame) -> Image:
        """uint8 [height, width, 3], contiguous, upright."""
        rows, columns = (self.width, self.height) if self._turns % 2 else (self.height, self.width)
        if self._crop is not None:
            frame = _cut_out(frame, self._crop)
        enlarge = columns >= frame.width or rows >= frame.height
        scaled = self._scaler.reformat(
            frame,
            width=columns,
            height=rows,
            format="rgb24",
            interpolation=Interpolation.BICUBIC if enlarge else Interpolation.AREA,
            threads=1,
        )
        return np.ascontiguousarray(np.rot90(_rgb_view(scaled), -self._turns))


def _rgb_view(frame: av.VideoFrame) -> Image:
    plane = frame.planes[0]
    rows = np.frombuffer(plane, np.uint8).reshape(frame.height, plane.line_size)  # type: ignore[call-overload]
    view: Image = rows[:, : frame.width * 3].reshape(frame.height, frame.width, 3)
    return view


def _cut_out(frame: av.VideoFrame, box: Crop) -> av.VideoFrame:
    """The box of the stored picture as a frame of its own, at source resolution.

    Goes by RGB: any pixel format and any corner, also odd ones, for one conversion of a wanted frame.
    """
    whole = _rgb_view(frame.reformat(format="rgb24", interpolation=Interpolation.BICUBIC, threads=1))
    height, width = whole.shape[:2]
    left, right = _span(box[0], box[2], width)
    top, bottom = _span(box[1], box[3], height)
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(whole[top:bottom, left:right]), format="rgb24")


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    first = min(round(low * size), size - 1)
    return first, max(first + 1, round(high * size))


def _turn_back(box: Crop, turns: int) -> Crop:
    """A box of the upright picture in the stored one, which a player turns clockwise `turns` times."""
    for _ in range(turns):
        x0, y0, x1, y1 = box
        box = (y0, 1 - x1, y1, 1 - x0)
    return box
