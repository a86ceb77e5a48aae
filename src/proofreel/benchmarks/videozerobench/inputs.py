"""What a model is given to answer from: nothing, sound, frames, the video, or the annotated evidence (Tables 4 and 5).

``--set input=KIND``. The evidence kinds spend what the frames of the whole video would cost, on the annotated stretches
alone, or on them and enlarged parts of the key frames. They show gold and exist for this benchmark's exam only.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofreel.benchmarks.videozerobench.frames import (
    fps_cap_times,
    resize_target_size,
    sample_uniform_indices,
)
from proofreel.benchmarks.videozerobench.gold import timed_quads
from proofreel.benchmarks.videozerobench.levels import Case, Shown
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.benchmarks.videozerobench.sight import Sight, look
from proofreel.benchmarks.videozerobench.windows import Pair
from proofreel.core import Item, Window, merge_windows, total_length
from proofreel.core.errors import UserError
from proofreel.models.estimate import Facts, facts_of

MEDIA = {"none": "none", "audio": "none", "frames": "frames", "video": "video"}
EVIDENCE = ("segments", "segments_crops")
APART = (*EVIDENCE, "audio")
"""Inputs that are no sampling of the whole video: ``input_parts`` makes them."""
KINDS = (*MEDIA, *EVIDENCE)
CROP_SHARE = 0.5
"""Most of the budget that goes to enlarged parts; our choice, the paper does not say."""
MARGIN = 0.1
"""Of a key region's sides, shown around it on every side; our choice."""
Quad = tuple[float, float, float, float]


@dataclass(frozen=True)
class Part:
    """Frames at times in seconds, so many rows high, whole (``crop`` None) or a part of the picture in 0-1."""

    times: tuple[float, ...]
    rows: int
    crop: Quad | None = None


