"""Boxes of one kind of object on frames after each other, linked into tracks. Pure."""

from collections.abc import Sequence

from proofreel.core import Box

LEAST_OVERLAP = 0.2
"""Least intersection over union of a box with the last one of its track."""
PATIENCE = 3
"""Frames a track may be missing on before it ends."""


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes, in [0, 1]."""
    wide = min(a.x1, b.x1) - max(a.x0, b.x0)
    tall = min(a.y1, b.y1) - max(a.y0, b.y0)
    if wide <= 0 or tall <= 0:
        return 0.0
    shared = wide * tall
    return shared / (a.area + b.area - shared)


def linked(frames: Sequence[Sequence[Box]]) -> list[list[int]]:
    """The track of every box, numbered from 1 in order of appearance.

    On each frame the best overlapping pairs of track and box are joined first; a box without a track starts one.

    Args:
        frames: boxes on each frame, in order of time.
    """
    last: dict[int, tuple[Box, int]] = {}
    out: list[list[int]] = []
    made = 0
    for number, boxes in enumerate(frames):
        alive = {t: box for t, (box, at) in last.items() if number - at <= PATIENCE}
        pairs = sorted(
            ((overlap(box, b), t, i) for t, box in alive.items() for i, b in enumerate(boxes)),
            key=lambda p: (-p[0], p[1], p[2]),
        )
        tracks: dict[int, int] = {}
        for score, track, place in pairs:
            if score >= LEAST_OVERLAP and place not in tracks and track not in tracks.values():
                tracks[place] = track
        for place, box in enumerate(boxes):
            if place not in tracks:
                made += 1
                tracks[place] = made
            last[tracks[place]] = (box, number)
        out.append([tracks[i] for i in range(len(boxes))])
    return out
