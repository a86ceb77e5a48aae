"""When each frame of a video is shown, without decoding a picture."""

from __future__ import annotations

from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from . import _isolate
from ._index import load_index


def frame_times(path: str | PathLike[str], timeout: float | None = None) -> npt.NDArray[np.float64]:
    """float64 [n]: the display time of every frame in seconds on the container timeline, ascending, n >= 1.

    Entry i is the time of the frame that ``Numbered([i])`` gives.

    Args:
        path: the video file.
        timeout: most seconds to spend; without it only a stall of a minute ends the work.

    Raises:
        VideoError: the file cannot be read, see `proofreel.video.errors`.
    """
    name = fspath(path)
    index = (
        _isolate.index_of(name, _isolate.Patience(name, timeout)) if _isolate.AVAILABLE else load_index(name)
    )
    return index.times
