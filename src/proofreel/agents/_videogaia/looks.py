"""The frames the agent is shown: coarse ones over the whole video, and looks at stretches it chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._footage import Footage, thinned
from proofreel.core import Window
from proofreel.core.errors import UserError
from proofreel.models.schema import ToolSchema
from proofreel.tools._video_args import finite_number

FRAMES = 20
LONGEST = 768
VIDEO_TOOL = "think_with_video"
TOOL_NAMES = ("web_search", "page_visit", VIDEO_TOOL)
ALIASES = {
    "search": "web_search",
    "google_search": "web_search",
    "search_web": "web_search",
    "visit": "page_visit",
    "visit_page": "page_visit",
    "open_page": "page_visit",
    "page_read": "page_visit",
    "watch_segment": VIDEO_TOOL,
    "watch_video": VIDEO_TOOL,
    "view_segment": VIDEO_TOOL,
    "think_with_videos": VIDEO_TOOL,
}
"""The published names of the tools are not known; these are taken as well."""

LOOK_SCHEMA = ToolSchema(
    VIDEO_TOOL,
    f"Shows up to {FRAMES} more frames of a stretch of the video, evenly spread, without sound. Short stretches show "
    "more detail in time.",
    {
        "type": "object",
        "properties": {
            "start": {"type": "number", "description": "First second of the stretch."},
            "end": {"type": "number", "description": "Last second, later than start."},
            "goal": {"type": "string", "description": "What to look for; may be left out."},
        },
        "required": ["start", "end"],
    },
)


@dataclass(frozen=True)
class Look:
    """A stretch and the numbers of the frames that show it."""

    window: Window
    indices: tuple[int, ...]
    goal: str = ""
    clamped: bool = False


def chosen_tools(told: Any) -> tuple[str, ...]:
    """The tools of a run, in their usual order; names in a list or parted by commas.

    Raises:
        UserError: a name is none of them.
    """
    names = [n.strip() for n in told.split(",") if n.strip()] if isinstance(told, str) else list(told or ())
    for name in names:
        if name not in TOOL_NAMES:
            raise UserError(f"tools are {', '.join(TOOL_NAMES)}; got {name!r}")
    return tuple(n for n in TOOL_NAMES if n in names)


def canonical(name: str) -> str:
    """The name of the tool that is meant."""
    return ALIASES.get(name.strip().lower(), name.strip())


def centres(footage: Footage, start: float, end: float, n: int) -> tuple[int, ...]:
    """Frames on screen at the centres of ``n`` equal bins of a stretch, each frame once; all of fewer than ``n``."""
    first, last = footage.at(start), footage.at(end)
    if last - first < n:
        return tuple(range(first, last + 1))
    step = (end - start) / n
    return tuple(dict.fromkeys(footage.at(start + (i + 0.5) * step) for i in range(n)))


def shown_end(footage: Footage) -> float:
    """Seconds at which the last frame ends: earlier than the container says in a file that was cut off."""
    return min(footage.duration, float(footage.times[-1]) + 1 / footage.fps)


def coarse(footage: Footage, n: int) -> tuple[int, ...]:
    """The frames of the first message."""
    return centres(footage, 0.0, shown_end(footage), n) if n > 0 else ()


def rows(footage: Footage) -> int | None:
    """Picture rows at which the longest side is 768; None where it is no longer than that."""
    longest = max(footage.width, footage.height)
    return None if longest <= LONGEST else max(1, footage.height * LONGEST // longest)


def read_look(arguments: Mapping[str, Any], footage: Footage, most: int = FRAMES) -> Look | str:
    """The look an agent asks for, clamped to the video; or why there is none, for the agent.

    Args:
        arguments: ``start`` and ``end`` in seconds (``start_time`` and ``end_time`` are taken too), ``goal``.
        footage: the video.
        most: frames that may be shown, >= 1.
    """
    ends = []
    for name in ("start", "end"):
        value = finite_number(arguments.get(name, arguments.get(f"{name}_time")))
        if value is None or isinstance(value, str):
            got = "nothing" if value is None else value
            return f"{name} must be a number of seconds, got {got}"
        ends.append(value)
    start, end = ends
    length = shown_end(footage)
    if start >= end:
        return f"start ({start:g} s) must be before end ({end:g} s)"
    if start >= length or end <= 0:
        return f"{start:g} to {end:g} s lies outside the video (0 to {length:.2f} s)"
    goal = arguments.get("goal")
    if goal is not None and not isinstance(goal, str):
        return "goal must be a text"
    window = Window(start=max(0.0, start), end=min(end, length))
    found: Sequence[int] = centres(footage, window.start, window.end, FRAMES)
    return Look(
        window, tuple(thinned(found, most)), (goal or "").strip(), (start, end) != (window.start, window.end)
    )
