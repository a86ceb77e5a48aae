"""Frames from the moments a trajectory cites, so that a judge can check what is claimed about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from proofreel.core import Trajectory, Window
from proofreel.video import At, FramesRef, VideoError

MOST_FRAMES = 16
EACH = 4
HEIGHT = 384


@dataclass(frozen=True)
class CitedFrames:
    """The reference to show, None when nothing can be shown; ``notes`` say why."""

    windows: tuple[Window, ...]
    ref: FramesRef | None
    notes: tuple[str, ...] = ()


def cited_windows(trajectory: Trajectory) -> tuple[Window, ...]:
    """Every window cited with the answer, then those cited by tools along the way; each once, in order."""
    evidence = [*trajectory.answer.evidence]
    evidence += [e for s in trajectory.steps for o in s.observations for e in o.evidence]
    return tuple(dict.fromkeys(e.window for e in evidence if e.window is not None))


def window_times(windows: Sequence[Window], most: int = MOST_FRAMES, each: int = EACH) -> tuple[float, ...]:
    """Times inside windows: the centres of ``each`` equal parts, fewer when there are many windows; ascending."""
    used = list(windows[:most])
    if not used:
        return ()
    n = max(1, min(each, most // len(used)))
    return tuple(sorted({w.start + w.length * (k + 0.5) / n for w in used for k in range(n)}))


async def cited_frames(trajectory: Trajectory, video: str) -> CitedFrames:
    """The frames of the cited windows by reference; pixels are read when the judge is asked.

    A video that cannot be read, or a trajectory that cites nothing, gives no frames and a note.
    """
    import anyio.to_thread

    windows = cited_windows(trajectory)[:MOST_FRAMES]
    if not windows:
        return CitedFrames((), None, ("no frames shown: the trajectory cites no moment",))
    try:
        ref = await anyio.to_thread.run_sync(
            lambda: FramesRef.of(video, At(window_times(windows)), height=HEIGHT)
        )
    except VideoError as error:
        return CitedFrames((), None, (f"no frames shown: {error}",))
    return CitedFrames(windows, ref)
