"""What it costs to read and hear videos for agents that need an index: processor time, no money."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from proofreel.core import Item
from proofreel.runs.plan_files import FileFact
from proofreel.runs.plan_records import Index
from proofreel.video import cache_dir, file_hash

# Processor seconds for a second of video, measured on two cores at one reading a second: looking for text 0.03,
# reading a frame full of text 0.34 to 0.68, hearing 0.15. Low: nothing to read; typical: new text every fourth
# second; high: text in every frame.
SCREEN = (0.05, 0.20, 0.75)
SPEECH = (0.10, 0.15, 0.25)
RATE = (
    "rates measured on two cores, for a second of video: 0.05 / 0.20 / 0.75 s of reading, "
    "0.10 / 0.15 / 0.25 s of hearing"
)


def index_cost(items: Sequence[Item], facts: Mapping[str, FileFact]) -> Index:
    """Estimate over the videos whose index is not kept yet. A file given as transcript saves the hearing."""
    spoken = {i.question.video for i in items if i.question.transcript}
    cost = [0.0, 0.0, 0.0]
    cached, seconds, videos = 0, 0.0, 0
    for path in dict.fromkeys(i.question.video for i in items):
        fact = facts[path]
        if fact.error is not None or not fact.duration:
            continue
        videos += 1
        if _kept(path):
            cached += 1
            continue
        seconds += fact.duration
        hears = fact.has_audio and path not in spoken
        for level in range(3):
            cost[level] += fact.duration * (SCREEN[level] + (SPEECH[level] if hears else 0.0))
    return Index(
        videos=videos,
        cached=cached,
        video_seconds=seconds,
        low=cost[0],
        typical=cost[1],
        high=cost[2],
        rate=RATE,
    )


def _kept(path: str) -> bool:
    """Whether some finished index of this content is there; only asked where an index folder exists at all."""
    root = cache_dir() / "index"
    if not root.is_dir():
        return False
    folder = Path(root) / file_hash(path)
    return folder.is_dir() and any(folder.glob("index-*"))
