"""STAR's visible frames: which are seen, what is known of each, and how they are shown. No model is called here."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from proofreel.agents._spread import even_points
from proofreel.agents._star import frame_interval, initial_frames

Crop = tuple[float, float, float, float]
FRAME_HEIGHT = 480
CELL_WIDTH = 200
MARGIN = 0.1
"""Of a patch's own side, added on each of its sides."""
PATCHES: dict[str, Crop] = {
    "A": (0.0, 0.0, 0.5, 0.5),
    "B": (0.5, 0.0, 1.0, 0.5),
    "C": (0.0, 0.5, 0.5, 1.0),
    "D": (0.5, 0.5, 1.0, 1.0),
    "E": (0.25, 0.25, 0.75, 0.75),
}
"""Top left, top right, bottom left, bottom right, centre: each half a frame wide and high."""


@dataclass
class Seen:
    """One visible frame.

    Attributes:
        index: display-order frame number.
        time: seconds.
        crop: the part that is shown since a zoom, None for all of it.
        caption: its description.
        notes: what detectors found on it.
        answers: question -> answer.
    """

    index: int
    time: float
    crop: Crop | None = None
    caption: str = ""
    notes: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """Description and notes, empty when there are none."""
        return "; ".join(t for t in (self.caption, *self.notes) if t)

    @property
    def name(self) -> str:
        """How frames are called towards models."""
        return f"frame {self.index} ({self.time:.2f} s)"


@dataclass
class Scene:
    """The video and its visible frames.

    Attributes:
        video: path.
        sha256: hash of the file.
        duration: seconds.
        fps: average frames a second.
        times: time of every frame of the video, ascending, in seconds.
        height: rows of a picture.
    """

    video: str
    sha256: str
    duration: float
    fps: float
    times: Sequence[float]
    height: int | None = FRAME_HEIGHT
    _visible: dict[int, Seen] = field(default_factory=dict)
    _past: dict[int, Seen] = field(default_factory=dict)

    @classmethod
    def of(cls, video: str, duration: float, height: int | None = FRAME_HEIGHT) -> "Scene":
        """The scene of a file with its first 16 frames visible.

        Raises:
            VideoError: the file cannot be read.
        """
        from proofreel.video import file_hash, frame_times, probe

        times = frame_times(video).tolist()
        fps = probe(video).fps or len(times) / duration
        scene = cls(video, file_hash(video), duration, fps, times, height)
        scene.add(initial_frames(len(times)))
        return scene

    @property
    def total(self) -> int:
        """Frames in the video."""
        return len(self.times)

    @property
    def interval(self) -> int:
        """Least number of frames between two views: one second."""
        return frame_interval(self.fps)

    @property
    def visible(self) -> list[Seen]:
        """Visible frames in order of time."""
        return [self._visible[i] for i in sorted(self._visible)]

    @property
    def known(self) -> list[Seen]:
        """Frames of which something is known, those that are no longer visible included, in order of time."""
        every = self._past | self._visible
        return [every[i] for i in sorted(every) if every[i].answers or every[i].said]

    def at(self, time: float) -> int:
        """Number of the frame on screen at a time."""
        return max(0, bisect_right(self.times, time + 0.0005) - 1)

    def add(self, indices: Iterable[int]) -> list[Seen]:
        """Makes frames visible; those that were not before."""
        new = [i for i in sorted(set(indices)) if i not in self._visible]
        self._visible |= {i: self._past.get(i) or Seen(i, float(self.times[i])) for i in new}
        return [self._visible[i] for i in new]

    def replace(self, indices: Iterable[int]) -> None:
        """Makes exactly these frames visible; what is known of those that stay is kept."""
        wanted = sorted(set(indices))
        self._past |= self._visible
        self.add(wanted)
        self._visible = {i: self._visible[i] for i in wanted}

    def refs(self, frames: Sequence[Seen]) -> list[Any]:
        """References that show frames in order, zoomed where they are."""
        from proofreel.video import FramesRef, Numbered

        return [
            FramesRef(
                video=self.video,
                sha256=self.sha256,
                plan=Numbered(f.index for f in group).to_dict(),
                height=self.height,
                crop=crop,
            )
            for crop, group in ((c, list(g)) for c, g in groupby(frames, key=lambda f: f.crop))
        ]

    def grid(self, frames: Sequence[Seen]) -> Any:
        """One numbered picture of frames: 2x2, 3x3 or 4x4 cells, 200 px wide each."""
        from proofreel.video import GridRef, Numbered

        crops = tuple(f.crop for f in frames)
        return GridRef(
            video=self.video,
            sha256=self.sha256,
            plan=Numbered(f.index for f in frames).to_dict(),
            columns=grid_side(len(frames)),
            cell_width=CELL_WIDTH,
            crops=crops if any(crops) else (),
        )


def grid_side(frames: int) -> int:
    """Cells in a row of a grid for so many frames: 2, 3, and 4 for all above nine."""
    return 2 if frames <= 4 else 3 if frames <= 9 else 4


def thinned(frames: Sequence[Seen], most: int | None) -> list[Seen]:
    """At most ``most`` frames, spread evenly with both ends; all of them for None."""
    if most is None or len(frames) <= most:
        return list(frames)
    return [frames[round(p)] for p in even_points(0, len(frames) - 1, most)]


def span_frames(first: int, last: int, cells: int, total: int) -> list[int]:
    """``cells`` frame numbers spread evenly from ``first`` to ``last``; a shorter span is widened to both sides.

    Fewer when the video has fewer frames.
    """
    first, last = min(first, last), max(first, last)
    short = min(cells, total) - (last - first + 1)
    if short > 0:
        first = max(0, min(first - short // 2, total - min(cells, total)))
        last = min(total - 1, first + min(cells, total) - 1)
    return sorted({round(p) for p in even_points(first, last, cells)})


def patch(letter: str, inside: Crop | None = None) -> Crop:
    """The crop of a patch with its margin, inside an earlier crop when there is one."""
    x0, y0, x1, y1 = PATCHES[letter]
    dx, dy = MARGIN * (x1 - x0), MARGIN * (y1 - y0)
    crop = (max(0.0, x0 - dx), max(0.0, y0 - dy), min(1.0, x1 + dx), min(1.0, y1 + dy))
    if inside is None:
        return crop
    left, top, right, bottom = inside
    wide, tall = right - left, bottom - top
    return (left + crop[0] * wide, top + crop[1] * tall, left + crop[2] * wide, top + crop[3] * tall)
