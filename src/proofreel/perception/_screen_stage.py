"""Screen text of a whole video: sampled, gated, read, journaled, followed over time."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proofreel.core import Box
from proofreel.perception._journal import Journal
from proofreel.perception.gate import ChangeGate
from proofreel.perception.records import ScreenLine
from proofreel.perception.screen import Reading, has_text, read_text
from proofreel.perception.tracks import LineTracker

if TYPE_CHECKING:
    from proofreel.video import VideoInfo

# Looking is cheap beside reading and fixes the moment of a change to a quarter of the reading interval.
LOOKS_PER_READING = 4
# A picture that seems unchanged is read again after 10 s; each time nothing new is found the wait doubles.
RECHECK, RECHECK_MOST = 10.0, 60.0
LONG_SIDE, SHORT_SIDE = 1920, 1080
_MARK_EVERY = 16

Report = Callable[[float, float, str], None]


@dataclass(frozen=True)
class ScreenText:
    """Lines in order of start, and how many frames were read for them."""

    lines: tuple[ScreenLine, ...]
    frames_read: int


class _State:
    """Where the work stands; built up from the journal's records, whether they are old or being written."""

    def __init__(self, interval: float) -> None:
        self.tracker = LineTracker(interval)
        self.seen = -math.inf
        self.opened = self.read = -math.inf
        self.blank = False
        self.frames_read = 0
        self.recheck = RECHECK
        self._texts: list[str] | None = None

    def apply(self, record: dict[str, Any]) -> None:
        self.seen = record.get("at", self.seen)
        if "lines" not in record:
            return
        readings = [Reading(text, _box(corners), score) for text, corners, score in record["lines"]]
        self.opened, self.blank = self.seen, not readings
        if record["read"]:
            self.read, self.frames_read = self.seen, self.frames_read + 1
            texts = sorted(r.text for r in readings)
            self.recheck = min(RECHECK_MOST, 2 * self.recheck) if texts == self._texts else RECHECK
            self._texts = texts
        self.tracker.add(self.seen, readings)


def _box(corners: list[float]) -> Box:
    x0, y0, x1, y1 = corners
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def decode_height(width: int, height: int) -> int | None:
    """Rows to decode to: at most 1920 by 1080 either way round; None when the picture is no larger."""
    scale = min(1.0, LONG_SIDE / max(width, height), SHORT_SIDE / min(width, height))
    return None if scale == 1.0 else max(2, int(height * scale) // 2 * 2)


def screen_text(path: str, info: "VideoInfo", journal: Journal, fps: float, report: Report) -> ScreenText:
    """Reads the screen text of a video, going on where the journal ends.

    Frames are looked at ``4 * fps`` times a second and read when the picture has changed since the last reading,
    at most ``fps`` times a second, and after 10 s to a minute in any case. Where the last reading found nothing,
    a quick look for readable text comes first.

    Args:
        path: the video.
        info: what ``probe`` says about it.
        journal: open journal of this video and these settings.
        fps: most readings a second.
        report: told (seconds done, seconds in all, message).

    Raises:
        VideoError: the file cannot be decoded.
        CapabilityMissing: the reader does not load.
    """
    state = _State(1 / fps)
    for record in journal.records:
        state.apply(record)
    if not journal.done:
        _read_on(path, info, journal, state, fps, report)
        journal.append({"done": True})
    return ScreenText(tuple(state.tracker.finish(info.duration)), state.frames_read)


def _read_on(
    path: str, info: "VideoInfo", journal: Journal, state: _State, fps: float, report: Report
) -> None:
    from proofreel.video import At, Rate, iter_frames, read_frames

    height = decode_height(info.width, info.height)
    gate = ChangeGate()
    if math.isfinite(state.opened):
        gate.recall(read_frames(path, At([state.opened]), height=height).images[0], state.opened)
    looks = fps * LOOKS_PER_READING
    # The last look again (it is skipped): the grid stays the same as without the interruption.
    start = math.floor(state.seen * looks + 1e-6) / looks if math.isfinite(state.seen) else 0.0
    unmarked = 0
    for frame in iter_frames(path, Rate(looks, start=start), height=height):
        time = frame.time
        if time <= state.seen:
            continue
        record: dict[str, Any] = {"at": time}
        # Tolerance: the times of frames are not exactly on the grid.
        due = time - state.opened >= 1 / fps - 0.5 / looks
        gate.recheck = state.recheck
        if due and gate.is_open(frame.image, time):
            # A blank picture is only looked at quickly; what the quick look may miss, the recheck reads.
            recheck = time - state.read >= state.recheck
            read = not state.blank or recheck or has_text(frame.image)
            lines = read_text(frame.image) if read else []
            record["read"] = int(read)
            record["lines"] = [
                [r.text, [round(v, 5) for v in r.box.values], round(r.score, 4)] for r in lines
            ]
        state.apply(record)
        unmarked += 1
        if "lines" in record or unmarked >= _MARK_EVERY:
            journal.append(record)
            unmarked = 0
            report(time, info.duration, f"{state.frames_read} frames read")
