"""A video as agents that choose frames by number need it: true times, size, and how large a picture may be."""

import bisect
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._spread import spread_floor
from proofreel.core import Window
from proofreel.core.errors import UserError

_SLACK = 0.0005
"""Seconds by which a time may fall short of a frame's and still mean it, as in the sampling plans."""


@dataclass(frozen=True)
class Footage:
    """What is known of a video before a frame is decoded.

    Attributes:
        path: the file.
        times: display time of every frame in seconds, ascending; entry i is frame number i.
        duration: seconds.
        fps: average rate, > 0.
        width: pixels as displayed.
        height: likewise.
    """

    path: str
    times: Sequence[float]
    duration: float
    fps: float
    width: int
    height: int

    @property
    def total(self) -> int:
        """Number of frames."""
        return len(self.times)

    def at(self, time: float) -> int:
        """Number of the frame on screen at a time: the last that has started, else the first."""
        return max(0, bisect.bisect_right(self.times, time + _SLACK) - 1)

    def span(self, window: Window) -> tuple[int, int]:
        """(first, last) frame number on screen in a window."""
        return self.at(window.start), self.at(window.end)

    def shown(self, indices: Iterable[int]) -> tuple[float, ...]:
        """Times of frames by number."""
        return tuple(self.times[i] for i in indices)


async def open_footage(path: str) -> Footage:
    """Reads times and size off the event loop.

    Raises:
        UserError: the length of the video is unknown.
        VideoError: the file cannot be read.
    """
    import anyio.to_thread

    return await anyio.to_thread.run_sync(_open, path, abandon_on_cancel=True)


def _open(path: str) -> Footage:
    from proofreel.video import frame_times, probe

    info, times = probe(path), [float(t) for t in frame_times(path)]
    if not info.duration > 0:
        raise UserError(f"{path}: the length of the video is unknown; give it or mend the file")
    fps = info.fps if info.fps > 0 else len(times) / info.duration
    return Footage(path, times, info.duration, fps, info.width, info.height)


def rows_for(footage: Footage, tokens: float, side: int) -> int:
    """Rows of a picture of at most ``tokens`` squares of ``side`` pixels, a multiple of ``side``; never enlarged."""
    scale = min(1.0, math.sqrt(max(tokens, 1) * side * side / (footage.width * footage.height)))
    return max(side, int(footage.height * scale) // side * side)


def thinned(indices: Sequence[int], most: int) -> list[int]:
    """At most ``most`` (>= 1) of ascending frame numbers, spread over all of them, both ends kept."""
    if len(indices) <= most:
        return list(indices)
    return [indices[i] for i in spread_floor(0, len(indices) - 1, most)]


def with_frames(indices: Sequence[int], wanted: Iterable[int], most: int) -> list[int]:
    """Frame numbers together with wanted ones, which stay when ``most`` forces others out."""
    keys = thinned(sorted(set(wanted)), most)
    others = [i for i in sorted(set(indices)) if i not in set(keys)]
    room = most - len(keys)
    return sorted([*keys, *(thinned(others, room) if room else [])])


FRAME_VIDEO_ROUTES = ("vllm/", "openai-api/")
"""Routes that carry frames as one video part."""


def image_limit(model: Any, frames_as: str) -> int | None:
    """Pictures a model takes in one request by its card; None for no limit, or where frames travel as one video.

    Raises:
        UserError: frames are to travel as a video and the route carries none.
    """
    from proofreel.models.cards import model_card
    from proofreel.tools.model_call import model_name, takes_video

    name = model_name(model)
    if frames_as == "video":
        if not (takes_video(model) and name.startswith(FRAME_VIDEO_ROUTES)):
            raise UserError(
                f"frames_as=video: {name} takes no frames as one video on this route; leave it out"
            )
        return None
    return model_card(name).max_images
