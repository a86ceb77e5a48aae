"""Several frames in one numbered picture, cell by cell. NumPy only, so that equal frames give equal bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

# Digits 0 to 9, seven rows of five pixels each, a row as five bits.
_DIGITS = (
    (14, 17, 19, 21, 25, 17, 14),
    (4, 12, 4, 4, 4, 4, 14),
    (14, 17, 1, 2, 4, 8, 31),
    (31, 2, 4, 2, 1, 17, 14),
    (2, 6, 10, 18, 31, 2, 2),
    (31, 16, 30, 1, 1, 17, 14),
    (6, 8, 16, 30, 17, 17, 14),
    (31, 1, 2, 4, 8, 8, 8),
    (14, 17, 17, 14, 17, 17, 14),
    (14, 17, 17, 15, 1, 2, 12),
)
_TALL, _WIDE = 7, 5


def number_tag(number: int, scale: int = 1) -> Image:
    """A number in white on black with a border of one dot: uint8 [9 * scale, (6 * digits + 1) * scale, 3]."""
    digits = [int(d) for d in str(number)]
    dots = np.zeros((_TALL + 2, (_WIDE + 1) * len(digits) + 1), np.uint8)
    for place, digit in enumerate(digits):
        left = 1 + place * (_WIDE + 1)
        for row, bits in enumerate(_DIGITS[digit]):
            dots[row + 1, left : left + _WIDE] = [bits >> (_WIDE - 1 - i) & 1 for i in range(_WIDE)]
    tag = (dots * np.uint8(255)).repeat(scale, 0).repeat(scale, 1)
    return np.repeat(tag[:, :, None], 3, axis=2)


def blank_grid(cells: int, columns: int, cell: tuple[int, int]) -> Image:
    """A black picture for ``cells`` cells of (width, height) pixels in rows of ``columns``."""
    width, height = cell
    rows = -(-cells // columns)
    return np.zeros((rows * height, columns * width, 3), np.uint8)


def put_cell(grid: Image, picture: Image, place: int, columns: int, cell: tuple[int, int]) -> None:
    """Puts a picture, no larger than a cell, in the middle of cell ``place`` (from 0), with number ``place + 1``."""
    width, height = cell
    top, left = place // columns * height, place % columns * width
    tall, wide = picture.shape[:2]
    down, right = (height - tall) // 2, (width - wide) // 2
    grid[top + down : top + down + tall, left + right : left + right + wide] = picture
    tag = number_tag(place + 1, max(1, width // 100))[:height, :width]
    grid[top : top + tag.shape[0], left : left + tag.shape[1]] = tag
