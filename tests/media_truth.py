"""The truth of the shared test videos, and the checks a reader of them has to pass, one function for each law.

A law takes a `Truth` and yields a `Check` for everything it looked at; a check that failed says why. The
corpus test and the corpus report run the same laws.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from proofreel.video import (
    At,
    FrameFlag,
    Frames,
    Numbered,
    OutOfRange,
    Rate,
    Uniform,
    VideoError,
    iter_frames,
    probe,
    read_frames,
)

_MOST_FRAMES = 400
_TILES_EVERY = 5


@dataclass(frozen=True)
class Check:
    """One thing looked at: what it was, and what was wrong with it, if anything."""

    what: str
    wrong: str = ""
    frames: int = 0
    wrong_frames: int = 0


class Truth:
    """What the manifest says of one file."""

    def __init__(self, folder: Path, entry: dict[str, Any]) -> None:
        self.path, self.entry = folder / entry["file"], entry
        self.name, self.kind = entry["file"], entry["kind"]
        self.error: str | None = entry.get("error")
        self.damaged = "intact_index_ranges" in entry
        self._marker = marker_module(folder)

    @property
    def count(self) -> int:
        return int(self.entry["nominal_frames"] if self.damaged else self.entry["frames"])

    @property
    def tolerance(self) -> float:
        return float(self.entry["times"].get("tolerance", 0.002))

    @cached_property
    def times(self) -> npt.NDArray[np.float64]:
        rule = self.entry["times"]
        if rule["rule"] == "list":
            return np.array(rule["list"], dtype=np.float64)
        return rule["first"] + np.arange(self.count) * rule["step"]

    @cached_property
    def numbers(self) -> npt.NDArray[np.int64] | None:
        """The marker of every frame; None for a real clip."""
        if self.entry.get("real"):
            return None
        rule = self.entry.get("indices", {"rule": "first + i", "first": 0})
        listed = rule["list"] if rule["rule"] == "list" else rule["first"] + np.arange(self.count)
        return np.array(listed, dtype=np.int64)

    @cached_property
    def middles(self) -> npt.NDArray[np.float64]:
        """A time at which each frame is on screen beyond doubt."""
        step = float(np.median(np.diff(self.times))) if self.count > 1 else 0.01
        return self.times + np.minimum(np.append(np.diff(self.times), step), step) / 2

    def read_marker(self, image: npt.NDArray[np.uint8]) -> int | None:
        return self._marker.read_index(image)  # type: ignore[no-any-return]

    def upright(self, image: npt.NDArray[np.uint8]) -> bool:
        return bool(self._marker.tiles_ok(image))

    def intact(self, number: int) -> bool:
        return not self.damaged or any(
            low <= number <= high for low, high in self.entry["intact_index_ranges"]
        )


def load_truths(folder: Path) -> list[Truth]:
    return [
        Truth(folder, entry) for entry in json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    ]


@lru_cache
def marker_module(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("shared_marker", folder / "marker.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def laws_for(truth: Truth) -> list[Callable[[Truth], Iterator[Check]]]:
    """The laws that apply to a file."""
    if truth.error:
        return [refused]
    if truth.entry.get("real"):
        return [described, by_time, uniform, fingerprints]
    laws = [described, by_time, by_time_shuffled, uniform, rate, any_size, past_the_end]
    return laws if truth.damaged else [*laws, by_number]


def refused(truth: Truth) -> Iterator[Check]:
    """The named error, from every way in; a file with sound alone can still be probed."""
    uses: dict[str, Callable[[], object]] = {
        "read_frames": lambda: read_frames(truth.path, Uniform(4)),
        "iter_frames": lambda: list(iter_frames(truth.path, At([0.0]))),
        "probe": lambda: probe(truth.path),
    }
    if truth.error == "no_video_stream":
        info = probe(truth.path)
        ok = (
            not info.has_video
            and info.has_audio
            and abs(info.duration - truth.entry["declared_duration"]) < 0.1
        )
        yield Check("probe of sound alone", "" if ok else repr(info))
        del uses["probe"]
    for name, use in uses.items():
        try:
            use()
            yield Check(name, "raised nothing")
        except VideoError as error:
            one_line = "\n" not in str(error) and str(truth.path) in str(error)
            yield Check(name, "" if error.code == truth.error and one_line else f"{error.code}: {error}")


def described(truth: Truth) -> Iterator[Check]:
    """What `probe` says."""
    info, entry = probe(truth.path), truth.entry
    facts: dict[str, tuple[Any, Any]] = {
        "display size": ((info.width, info.height), tuple(entry["video"]["display_size"])),
        "rotation": (info.rotation, entry["video"]["rotation_clockwise"]),
        "sound": (info.has_audio, entry["audio"] is not None),
        "truncated": (info.truncated, truth.kind == "truncated"),
        "declared frames": (info.declared_frames, entry["video"]["declared_frames"]),
        "video streams": (info.video_streams, 2 if truth.kind == "two_video_streams" else 1),
        "time stamps": (info.timestamps, "synthetic" if truth.kind == "raw_stream" else "container"),
    }
    if not truth.damaged:
        facts["frames"] = (info.frame_count, truth.count)
        start_ok = abs(info.start - truth.times[0]) <= truth.tolerance
        facts["start"] = (info.start, info.start if start_ok else truth.times[0])
    lies = truth.kind in ("wrong_duration", "no_duration", "truncated", "raw_stream")
    facts["duration measured"] = (info.duration_source, "packets" if lies else "container")
    true_end = entry.get("true_duration") or (truth.times[-1] if lies else entry["declared_duration"])
    near = abs(info.duration - true_end) <= 0.25
    facts["duration"] = (info.duration, info.duration if near else true_end)
    for what, (got, want) in facts.items():
        yield Check(what, "" if got == want else f"{got}, should be {want}")


def by_time(truth: Truth, order: npt.NDArray[np.int64] | None = None) -> Iterator[Check]:
    """Every listed frame at the time it is on screen."""
    asked = _some(truth.count) if order is None else order
    yield _compare("frames by time", truth, asked, read_frames(truth.path, At(truth.middles[asked])))


def by_time_shuffled(truth: Truth) -> Iterator[Check]:
    """The same in random order, some twice."""
    chosen = np.random.default_rng(11).choice(truth.count, min(60, truth.count))
    yield from by_time(truth, chosen)


def by_number(truth: Truth) -> Iterator[Check]:
    """The same by frame number, in random order."""
    asked = np.random.default_rng(12).permutation(_some(truth.count, 80))
    frames = read_frames(truth.path, Numbered(asked))
    check = _compare("frames by number", truth, asked, frames)
    yield check
    yield Check("numbers reported", "" if frames.indices.tolist() == asked.tolist() else "other numbers")


def uniform(truth: Truth) -> Iterator[Check]:
    """Twelve frames spread over what can be read, by the published rule."""
    frames = read_frames(truth.path, Uniform(12))
    if truth.damaged:
        yield Check(
            "uniform", "" if len(frames) == 12 and _honest(truth, frames) else "frames not as flagged"
        )
        return
    n = truth.count
    want = np.arange(n) if n <= 12 else np.array([int(i * (n - 1) / 11) for i in range(11)] + [n - 1])
    yield _compare("uniform", truth, want, frames)


def rate(truth: Truth) -> Iterator[Check]:
    """Frames on a clock, and an absurd rate that gives each frame of a window once."""
    info = probe(truth.path)
    fps = min(2.0, info.fps)
    stop = min(info.end, 40.0)
    frames = read_frames(truth.path, Rate(fps, 0.0, stop))
    if truth.damaged:
        yield Check("rate", "" if len(frames) and _honest(truth, frames) else "frames not as flagged")
    else:
        grid = np.arange(0.0, stop - 0.001, 1 / fps)
        sure = np.abs(truth.times[:, None] - grid).min(axis=0) > truth.tolerance + 0.001
        want = np.maximum(np.searchsorted(truth.times, grid, side="right") - 1, 0)
        got = [truth.read_marker(image) for image in frames.images]
        numbers = truth.numbers
        assert numbers is not None
        bad = [t for t, w, g, s in zip(grid, want, got, sure, strict=False) if s and g != numbers[w]]
        wrong = f"{len(frames)} frames, should be {len(grid)}" if len(frames) != len(grid) else ""
        yield Check("rate", wrong or (f"another frame at {bad[:3]}" if bad else ""), len(grid), len(bad))
    tail = Rate(2_000_000, info.start + 0.8 * (info.end - info.start), info.end)
    window = read_frames(truth.path, tail, height=32)
    once = bool(np.all(np.diff(window.indices) == 1)) if not truth.damaged else len(window) > 0
    yield Check("absurd rate", "" if once and len(window) <= truth.count else "not each frame once")


def any_size(truth: Truth) -> Iterator[Check]:
    """Every frame comes out at the size asked for, still readable, still upright."""
    asked = _some(truth.count, 12)
    for height, multiple in ((72, 1), (360, 28)):
        frames = read_frames(truth.path, At(truth.middles[asked]), height=height, width_multiple=multiple)
        width, rows = truth.entry["video"]["display_size"]
        want = max(multiple, round(width * height / rows) // multiple * multiple)
        wrong = "" if frames.images.shape[1:3] == (height, want) else f"size {frames.images.shape}"
        yield Check(f"height {height}", wrong)
        yield _compare(f"frames at height {height}", truth, asked, frames)


def past_the_end(truth: Truth) -> Iterator[Check]:
    """A time past the data is marked, or refused when strict."""
    info = probe(truth.path)
    after = info.end + 0.5
    frames = read_frames(truth.path, At([after]))
    flags = frames.flags[0]
    clamped = FrameFlag.CLAMPED in flags and (FrameFlag.TRUNCATED in flags) == (truth.kind == "truncated")
    yield Check("time past the end", "" if clamped else repr(flags))
    try:
        read_frames(truth.path, At([after]), strict=True)
        yield Check("strict past the end", "raised nothing")
    except OutOfRange:
        yield Check("strict past the end")


def fingerprints(truth: Truth) -> Iterator[Check]:
    """Frames of a real clip look as they should."""
    prints = truth.entry["fingerprints"]
    frames = read_frames(truth.path, Numbered([p["frame"] for p in prints]))
    bad = []
    for image, one in zip(frames.images, prints, strict=True):
        want = np.frombuffer(bytes.fromhex(one["grey8x8"]), np.uint8).reshape(8, 8)
        if np.abs(_grey8(image) - want).mean() > 6:
            bad.append(one["frame"])
    yield Check("fingerprints", f"frames {bad} look otherwise" if bad else "", len(prints), len(bad))


def _compare(what: str, truth: Truth, asked: npt.NDArray[np.int64], frames: Frames) -> Check:
    """Whether each frame is the one listed at that place, at its time, upright and not flagged.

    Where the file is damaged a frame may be exact or flagged, nothing else.
    """
    if len(frames) != len(asked):
        return Check(what, f"{len(frames)} frames for {len(asked)} requests", len(asked), len(asked))
    bad: list[str] = []
    for frame, place in zip(frames, asked.tolist(), strict=True):
        if not truth.intact(place) and frame.flags.damaged:
            continue
        if abs(frame.time - truth.times[place]) > truth.tolerance:
            bad.append(f"{place} at {frame.time:.4f} s, should be {truth.times[place]:.4f} s")
        if frame.flags:
            bad.append(f"{place} flagged {frame.flags!r}")
        if truth.numbers is not None:
            number = truth.read_marker(frame.image)
            if number != truth.numbers[place]:
                bad.append(f"{place} shows {number}, should show {truth.numbers[place]}")
            elif place % _TILES_EVERY == 0 and not truth.upright(frame.image):
                bad.append(f"{place} is not upright")
    return Check(what, "; ".join(bad[:3]), len(asked), len(bad))


def _honest(truth: Truth, frames: Frames) -> bool:
    """In a damaged file: an unflagged frame shows the number of its time, a flagged one lies in the damage."""
    for frame in frames:
        number = round((frame.time - truth.times[0]) * float(truth.entry["nominal_fps"]))
        if not frame.flags and truth.read_marker(frame.image) != number:
            return False
    return True


def _some(count: int, most: int = _MOST_FRAMES) -> npt.NDArray[np.int64]:
    if count <= most:
        return np.arange(count)
    return np.unique(
        np.concatenate([np.linspace(0, count - 1, most // 2).astype(int), np.arange(count - 20, count)])
    )


def _grey8(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """An 8x8 area-averaged grey picture."""
    grey = image @ np.array([0.299, 0.587, 0.114])
    for axis in (0, 1):
        size = grey.shape[axis]
        total = np.insert(np.cumsum(grey, axis=axis), 0, 0.0, axis=axis)
        edges = np.arange(9) * size / 8
        low = np.floor(edges).astype(int)
        upper = np.minimum(low + 1, size)
        shape = [1, 1]
        shape[axis] = 9
        part = (edges - low).reshape(shape)
        at = np.take(total, low, axis=axis) * (1 - part) + np.take(total, upper, axis=axis) * part
        grey = np.diff(at, axis=axis) * 8 / size
    return grey
