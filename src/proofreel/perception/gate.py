"""Decides which sampled frames are worth reading: those that differ from the last one read."""

import numpy as np
from numpy.typing import NDArray

# Side in pixels of the cells that are compared; small pictures have small letters.
CELL, CELL_SMALL, SMALL_WIDTH = 4, 2, 480
# Grey levels of 255. Measured on x264 crf 23 to 36: the coder's noise in unchanged pictures moves a cell by 15 at
# most (cells of 2 px in a 360p picture: by 25), while one changing digit of 16 px at 720p, of 12 px at 360p (cells
# of 4 px) or of 10 px at 180p (cells of 2 px) moves at least one cell by 16, 17 and 51.
CELL_STEP, MEAN_STEP = 16, 1.0


def grey_copy(image: NDArray[np.uint8]) -> NDArray[np.int16]:
    """A small grey copy, each cell the mean of the pixels under it.

    Args:
        image: uint8 [H, W, 3] RGB.
    """
    from PIL import Image

    factor = CELL if image.shape[1] >= SMALL_WIDTH else CELL_SMALL
    return np.asarray(Image.fromarray(image).reduce(factor).convert("L"), dtype=np.int16)


class ChangeGate:
    """Opens when the picture differs from the last one let through, and every ``recheck`` seconds in any case.

    The comparison is with the last frame let through, not with the previous one, so that a slow fade adds up.
    """

    def __init__(self, recheck: float = 10.0) -> None:
        self.recheck = recheck
        self._reference: NDArray[np.int16] | None = None
        self._time = 0.0

    def is_open(self, image: NDArray[np.uint8], time: float) -> bool:
        """Whether the frame at ``time`` seconds should be read; it then becomes the reference."""
        grey = grey_copy(image)
        if self._reference is not None and time - self._time < self.recheck and not self._differs(grey):
            return False
        self._reference, self._time = grey, time
        return True

    def recall(self, image: NDArray[np.uint8], time: float) -> None:
        """Sets the reference again after a resume: the frame that was last let through."""
        self._reference, self._time = grey_copy(image), time

    def _differs(self, grey: NDArray[np.int16]) -> bool:
        if self._reference is None or self._reference.shape != grey.shape:
            return True
        step = np.abs(grey - self._reference)
        return bool(step.max() >= CELL_STEP or step.mean() >= MEAN_STEP)