def with_input(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the exam with ``input`` put in its own words.

    Raises:
        UserError: no such input, one that contradicts ``media``, or evidence shown on a level that asks for it.
    """
    kind = options.get("input")
    if kind is None:
        return dict(options)
    if kind not in KINDS:
        raise UserError(f"input is one of {', '.join(KINDS)}; got {kind!r}")
    media = MEDIA.get(kind, "frames")
    if options.get("media", media) not in (media, "auto"):
        raise UserError(
            f"input={kind} goes with media={media}, got media={options['media']}; leave media out"
        )
    out = {**options, "media": media}
    if kind in EVIDENCE:
        out.setdefault("levels", "3")
        told = ExamSettings.of({"levels": out["levels"]}).levels
        if options.get("ask") == "joint" or max(told) > 3:
            raise UserError(
                f"input={kind} shows the evidence, so only levels 1 to 3 can be asked; use levels=3"
            )
    return out


def budget(facts: Facts, settings: ExamSettings) -> tuple[int, int]:
    """(frames, pixels) of the whole video under the settings: what the evidence kinds may spend."""
    frames = len(fps_cap_times(facts.duration, settings.max_frames, settings.fps))
    if settings.sampling == "uniform_n":
        frames = min(settings.max_frames, facts.frames or settings.max_frames)
    height, width = _size(facts.height, facts.width, settings.height or facts.height, settings)
    return frames, frames * height * width


def _size(height: int, width: int, rows: int, settings: ExamSettings) -> tuple[int, int]:
    return resize_target_size(height, width, rows, settings.patch)


def spread(windows: Sequence[Window], n: int) -> tuple[float, ...]:
    """``n`` times at the centres of equal parts of the stretches laid end to end, in seconds, ascending."""
    step, at, passed = total_length(windows) / n, 0, 0.0
    times = []
    for i in range(n):
        wanted = (i + 0.5) * step
        while at < len(windows) - 1 and wanted >= passed + windows[at].length:
            passed += windows[at].length
            at += 1
        times.append(windows[at].start + wanted - passed)
    return tuple(times)


def segment_part(
    windows: Sequence[Window], facts: Facts, frames: int, pixels: int, settings: ExamSettings
) -> Part:
    """The stretches as densely as ``frames`` and the video's own rate allow; what is left makes pictures larger."""
    own = facts.frames / facts.duration if facts.frames else 30.0
    n = max(1, min(frames, math.ceil(total_length(windows) * own)))
    return Part(spread(windows, n), _rows(facts.height, facts.width, pixels // n, settings))


def _rows(height: int, width: int, pixels: int, settings: ExamSettings) -> int:
    """Most rows of a picture within so many pixels, never more than it has, never less than two patches."""
    # Widths are floored to whole patches, so that a few more rows may fit than the shape alone would say.
    rows = min(height, math.isqrt(max(pixels, 1) * height // width) + 2 * settings.patch)
    while rows > 2 * settings.patch and math.prod(_size(height, width, rows, settings)) > pixels:
        rows -= 1
    return max(1, min(rows, height))


def crop_parts(
    regions: Sequence[tuple[float, Quad]], facts: Facts, most: int, pixels: int, patch: int
) -> list[Part]:
    """A picture for each key region, its own pixels where they fit, at least two patches high; ``most`` of them."""
    if not regions or most < 1:
        return []
    kept = [regions[i] for i in sample_uniform_indices(len(regions), most)]
    each = pixels // len(kept)
    parts = []
    for time, (x0, y0, x1, y1) in kept:
        dx, dy = MARGIN * (x1 - x0), MARGIN * (y1 - y0)
        crop = (max(0.0, x0 - dx), max(0.0, y0 - dy), min(1.0, x1 + dx), min(1.0, y1 + dy))
        width, height = (crop[2] - crop[0]) * facts.width, (crop[3] - crop[1]) * facts.height
        rows = min(max(height, 2 * patch), math.sqrt(each * height / width))
        parts.append(Part((time,), max(1, int(rows)), crop))
    return parts


def crop_pixels(parts: Sequence[Part], facts: Facts) -> int:
    """Pixels of cropped pictures."""
    total = 0
    for part in parts:
        if part.crop is not None:
            x0, y0, x1, y1 = part.crop
            total += part.rows * math.ceil(part.rows * (x1 - x0) * facts.width / ((y1 - y0) * facts.height))
    return total


def evidence_parts(case: Case, kind: str, facts: Facts, settings: ExamSettings) -> list[Part]:
    """What an evidence kind shows: the stretches, then the crops; empty where a question has no windows.

    Args:
        case: gives windows and boxes.
        kind: ``segments`` or ``segments_crops``.
        facts: of the video.
        settings: give the budget: at most the frames and pixels of the whole video under them.
    """
    windows = stretches(case, facts.duration)
    if not windows:
        return []
    frames, pixels = budget(facts, settings)
    crops: list[Part] = []
    if kind == "segments_crops":
        crops = crop_parts(regions(case), facts, frames // 2, int(pixels * CROP_SHARE), settings.patch)
    room = max(1, frames - len(crops))
    return [segment_part(windows, facts, room, pixels - crop_pixels(crops, facts), settings), *crops]


def stretches(case: Case, duration: float) -> list[Window]:
    """The annotated windows inside the video, merged."""
    from proofreel.benchmarks.videozerobench.gold import extract_gt_windows

    pairs: list[Pair] = extract_gt_windows(case.evidence_windows)
    inside = [(max(0.0, a), min(b, duration)) for a, b in pairs]
    return merge_windows(Window(start=a, end=b) for a, b in inside if b > a)


def regions(case: Case) -> list[tuple[float, Quad]]:
    """(second, box in 0-1) of every annotated box with an area, by time."""
    cut = [
        (max(t, 0.0), tuple(min(max(v, 0.0), 1.0) for v in quad))
        for t, quad in timed_quads(case.evidence_boxes)
    ]
    return sorted((t, (a, b, c, d)) for t, (a, b, c, d) in cut if c > a and d > b)


def input_parts(item: Item, kind: str, settings: ExamSettings) -> tuple[Sight, str]:
    """What a call shows, and the sentence that says so beside the sampling note; blocking, run it in a thread.

    A question without windows is shown the whole video under the evidence kinds, and the sentence is empty; a file
    without sound gives nothing under ``audio``, and the sentence says so.

    Raises:
        VideoError: the file cannot be read.
    """
    video, told = item.question.video, item.question.duration
    if kind == "audio":
        return _sound(video, look(video, settings, (), told))
    facts = facts_of(video)
    parts = evidence_parts(Case.of_item(item), kind, facts, settings) if kind in EVIDENCE else []
    if not parts:
        return look(video, settings, (), told), ""
    return _sight(video, parts, facts, told, settings)


def _sound(video: str, nothing: Sight) -> tuple[Sight, str]:
    from proofreel.video import ClipRef, probe

    info = probe(video)
    if not info.has_audio:
        return nothing, "The video has no sound either."
    ref = ClipRef.of(video, 0.0, info.duration, pictures=False)
    return replace(nothing, refs=(ref,)), "The sound of the video is given; its pictures are not."


def _sight(
    video: str, parts: Sequence[Part], facts: Facts, told: float | None, settings: ExamSettings
) -> tuple[Sight, str]:
    from proofreel.video import At, FramesRef, expand_frames

    refs = [
        FramesRef.of(
            video,
            At(part.times),
            height=part.rows,
            width_multiple=1 if part.crop else 2 * settings.patch,
            quality=settings.quality,
            crop=part.crop,
        )
        for part in parts
    ]
    pictures = [expand_frames(ref) for ref in refs]
    first, crops = pictures[0], len(parts) - 1
    shown = Shown(told or facts.duration, len(first), (first.height, first.width), settings.box_mode)
    said = "These frames are from the stretches that hold the evidence; the rest of the video is not shown."
    if crops:
        said += (
            f" The last {crops} pictures are enlarged parts of frames."
            if crops > 1
            else (" The last picture is an enlarged part of a frame.")
        )
    flagged = sum(f != 0 for p in pictures for f in p.flags)
    return Sight(tuple(refs), shown, sum(len(p) for p in pictures), flagged=flagged), said
