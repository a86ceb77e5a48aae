"""Boxes of the upright picture, their scales, and union-area IoU."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Self

from pydantic import Field, model_validator

from proofreel.core._base import Record


class BoxScale(StrEnum):
    """How a model writes coordinates; inside Proofreel every box is ``UNIT``."""

    UNIT = "0-1"
    THOUSAND = "0-1000"
    PIXEL = "pixels"

    def factors(self, size: tuple[int, int] | None) -> tuple[float, float]:
        """Units per full width and per full height.

        Args:
            size: (width, height) of the picture the numbers refer to; needed for ``PIXEL`` only.

        Raises:
            ValueError: a pixel scale without a picture size.
        """
        if self is BoxScale.UNIT:
            return 1.0, 1.0
        if self is BoxScale.THOUSAND:
            return 1000.0, 1000.0
        if size is None or size[0] <= 0 or size[1] <= 0:
            raise ValueError(f"pixel boxes need the picture size (width, height), got {size}")
        return float(size[0]), float(size[1])


class Box(Record):
    """A rectangle of the upright picture: left, top, right, bottom as fractions in [0, 1]."""

    x0: float = Field(ge=0, le=1)
    y0: float = Field(ge=0, le=1)
    x1: float = Field(ge=0, le=1)
    y1: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.x1 < self.x0 or self.y1 < self.y0:
            raise ValueError(f"box corners are swapped: {self.values}")
        return self

    @property
    def values(self) -> tuple[float, float, float, float]:
        """(x0, y0, x1, y1)."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def area(self) -> float:
        """Share of the picture covered, in [0, 1]."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    @classmethod
    def from_scale(
        cls,
        values: Sequence[float],
        scale: BoxScale,
        size: tuple[int, int] | None = None,
        *,
        clamp: bool = True,
    ) -> "Box":
        """A box written in another scale, brought to [0, 1].

        Args:
            values: four numbers x0, y0, x1, y1; swapped corners are put right.
            scale: the scale of ``values``.
            size: (width, height) in pixels, for ``BoxScale.PIXEL``.
            clamp: cut off what lies outside the picture; otherwise such a box is an error.

        Raises:
            ValueError: not four numbers, or outside the picture with ``clamp=False``.
        """
        if len(values) != 4:
            raise ValueError(f"a box needs 4 numbers x0, y0, x1, y1, got {len(values)}")
        fx, fy = scale.factors(size)
        x0, y0, x1, y1 = (float(v) / f for v, f in zip(values, (fx, fy, fx, fy), strict=True))
        x0, x1 = min(x0, x1), max(x0, x1)
        y0, y1 = min(y0, y1), max(y0, y1)
        if clamp:
            x0, y0, x1, y1 = (min(max(v, 0.0), 1.0) for v in (x0, y0, x1, y1))
        return cls(x0=x0, y0=y0, x1=x1, y1=y1)

    def to_scale(
        self, scale: BoxScale, size: tuple[int, int] | None = None
    ) -> tuple[float, float, float, float]:
        """(x0, y0, x1, y1) in another scale; not rounded."""
        fx, fy = scale.factors(size)
        return self.x0 * fx, self.y0 * fy, self.x1 * fx, self.y1 * fy


class TimedBox(Record):
    """A box and the second of the timeline it holds at."""

    time: float = Field(ge=0)
    box: Box


def union_area(boxes: Sequence[Box]) -> float:
    """Area of the union of rectangles, in [0, 1], by coordinate compression (exact up to rounding)."""
    solid = [b for b in boxes if b.area > 0]
    xs = sorted({x for b in solid for x in (b.x0, b.x1)})
    area = 0.0
    for left, right in pairwise(xs):
        spans = sorted((b.y0, b.y1) for b in solid if b.x0 <= left and b.x1 >= right)
        covered, top = 0.0, -1.0
        for y0, y1 in spans:
            if y1 > top:
                covered += y1 - max(y0, top)
                top = y1
        area += covered * (right - left)
    return area


def _clip(a: Box, b: Box) -> Box | None:
    x0, y0, x1, y1 = max(a.x0, b.x0), max(a.y0, b.y0), min(a.x1, b.x1), min(a.y1, b.y1)
    return Box(x0=x0, y0=y0, x1=x1, y1=y1) if x0 < x1 and y0 < y1 else None


def viou(gold: Sequence[Box], predicted: Sequence[Box]) -> float | None:
    """Spatial IoU of two sets of boxes at one moment: area of the intersection of the unions over the union.

    None when no gold box has an area: the moment cannot be scored (the careful rule of VideoZeroBench).
    """
    if union_area(gold) <= 0:
        return None
    both = union_area([*gold, *predicted])
    overlaps = [c for g in gold for p in predicted if (c := _clip(g, p)) is not None]
    return union_area(overlaps) / both
