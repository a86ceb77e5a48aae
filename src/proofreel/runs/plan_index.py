"""What it costs to read and hear videos for agents that need an index: processor time, no money."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from proofreel.core import Item
from proofreel.runs.plan_files import FileFact
from proofreel.runs.plan_records import Index
from proofreel.video import cache_dir, cut_clip, file_hash

# Processor seconds for a second of video, measured on two cores at one reading a second: looking for text 0.03,
# reading a frame full of text 0.34 to 0.68, hearing 0.15. Low: nothing to read; typical: new text every fourth
# second; high: text in every frame.
SCREEN = (0.05, 0.20, 0.75)
SPEECH = (0.10, 0.15, 0.25)
SHORT, LONG = 2.0, 12.0
"""Seconds of the two pieces that a rate is measured on; their difference leaves out the loading of models."""
RATE = (
    "rates measured on two cores, for a second of video: 0.05 / 0.20 / 0.75 s of reading, "
    "0.10 / 0.15 / 0.25 s of hearing"
)


def index_cost(items: Sequence[Item], facts: Mapping[str, FileFact], *, measure: bool = False) -> Index:
    """Estimate over the videos whose index is not kept yet. A file given as transcript saves the hearing.

    Args:
        items: the questions.
        facts: of their videos.
        measure: read and hear a piece of the longest of these videos now, and go by that: half, once and twice
            its rate.
    """
    spoken = {i.question.video for i in items if i.question.transcript}
    cost = [0.0, 0.0, 0.0]
    cached, seconds, videos = 0, 0.0, 0
    longest: FileFact | None = None
    for path in dict.fromkeys(i.question.video for i in items):
        fact = facts[path]
        if fact.error is not None or not fact.duration:
            continue
        videos += 1
        if _kept(path):
            cached += 1
            continue
        seconds += fact.duration
        if longest is None or fact.duration > (longest.duration or 0.0):
            longest = fact
        hears = fact.has_audio and path not in spoken
        for level in range(3):
            cost[level] += fact.duration * (SCREEN[level] + (SPEECH[level] if hears else 0.0))
    rate = RATE
    if measure and longest is not None:
        own = measured_rate(longest.path, longest.duration or 0.0)
        cost = [seconds * own * share for share in (0.5, 1.0, 2.0)]
        rate = f"measured now: {own:.2f} s for a second of {Path(longest.path).name}; half and twice that around it"
    return Index(
        videos=videos,
        cached=cached,
        video_seconds=seconds,
        low=cost[0],
        typical=cost[1],
        high=cost[2],
        rate=rate,
    )


def measured_rate(path: str, duration: float) -> float:
    """Seconds of work here for a second of this video, from a piece in its middle; loading models is taken out.

    Raises:
        VideoError: the piece cannot be cut.
        CapabilityMissing: nothing to read or hear with is installed.
    """
    short, long = min(SHORT, duration / 4), min(LONG, duration)
    if long - short < 1.0:
        short = 0.0
    middle = max((duration - long) / 2, 0.0)
    spent = [_timed(path, middle, middle + length) if length else 0.0 for length in (short, long)]
    return max(spent[1] - spent[0], 0.0) / (long - short)


def _timed(path: str, start: float, end: float) -> float:
    """Seconds that reading and hearing a piece takes."""
    from proofreel.perception import prepare

    with tempfile.TemporaryDirectory(prefix="proofreel-") as scratch:
        piece = Path(scratch) / "piece.mp4"
        piece.write_bytes(cut_clip(path, start, end))
        began = time.monotonic()
        prepare(piece, cache=False)
        return time.monotonic() - began


def _kept(path: str) -> bool:
    """Whether some finished index of this content is there; only asked where an index folder exists at all."""
    root = cache_dir() / "index"
    if not root.is_dir():
        return False
    folder = Path(root) / file_hash(path)
    return folder.is_dir() and any(folder.glob("index-*"))
