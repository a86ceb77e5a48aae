"""Sampling plans: frozen data that say which frames of a video are wanted.

A plan knows nothing of a file. `plan.resolve(timeline)` turns it into frame numbers once the true times of
the frames are known. Plans compare and hash by value, turn into JSON with `to_dict` and back with
`plan_from_dict`, and `key()` is a stable text for cache keys.

Verbs with times (`Rate`, `At`, `WithKeyFrames`) take seconds on the container timeline; verbs with frame
numbers (`Uniform`, `Numbered`) count displayed frames. The two never mix.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from . import _rules
from .errors import BadRequest

TOLERANCE = 0.0005
"""Seconds by which a requested time may fall short of a frame's time and still mean that frame."""


@dataclass(frozen=True)
class Timeline:
    """What a plan needs to know of a video.

    Attributes:
        times: float64 [n], the display times of all frames in seconds, ascending, n >= 1.
        end: when the last frame stops being shown, seconds.
        declared_end: where the container says that the video ends; later than `end` in a truncated file.
    """

    times: npt.NDArray[np.float64]
    end: float
    declared_end: float

    def shown_at(self, times: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Number of the frame on screen at each time: the last that has started, else the first."""
        return np.maximum(np.searchsorted(self.times, times + TOLERANCE, side="right") - 1, 0)

    @property
    def fps(self) -> float:
        """Average rate in frames a second."""
        span = self.end - float(self.times[0])
        return len(self.times) / span if span > 0 else math.inf


@dataclass(frozen=True)
class Selection:
    """The outcome of a plan for one video.

    Attributes:
        requested: float64 [N], the time each frame was asked for in seconds (for verbs with frame numbers
            the frame's own time).
        indices: int64 [N], display-order frame numbers, inside the video.
        clamped: bool [N], true where the request lay past the end and the last frame stands in.
    """

    requested: npt.NDArray[np.float64]
    indices: npt.NDArray[np.int64]
    clamped: npt.NDArray[np.bool_]


class Plan:
    """Base of all plans; a subclass is a frozen dataclass with a `verb` and a `resolve`."""

    verb: ClassVar[str] = ""

    def resolve(self, timeline: Timeline) -> Selection:
        """Frame numbers for a video. Raises `BadRequest` or `LookupError` as the plan says."""
        raise TypeError(f"{type(self).__name__} does not say how it resolves")

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-able data; `plan_from_dict` reads it back."""
        own = {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}  # type: ignore[attr-defined]
        return {"verb": self.verb, **own}

    def key(self) -> str:
        """A canonical text of the plan: equal plans, equal keys."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))


class StartsPastEnd(LookupError):  # noqa: N818 - named like the errors of this package
    """A window starts after the last frame; the caller, who knows the file, names it."""

    def __init__(self, start: float, end: float) -> None:
        super().__init__(f"starts at {start:.3f} s, but the video ends at {end:.3f} s")


@dataclass(frozen=True)
class Uniform(Plan):
    """`n` frames over the whole video, chosen on the list of frames and so independent of rate.

    Args:
        n: how many, >= 1. A video with fewer frames gives all of them, once each.
        rule: `ends` includes the first and last frame (VideoZeroBench, lmms-eval); `mid` takes the centres
            of n equal bins (VLMEvalKit).

    Raises:
        BadRequest: if `n` < 1 or the rule is unknown.
    """

    n: int
    rule: Literal["ends", "mid"] = "ends"
    verb: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", _whole(self.n, "n", 1))
        if self.rule not in ("ends", "mid"):
            raise BadRequest(f"Uniform rule must be 'ends' or 'mid', got {self.rule!r}")

    def resolve(self, timeline: Timeline) -> Selection:
        """`min(n, frames)` ascending frame numbers."""
        choose = _rules.uniform_ends if self.rule == "ends" else _rules.uniform_mid
        return _numbered(timeline, choose(len(timeline.times), self.n))


@dataclass(frozen=True)
class Rate(Plan):
    """The frames shown at `start`, `start + 1/fps`, ... before `end`.

    At or below the average rate of the video each request gives one frame, so a still scene repeats its
    frame; above it every frame of the window is given once. More than `cap` are thinned evenly over the
    whole window, the tail is never cut off.

    Args:
        fps: requests a second, > 0.
        start: seconds, >= 0.
        end: seconds, > `start`; `None` or anything later than the video means its end.
        cap: at most so many frames, >= 1.

    Raises:
        BadRequest: if a number is out of its range or not finite.
    """

    fps: float
    start: float = 0.0
    end: float | None = None
    cap: int | None = None
    verb: ClassVar[str] = "rate"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fps", _second(self.fps, "fps"))
        object.__setattr__(self, "start", _second(self.start, "start"))
        if self.fps <= 0:
            raise BadRequest(f"fps must be > 0, got {self.fps}")
        if self.end is not None:
            object.__setattr__(self, "end", _second(self.end, "end"))
            if self.end <= self.start:
                raise BadRequest(f"window must end after it starts, got {self.start} to {self.end}")
        if self.cap is not None:
            object.__setattr__(self, "cap", _whole(self.cap, "cap", 1))

    def resolve(self, timeline: Timeline) -> Selection:
        """Ascending frame numbers. The last is marked clamped where the window runs past a truncated end.

        Raises:
            StartsPastEnd: if the window starts after the last frame.
        """
        if self.start >= timeline.end - TOLERANCE and self.start > float(timeline.times[-1]) + TOLERANCE:
            raise StartsPastEnd(self.start, timeline.end)
        asked_end = timeline.end if self.end is None else self.end
        stop = max(min(asked_end, timeline.end), self.start + TOLERANCE)
        if self.fps > timeline.fps * 1.001:
            requested, indices = self._each_frame_once(timeline, stop)
        else:
            count = max(1, math.ceil((stop - self.start) * self.fps - 1e-6))
            requested = self.start + np.arange(count) / self.fps
            indices = timeline.shown_at(requested)
        if self.cap is not None:
            kept = _rules.thin_evenly(len(indices), self.cap)
            requested, indices = requested[kept], indices[kept]
        clamped = np.zeros(len(indices), dtype=bool)
        cut_short = timeline.declared_end - timeline.end > 1.0 / timeline.fps
        if cut_short and asked_end > timeline.end + TOLERANCE:
            clamped[-1] = True
        return Selection(requested, indices, clamped)

    def _each_frame_once(
        self, timeline: Timeline, stop: float
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """The frames of the window that any request hits; costs the frames, however many the requests."""
        first = int(timeline.shown_at(np.array([self.start]))[0])
        last = max(first, int(np.searchsorted(timeline.times, stop - TOLERANCE, side="left")) - 1)
        begins = timeline.times[first : last + 1].copy()
        begins[0] = min(begins[0], self.start)
        ends = np.append(timeline.times[first + 1 : last + 1], stop)
        tick = np.maximum(np.ceil((begins - TOLERANCE - self.start) * self.fps), 0.0)
        requested = self.start + tick / self.fps
        hit = requested < ends - TOLERANCE
        hit[0] = True
        return requested[hit], np.arange(first, last + 1, dtype=np.int64)[hit]


@dataclass(frozen=True)
class At(Plan):
    """The frame on screen at each time: the last that has started (0.5 ms tolerance), else the first.

    A time past the end gives the last frame, marked clamped. Results come in the order of the times.

    Args:
        times: seconds, each finite and >= 0, at least one.

    Raises:
        BadRequest: if there is no time, or one is negative or not finite.
    """

    times: tuple[float, ...]
    verb: ClassVar[str] = "at"

    def __init__(self, times: Iterable[float] | float) -> None:
        listed = [times] if isinstance(times, int | float | np.number) else list(times)
        object.__setattr__(self, "times", tuple(_second(t, "time") for t in listed))
        if not self.times:
            raise BadRequest("At needs at least one time")

    def resolve(self, timeline: Timeline) -> Selection:
        """One frame number for each time, in the order asked."""
        requested = np.array(self.times)
        clamped = (requested >= timeline.end + TOLERANCE) & (requested > timeline.times[-1] + TOLERANCE)
        return Selection(requested, timeline.shown_at(requested), clamped)


@dataclass(frozen=True)
class Numbered(Plan):
    """Frames by display-order number, counted from 0; past the last one gives the last, marked clamped.

    Raises:
        BadRequest: if there is no number, or one is negative or not whole.
    """

    indices: tuple[int, ...]
    verb: ClassVar[str] = "numbered"

    def __init__(self, indices: Iterable[int]) -> None:
        object.__setattr__(self, "indices", tuple(_whole(i, "frame number", 0) for i in indices))
        if not self.indices:
            raise BadRequest("Numbered needs at least one frame number")

    def resolve(self, timeline: Timeline) -> Selection:
        """One frame for each number, in the order asked."""
        return _numbered(timeline, np.array(self.indices, dtype=np.int64))


@dataclass(frozen=True)
class WithKeyFrames(Plan):
    """The frames of a plan together with the frames at key times; above the cap key frames stay first.

    Args:
        plan: any other plan.
        times: seconds of the key frames, each finite and >= 0 (may be empty).
        cap: at most so many frames (VideoZeroBench's rule, `_rules.keep_priority`); `None` for no limit.

    Raises:
        BadRequest: if a time or the cap is out of range.
    """

    plan: Plan
    times: tuple[float, ...] = field(default=())
    cap: int | None = None
    verb: ClassVar[str] = "with_key_frames"

    def __post_init__(self) -> None:
        if not isinstance(self.plan, Plan):
            raise BadRequest(f"WithKeyFrames needs a plan, got {type(self.plan).__name__}")
        object.__setattr__(self, "times", tuple(_second(t, "key time") for t in self.times))
        if self.cap is not None:
            object.__setattr__(self, "cap", _whole(self.cap, "cap", 1))

    def resolve(self, timeline: Timeline) -> Selection:
        """Ascending frame numbers, each once."""
        chosen = self.plan.resolve(timeline)
        keys = At(self.times).resolve(timeline) if self.times else None
        parts = [chosen] if keys is None else [keys, chosen]
        indices = np.concatenate([p.indices for p in parts])
        requested = np.concatenate([p.requested for p in parts])
        clamped = np.concatenate([p.clamped for p in parts])
        union, first = np.unique(indices, return_index=True)
        if self.cap is not None:
            priority = () if keys is None else (int(i) for i in keys.indices)
            kept = np.isin(union, _rules.keep_priority(union.tolist(), priority, self.cap))
            union, first = union[kept], first[kept]
        return Selection(requested[first], union, clamped[first])


def plan_from_dict(data: Mapping[str, Any]) -> Plan:
    """The plan that `to_dict` wrote.

    Raises:
        BadRequest: if the verb is unknown or a field is wrong.
    """
    fields = {k: v for k, v in data.items() if k != "verb"}
    if isinstance(fields.get("plan"), Mapping):
        fields["plan"] = plan_from_dict(fields["plan"])
    for plan in (Uniform, Rate, At, Numbered, WithKeyFrames):
        if plan.verb == data.get("verb"):
            try:
                return plan(**fields)
            except TypeError as error:
                raise BadRequest(f"plan {data!r}: {error}") from error
    raise BadRequest(f"unknown sampling plan {data.get('verb')!r}")


def _numbered(timeline: Timeline, wanted: npt.NDArray[np.int64]) -> Selection:
    last = len(timeline.times) - 1
    indices = np.minimum(wanted, last)
    return Selection(timeline.times[indices], indices, wanted > last)


def _plain(value: Any) -> Any:
    if isinstance(value, Plan):
        return value.to_dict()
    return list(value) if isinstance(value, tuple) else value


def _second(value: float, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise BadRequest(f"{name} must be a number, got {value!r}") from error
    if not math.isfinite(number) or number < 0:
        raise BadRequest(f"{name} must be finite and >= 0, got {value}")
    return number


def _whole(value: int, name: str, least: int) -> int:
    try:
        whole = int(value)
        exact = whole == value
    except (TypeError, ValueError, OverflowError) as error:
        raise BadRequest(f"{name} must be a whole number, got {value!r}") from error
    if not exact or whole < least:
        raise BadRequest(f"{name} must be a whole number >= {least}, got {value}")
    return whole
