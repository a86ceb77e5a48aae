"""Pictures and clips that a proof page carries, so that it proves its answer without the video."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from proofreel.core import Box
from proofreel.core.time import clock
from proofreel.report._items import Item
from proofreel.report._words import count
from proofreel.video import At, VideoError, VideoInfo, cut_clip, encode_jpeg, read_frames

STILL_SIDE = 360
STILL_QUALITY = 80
# Shorter side and frame rate of a clip, tried in this order until it is small enough; None keeps the rate.
CLIP_FORMS: tuple[tuple[int, float | None], ...] = ((360, None), (240, None), (240, 10.0))
# Raw bytes of all pictures and clips together; base64 adds a third, so a page stays below 5 MB.
MEDIA_BYTES = 3_500_000
SHORTEST, USUAL, LONGEST, MERGED = 3.0, 4.0, 6.0, 8.0

_EDGES = {
    "speech": (188, 170, 255),
    "screen": (95, 224, 210),
    "frame": (255, 183, 92),
    "web": (140, 198, 255),
}


@dataclass(frozen=True)
class Still:
    """The frame of an item with its boxes drawn in; ``same_as`` names an item with the very same picture."""

    jpeg: bytes
    width: int
    height: int
    time: float
    same_as: int | None = None


@dataclass
class Media:
    """What could be embedded; ``notes`` says in one line each what could not."""

    stills: dict[int, Still] = field(default_factory=dict)
    clips: dict[str, tuple[float, float, bytes]] = field(default_factory=dict)
    clip_of: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def collect(
    path: str | PathLike[str],
    info: VideoInfo,
    items: Sequence[Item],
    duration: float,
    *,
    clips: bool,
    lead: int | None,
) -> Media:
    """Reads stills and cuts clips for the items; a part that cannot be read becomes a note, never an error."""
    media = Media()
    if not info.has_video:
        media.notes.append("The file has no picture, so there are no stills.")
        return media
    timed = [item for item in items if item.moment is not None]
    for item in timed:
        if item.moment is not None and item.moment >= duration:
            media.notes.append(f"Evidence {item.n} lies after the end of the video at {clock(duration)}.")
    inside = [item for item in timed if item.moment is not None and item.moment < duration]
    _add_stills(media, path, info, inside, duration)
    if clips:
        _add_clips(media, path, info, inside, duration, lead)
    return media


def _height(info: VideoInfo, side: int) -> int:
    """Height at which the shorter side has ``side`` pixels, even, never above the source."""
    short = min(info.width, info.height)
    return info.height // 2 * 2 if short <= side else round(info.height * side / short / 2) * 2


def _add_stills(
    media: Media, path: str | PathLike[str], info: VideoInfo, items: Sequence[Item], duration: float
) -> None:
    timed = [(item, min(t, duration)) for item in items if (t := item.still_time) is not None]
    frames = _frames(media, path, sorted({t for _, t in timed}), _height(info, STILL_SIDE))
    first: dict[bytes, int] = {}
    for item, t in timed:
        if t not in frames:
            continue
        picture, time = frames[t]
        boxes = [b.box for b in item.evidence.boxes if min(b.time, duration) == t]
        jpeg = encode_jpeg(draw_boxes(picture, boxes, _EDGES[item.source]), STILL_QUALITY)
        same = first.setdefault(jpeg, item.n)
        media.stills[item.n] = Still(
            jpeg, picture.shape[1], picture.shape[0], time, None if same == item.n else same
        )


def _frames(
    media: Media, path: str | PathLike[str], times: list[float], height: int
) -> dict[float, tuple[NDArray[np.uint8], float]]:
    """Frame and its true time per asked time; damaged places are skipped with a note."""
    found: dict[float, tuple[NDArray[np.uint8], float]] = {}
    if not times:
        return found
    try:
        batch = read_frames(path, At(times), height=height)
    except VideoError:
        for t in times:
            try:
                one = read_frames(path, At([t]), height=height)
            except VideoError as error:
                media.notes.append(f"No still at {clock(t)}: {error.reason}")
            else:
                found[t] = one.images[0], float(one.times[0])
        return found
    return {t: (batch.images[i], float(batch.times[i])) for i, t in enumerate(times)}


def draw_boxes(
    picture: NDArray[np.uint8], boxes: Sequence[Box], colour: tuple[int, int, int]
) -> NDArray[np.uint8]:
    """A copy of an RGB picture ``[H, W, 3]`` with boxes outlined: a dark halo, then the colour."""
    if not boxes:
        return picture
    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    width, height = image.size
    for box in boxes:
        x0, y0 = box.x0 * width, box.y0 * height
        x1, y1 = max(x0 + 1, box.x1 * width), max(y0 + 1, box.y1 * height)
        pen.rounded_rectangle((x0 - 2, y0 - 2, x1 + 2, y1 + 2), radius=4, outline=(12, 12, 14), width=6)
        pen.rounded_rectangle((x0 - 1, y0 - 1, x1 + 1, y1 + 1), radius=3, outline=colour, width=3)
    return np.asarray(image)


def clip_span(item: Item, duration: float) -> tuple[float, float] | None:
    """Three to six seconds that show an item, inside the video; None for evidence without a time."""
    moment, best = item.moment, item.still_time
    if moment is None or best is None:
        return None
    window = item.evidence.window
    start, end = (window.start, window.end) if window else (moment, item.evidence.boxes[-1].time)
    if end - start < SHORTEST:
        middle = (start + end) / 2
        start, end = middle - USUAL / 2, middle + USUAL / 2
    elif end - start > LONGEST:
        start = min(max(start, best - LONGEST / 3), end - LONGEST)
        end = start + LONGEST
    length = end - start
    start = max(0.0, min(start, duration - length))
    return round(start, 3), round(min(start + length, duration), 3)


def plan_clips(items: Sequence[Item], duration: float) -> list[tuple[float, float, list[int]]]:
    """Spans with the items they show; spans that overlap and together stay short become one clip."""
    wanted = sorted((span, item.n) for item in items if (span := clip_span(item, duration)) is not None)
    plan: list[tuple[float, float, list[int]]] = []
    for (start, end), n in wanted:
        if plan and start <= plan[-1][1] and max(end, plan[-1][1]) - plan[-1][0] <= MERGED:
            first, last, members = plan[-1]
            plan[-1] = (first, max(last, end), [*members, n])
        elif end > start:
            plan.append((start, end, [n]))
    return plan


def _add_clips(
    media: Media,
    path: str | PathLike[str],
    info: VideoInfo,
    items: Sequence[Item],
    duration: float,
    lead: int | None,
) -> None:
    left = MEDIA_BYTES - sum(len(s.jpeg) for s in media.stills.values() if s.same_as is None)
    # The clip of what the agent named first comes first, so that it is never the one without room.
    plan = sorted(plan_clips(items, duration), key=lambda p: lead not in p[2])
    crowded = form = 0
    for done, (start, end, members) in enumerate(plan):
        try:
            data, form = _cut(path, info, start, end, left // (len(plan) - done), form)
        except VideoError as error:
            media.notes.append(f"No clip from {clock(start)} to {clock(end)}: {error.reason}")
            continue
        if len(data) > left:
            crowded += 1
            continue
        left -= len(data)
        name = f"c{done + 1}"
        media.clips[name] = (start, end, data)
        media.clip_of.update(dict.fromkeys(members, name))
    if crowded:
        media.notes.append(f"{count(crowded, 'clip')} left out, or this page would have grown too large.")


def _cut(
    path: str | PathLike[str], info: VideoInfo, start: float, end: float, room: float, form: int
) -> tuple[bytes, int]:
    """The clip in the best form from ``form`` on that fits, else in the smallest; and the form it has.

    What was too large for one moment of a video is not tried again for the next.
    """
    data = b""
    for number in range(form, len(CLIP_FORMS)):
        side, fps = CLIP_FORMS[number]
        if fps is not None and data and info.fps and info.fps <= fps:
            break
        form = number
        rate = 30.0 if fps is None and info.fps and info.fps > 31 else fps
        data = cut_clip(path, start, end, fps=rate, height=_height(info, side))
        if len(data) <= room:
            break
    return data, form
