"""The pure parts of STAR (spatio-temporal alternation): frames to see next, whose turn it is. Agents, section 2."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from proofreel.agents._spread import SamplingError

ToolType = Literal["temporal", "spatial", "none"]
Required = Literal["temporal", "spatial", "any"]
Route = Literal["tool", "answer"]
INITIAL_FRAMES = 16
MAX_ITERATIONS = 6
Segment = tuple[int, int]


class UnknownSegmentError(ValueError):
    """A segment id that was not offered; goes back to the model that chose it."""


def initial_frames(total_frames: int, n: int = INITIAL_FRAMES) -> list[int]:
    """Frame numbers seen at the start: number i is ``round_half_even(i * (total - 1) / (n - 1))``.

    All frames when there are no more than ``n``.

    Raises:
        SamplingError: fewer than two of many frames are asked for: one point has no spacing.
    """
    if total_frames <= n:
        return list(range(total_frames))
    if n < 2:
        raise SamplingError(f"the first view needs at least 2 frames, got {n}")
    step = (total_frames - 1) / (n - 1)
    return [round(i * step) for i in range(n)]


def frame_interval(fps: float, seconds: float = 1.0) -> int:
    """Least number of frames between two views, ``int(seconds * fps)`` but at least 1."""
    return max(1, int(seconds * fps))


def unseen_segments(visible: Iterable[int], total_frames: int, min_interval: int) -> list[Segment]:
    """Stretches without a visible frame that are worth opening, as (first frame, end excluded).

    Before the first visible frame: when its number exceeds the interval. Between two: when they are more than
    an interval apart. After the last: when it lies more than an interval before the number of frames. The
    frame a segment ends at is a visible one, or the end of the video. No visible frame gives no segment.

    Args:
        visible: frame numbers, in any order.
        total_frames: frames in the video.
        min_interval: frames, see ``frame_interval``.
    """
    seen = sorted(visible)
    if not seen:
        return []
    segments: list[Segment] = [(0, seen[0])] if seen[0] > min_interval else []
    segments += [(a + 1, b) for a, b in pairwise(seen) if b - a > min_interval]
    if seen[-1] < total_frames - min_interval:
        segments.append((seen[-1] + 1, total_frames))
    return segments


def selector_frames(
    segments: Sequence[Sequence[int]], selected: Iterable[int], min_interval: int
) -> list[int]:
    """Frames added when segments are opened: every ``min_interval``-th of each one longer than the interval.

    Args:
        segments: (first frame, end excluded), see ``unseen_segments``.
        selected: positions in ``segments``; repeated ones count once.
        min_interval: frames, >= 1.

    Returns:
        Ascending frame numbers without duplicates.

    Raises:
        UnknownSegmentError: a position that is not there.
    """
    added: set[int] = set()
    for position in selected:
        if not 0 <= position < len(segments):
            raise UnknownSegmentError(f"there is no segment {position}; choose 0 to {len(segments) - 1}")
        first, stop = segments[position]
        if stop - first > min_interval:
            added.update(range(first, stop, min_interval))
    return sorted(added)


def next_tool_type(last_tool_type: str) -> Required:
    """The kind of tool whose turn it is: after temporal spatial, after spatial temporal, at the start any."""
    if last_tool_type == "temporal":
        return "spatial"
    return "temporal" if last_tool_type == "spatial" else "any"


def accepts_sufficient(last_tool_type: str, info_sufficient: bool) -> bool:
    """Whether "sufficient" counts: never right after a temporal tool, whose frames nobody has looked at yet."""
    return info_sufficient and last_tool_type != "temporal"


def planner_route(
    last_tool_type: str, info_sufficient: bool, iteration_count: int, max_iterations: int = MAX_ITERATIONS
) -> Route:
    """``answer`` when the planner may end or the iterations are used up, else ``tool``.

    Args:
        last_tool_type: ``temporal``, ``spatial`` or ``none``.
        info_sufficient: what the planner said.
        iteration_count: tools run so far.
        max_iterations: most tools.
    """
    done = accepts_sufficient(last_tool_type, info_sufficient) or iteration_count >= max_iterations
    return "answer" if done else "tool"
