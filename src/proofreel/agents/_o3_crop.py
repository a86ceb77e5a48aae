"""Which frames Video-o3 shows of the whole video and of a stretch, and how large; where thinking ends in a reply."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.agents._footage import rows_for, thinned, with_frames
from proofreel.agents._spread import even_frame_count, spread_round
from proofreel.agents._video_o3 import (
    MOST_TOKENS_PER_FRAME,
    Grounding,
    InvalidGroundingError,
    crop_frames,
    tokens_per_frame,
)
from proofreel.agents._viewing import Viewer, number
from proofreel.core import Window

WHOLE_VIDEO_TOKENS = 16384
_THINKING = re.compile(r"\s*<think>.*?</think>", re.S)


@dataclass(frozen=True)
class Shot:
    """What one observation shows.

    Attributes:
        frames: their numbers in the video.
        rows: of a picture.
        tokens: visual tokens a frame may cost.
        start: true time of the first frame, seconds.
        end: of the last.
        fps: frames a second of the look.
        window: the stretch asked for, inside the video.
    """

    frames: tuple[int, ...]
    rows: int
    tokens: int
    start: float
    end: float
    fps: float
    window: Window


def split_thinking(text: str) -> tuple[str, str]:
    """A reply's leading thinking block, empty when there is no complete one, and the rest."""
    thinking = _THINKING.match(text)
    return (text[: thinking.end()], text[thinking.end() :]) if thinking else ("", text)


def whole_video(viewer: Viewer, room: int | None) -> Shot:
    """Observation 0: ``fps`` a second (2), an even number of 4 to 768 frames, 16384 tokens in all, at most 768 each.

    Frames at an exam's ``key_times`` are among them.
    """
    footage, options = viewer.footage, viewer.ctx.options
    most = number(options, "max_frames", 768, least=1)
    most = most if room is None else max(1, min(most, room))
    fps = number(options, "fps", 2.0, least=1e-6, whole=False)
    least = number(options, "min_frames", 4, least=1)
    count = 1
    if min(footage.total, most) > 1:
        count = even_frame_count(footage.total, footage.fps, fps=fps, least=min(least, most), most=most)
    chosen = sorted(set(spread_round(footage.total, count)))
    if keys := [footage.at(float(t)) for t in options.get("key_times") or ()]:
        chosen = with_frames(chosen, keys, max(count, min(len(set(keys)), room or len(keys))))
    share = number(options, "video_tokens", WHOLE_VIDEO_TOKENS, least=1) // max(1, len(chosen) // 2)
    tokens = min(share, MOST_TOKENS_PER_FRAME)
    whole = Window(start=0.0, end=footage.duration)
    return _shot(viewer, chosen, tokens, whole)


def follow(wanted: Grounding, viewer: Viewer, room: int | None, mode: str) -> Shot:
    """The frames of a request: ``crop_fps`` a second (2), an even number, at least 4 where the stretch has them.

    Args:
        wanted: the request.
        viewer: gives the video and the options ``crop_fps``, ``max_frames``, ``dynamic``.
        room: most frames that may be shown, None for no limit.
        mode: officially seconds become frame numbers at the average rate, carefully by the true times.

    Raises:
        InvalidGroundingError: the stretch is not in the video or holds no frames, or no frame may be shown any more.
    """
    footage, options = viewer.footage, viewer.ctx.options
    if room is not None and room < 1:
        raise InvalidGroundingError("no more frames can be shown; answer with what you have seen")
    first, last = crop_frames(wanted.start, wanted.end, footage.fps, footage.total)
    window = Window(start=max(0.0, wanted.start), end=min(wanted.end, footage.duration))
    if mode != "official":
        first, last = _on_screen(footage.times, window, (first, last))
    count = last - first + 1
    if count > 1:
        fps = number(options, "crop_fps", 2.0, least=1e-6, whole=False)
        most = number(options, "max_frames", 768, least=1)
        wished = even_frame_count(count, footage.fps, fps=fps, least=4, most=max(2, most))
        chosen = [first + i for i in spread_round(count, wished)]
    else:
        chosen = [first]
    chosen = chosen if room is None else thinned(chosen, room)
    dynamic = bool(options.get("dynamic", True))
    most_tokens, _ = tokens_per_frame(len(chosen), wanted.sampling_strategy, dynamic=dynamic, mode=mode)
    return _shot(viewer, chosen, most_tokens, window)


def _shot(viewer: Viewer, chosen: Sequence[int], tokens: int, window: Window) -> Shot:
    footage = viewer.footage
    return Shot(
        frames=tuple(chosen),
        rows=rows_for(footage, tokens, viewer.side),
        tokens=tokens,
        start=footage.times[chosen[0]],
        end=footage.times[chosen[-1]],
        fps=len(chosen) / max(window.length, 1 / footage.fps),
        window=window,
    )


def _on_screen(times: Sequence[float], window: Window, default: tuple[int, int]) -> tuple[int, int]:
    """(first, last) number of the frames that start inside a window; the default when none does."""
    inside = [i for i, t in enumerate(times) if window.contains(t, 0.0005)]
    return (inside[0], inside[-1]) if inside else default
