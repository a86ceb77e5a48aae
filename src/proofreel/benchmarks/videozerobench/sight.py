"""What a call shows: frames, or the video itself with its key frames, decoded so that size and number are known."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from proofreel.benchmarks.videozerobench.frames import fps_cap_times
from proofreel.benchmarks.videozerobench.levels import Shown
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.models.estimate import Facts, facts_of
from proofreel.video import (
    At,
    ClipRef,
    FramesRef,
    Plan,
    Uniform,
    WithKeyFrames,
    cache_dir,
    expand_frames,
    file_hash,
    transcode_under,
)

KEY_ROWS = 720
"""Most rows of the key frames that go with a video, when no height is asked for."""


@dataclass(frozen=True)
class Sight:
    """What goes into a request.

    Attributes:
        refs: references, in order.
        shown: what the words say of it.
        frames: how many pictures, for the budget (a video counts a frame a second).
        lost: key times whose frame did not fit under the cap.
        flagged: frames that are not exactly the ones asked for (past the end, damaged).
    """

    refs: tuple[FramesRef | ClipRef, ...]
    shown: Shown
    frames: int = 0
    lost: tuple[float, ...] = ()
    flagged: int = 0


def look(
    video: str, settings: ExamSettings, key_times: Sequence[float] = (), duration: float | None = None
) -> Sight:
    """Decodes what a call shows; blocking, run it in a thread.

    Args:
        video: the file.
        settings: of the exam.
        key_times: seconds of the key frames, for level 5.
        duration: seconds to tell; the file's own by default.

    Raises:
        VideoError: the file cannot be read, or not be brought under the size limit.
    """
    facts = facts_of(video)
    told = duration or facts.duration
    if settings.media == "none":
        return Sight((), Shown(told, 0, (facts.height, facts.width), settings.box_mode))
    if settings.media == "video":
        return _whole(video, settings, key_times, facts, told)
    plan: Plan
    if settings.sampling == "uniform_n":
        plan = Uniform(settings.max_frames)
    else:
        plan = At(fps_cap_times(facts.duration, settings.max_frames, settings.fps))
    if key_times:
        plan = WithKeyFrames(plan, tuple(max(t, 0.0) for t in key_times), settings.max_frames)
    ref = _frames(video, plan, settings, settings.height or None)
    pictures = expand_frames(ref)
    return Sight(
        refs=(ref,),
        shown=Shown(told, len(pictures), (pictures.height, pictures.width), settings.box_mode),
        frames=len(pictures),
        lost=_lost(video, settings, key_times, pictures.indices),
        flagged=sum(f != 0 for f in pictures.flags),
    )


def _frames(video: str, plan: Plan, settings: ExamSettings, height: int | None) -> FramesRef:
    return FramesRef.of(
        video, plan, height=height, width_multiple=2 * settings.patch, quality=settings.quality
    )


def _lost(
    video: str, settings: ExamSettings, times: Sequence[float], shown: Sequence[int]
) -> tuple[float, ...]:
    """Key times without their frame; only more key frames than the cap can lose some."""
    if len(times) <= settings.max_frames:
        return ()
    wanted = expand_frames(
        _frames(video, At([max(t, 0.0) for t in times]), settings, settings.height or None)
    )
    there = set(shown)
    return tuple(t for t, index in zip(times, wanted.indices, strict=True) if index not in there)


def _whole(video: str, settings: ExamSettings, times: Sequence[float], facts: Facts, told: float) -> Sight:
    path = under(video, settings.max_bytes)
    refs: list[FramesRef | ClipRef] = [ClipRef.of(path, 0.0, facts.duration, fps=settings.fps)]
    size, flagged = (facts.height, facts.width), 0
    if times:
        height = min(facts.height, KEY_ROWS) if settings.height is None else settings.height
        ref = _frames(video, At(sorted({max(t, 0.0) for t in times})), settings, height or None)
        pictures = expand_frames(ref)
        size, flagged = (pictures.height, pictures.width), sum(f != 0 for f in pictures.flags)
        refs.append(ref)
    shown = Shown(told, None, size, settings.box_mode)
    return Sight(
        tuple(refs), shown, max(1, round(facts.duration * settings.fps)) + len(times), flagged=flagged
    )


def under(video: str, max_bytes: int) -> str:
    """The file itself, or a transcoded copy in the cache of at most ``max_bytes``; made once for all processes.

    Raises:
        VideoError: it cannot be read, or does not fit even with few rows.
    """
    if Path(video).stat().st_size <= max_bytes:
        return video
    folder = cache_dir() / "videozerobench" / "whole"
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{file_hash(video)[:32]}-{max_bytes}.mp4"
    with FileLock(f"{copy}.lock"):
        if not copy.is_file():
            data = transcode_under(video, max_bytes)
            handle, partial = tempfile.mkstemp(dir=folder, prefix=copy.name)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(partial).replace(copy)
    return str(copy)
