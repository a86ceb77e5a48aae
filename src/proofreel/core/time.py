"""Windows of time in seconds, sets of windows, and temporal IoU."""

from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from proofreel.core._base import Record


class Window(Record):
    """A closed span of the container timeline, ``start <= end``, both in seconds and not negative."""

    start: float = Field(ge=0)
    end: float = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"window ends before it starts: {self.start} > {self.end} s")
        return self

    @property
    def length(self) -> float:
        """Seconds between start and end."""
        return self.end - self.start

    def contains(self, t: float, slack: float = 0.0) -> bool:
        """Whether the second ``t`` lies inside, both ends included, widened by ``slack`` seconds."""
        return self.start - slack <= t <= self.end + slack

    def clamped(self, duration: float) -> "Window":
        """The part of the window inside ``[0, duration]``."""
        return Window(start=min(self.start, duration), end=min(self.end, duration))

    def __str__(self) -> str:
        return f"{clock(self.start)}-{clock(self.end)}"


def clock(seconds: float) -> str:
    """``M:SS.s`` or ``H:MM:SS.s`` for people; tenths are rounded, never truncated."""
    tenths = round(seconds * 10)
    whole, tenth = divmod(tenths, 10)
    minutes, secs = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{head}:{secs:02d}.{tenth}"


def merge_windows(windows: Iterable[Window]) -> list[Window]:
    """Sorted disjoint windows covering the same seconds; touching windows become one."""
    merged: list[Window] = []
    for window in sorted(windows, key=lambda w: (w.start, w.end)):
        if merged and window.start <= merged[-1].end:
            if window.end > merged[-1].end:
                merged[-1] = Window(start=merged[-1].start, end=window.end)
        else:
            merged.append(window)
    return merged


def intersect_windows(first: Iterable[Window], second: Iterable[Window]) -> list[Window]:
    """The seconds in both sets, as sorted disjoint windows; single shared instants are left out."""
    a, b = merge_windows(first), merge_windows(second)
    shared: list[Window] = []
    i = j = 0
    while i < len(a) and j < len(b):
        start, end = max(a[i].start, b[j].start), min(a[i].end, b[j].end)
        if start < end:
            shared.append(Window(start=start, end=end))
        if a[i].end < b[j].end:
            i += 1
        else:
            j += 1
    return shared


def total_length(windows: Iterable[Window]) -> float:
    """Seconds covered by the union of the windows."""
    return sum(w.length for w in merge_windows(windows))


def tiou(gold: Iterable[Window], predicted: Iterable[Window]) -> float:
    """Temporal IoU of two window sets, in [0, 1].

    Each set is merged first; the value is the length of the intersection over the length of the union, and 0
    when the union has no length (VideoZeroBench ``tiou_multi``).
    """
    a, b = merge_windows(gold), merge_windows(predicted)
    shared = sum(w.length for w in intersect_windows(a, b))
    union = total_length(a) + total_length(b) - shared
    return shared / union if union > 0 else 0.0
