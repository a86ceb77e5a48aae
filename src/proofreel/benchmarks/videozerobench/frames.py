"""Which frames are shown: the paper's rate with a cap, or the published code's fixed number, key frames kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofreel.benchmarks.videozerobench.modes import DEFAULT_CAP
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.video import _rules


@dataclass(frozen=True)
class Preset:
    """A published setting: number of frames, their height in pixels, the vision patch, thinking asked for or not."""

    frames: int
    height: int
    patch: int
    thinking: bool = False


PRESETS = {
    "384x128": Preset(384, 128, 16),
    "96x256": Preset(96, 256, 16),
    "96x280": Preset(96, 280, 14),
    "96x280-think": Preset(96, 280, 14, thinking=True),
}


def sample_uniform_indices(total_frames: int, nframe: int) -> list[int]:
    """``nframe`` of ``total_frames`` frame numbers, both ends included; all when there are no more.

    Raises:
        BadRequest: there are no frames.
    """
    return [int(i) for i in _rules.uniform_ends(total_frames, nframe)]


def times_to_frame_indices(times: Iterable[float | None], fps: float, total_frames: int) -> list[int]:
    """Frame numbers of key times at a constant rate, first seen first, none twice."""
    return _rules.times_to_frame_numbers(times, fps, total_frames)


def downsample_preserve_priority(indices: Sequence[int], priority: Iterable[int], max_cap: int) -> list[int]:
    """At most ``max_cap`` of sorted frame numbers, the priority ones kept first."""
    return _rules.keep_priority(indices, priority, max_cap)


def resize_target_size(
    height: int, width: int, out_h: int, patch: int, mode: Mode = "careful"
) -> tuple[int, int]:
    """(height, width) of the frames shown: ``out_h``, and the width in proportion floored to two patches.

    Raises:
        ValueError: officially, when a very tall picture comes out with no width; carefully it keeps two patches.
    """
    if mode == "official" and out_h > 0 and round(width * out_h / height) < 2 * patch:
        raise ValueError(f"a {width}x{height} picture has no width left at height {out_h}")
    return _rules.fit_height(height, width, out_h, 2 * patch)


def fps_cap_times(duration: float, cap: int = DEFAULT_CAP, fps: float = 1.0) -> list[float]:
    """Seconds 0, 1/fps, 2/fps, ... before the end; above the cap an even choice of them, both ends included.

    Raises:
        ValueError: the duration, the rate or the cap is not positive.
    """
    if not duration > 0 or not fps > 0 or cap < 1:
        raise ValueError(f"duration, fps and cap must be > 0, got {duration}, {fps}, {cap}")
    count = int(duration * fps) + 1
    times = [i / fps for i in range(count) if i / fps < duration]
    return times if len(times) <= cap else [times[i] for i in sample_uniform_indices(len(times), cap)]


def with_key_frames(sampled: Iterable[int], key: Iterable[int], max_cap: int) -> tuple[list[int], list[int]]:
    """Level 5: (frames shown, key frames lost); some are lost only when they alone exceed the cap."""
    wanted = set(key)
    shown = downsample_preserve_priority(sorted(wanted | set(sampled)), wanted, max_cap)
    return shown, sorted(wanted - set(shown))
