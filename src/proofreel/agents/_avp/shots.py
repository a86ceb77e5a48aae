"""From AVP's plan to what the observer is shown: one clip a region, within the frames a call may show."""

import math
from dataclasses import dataclass, replace
from typing import Any

from proofreel.agents._avp.intervals import (
    FRAME_CAPS,
    WIDE_FRAME_CAPS,
    clamp_fps,
    clip_regions,
    effective_load_mode,
)
from proofreel.agents._avp.parse import FALLBACK_PLAN, Plan
from proofreel.tools._controls import Controls

HEIGHTS = {"low": 240, "medium": 480}
"""Rows of a picture by spatial token rate, for observers that get pictures and not video."""
FRAME_PRESETS = {"usual": FRAME_CAPS, "wide": WIDE_FRAME_CAPS}
Region = tuple[float, float]


@dataclass(frozen=True)
class Shots:
    """What one observation shows.

    Attributes:
        refs: one reference a region.
        regions: what they show, in seconds; empty for the whole video.
        fps: frames a second after the caps.
        frames: pictures in all.
        note: what was thinned, empty when nothing was.
    """

    refs: tuple[Any, ...]
    regions: tuple[Region, ...]
    fps: float
    frames: int
    note: str = ""


def fixed_plan(plan: Plan, controls: Controls) -> Plan:
    """The plan with what a run fixes in place of what the planner chose (ablations)."""
    plan = replace(plan, fps=controls.fps or plan.fps, rate=controls.resolution or plan.rate)
    return replace(plan, load_mode="uniform", regions=()) if controls.full else plan


def spans_of(plan: Plan, duration: float, mode: str = "careful") -> tuple[Region, ...]:
    """The stretches a plan shows, inside the video; empty for the whole of it, also when no region is left.

    Officially regions that reach from the beginning to the end are the whole video; in careful mode only when it is
    one region, since several have holes that were left out on purpose.
    """
    regions = clip_regions(plan.regions, duration) if plan.load_mode == "region" else []
    if not regions:
        return ()
    start, end = min(s for s, _ in regions), max(e for _, e in regions)
    whole = effective_load_mode("region", start, end, duration) == "uniform"
    return () if whole and (mode == "official" or len(regions) == 1) else tuple(regions)


def allot(wanted: list[int], most: int | None) -> list[int]:
    """Frames a clip, at most ``most`` in all, at least one each: the clips with most frames give first."""
    parts = list(wanted)
    while most is not None and sum(parts) > most and max(parts) > 1:
        parts[parts.index(max(parts))] -= 1
    return parts


def shots_of(
    plan: Plan,
    path: str,
    duration: float,
    *,
    mode: str = "careful",
    as_video: bool,
    max_images: int | None,
    frames_left: int | None,
    heights: dict[str, int] | None = None,
    caps: str = "usual",
    sha256: str | None = None,
) -> Shots:
    """References for a plan.

    The rate is lowered to the frame cap of the spatial token rate (all clips of the call together), and what the
    observer's card and the frame budget allow thins it further, which the note says.

    Args:
        plan: the look.
        path: the video.
        duration: its seconds.
        mode: see ``spans_of``.
        as_video: the observer takes true video.
        max_images: most pictures in a request, for observers that get pictures.
        frames_left: frames the budget leaves.
        heights: rows of a picture by rate, over ``HEIGHTS``.
        caps: name of the preset of frame caps, see ``FRAME_PRESETS``.
        sha256: hash of the file; worked out when not given.

    Raises:
        VideoError: the file cannot be read.
    """
    from proofreel.video import ClipRef, FramesRef, Rate, file_hash

    spans = spans_of(plan, duration, mode)
    shown = spans or ((0.0, duration),)
    length = sum(e - s for s, e in shown)
    # An official plan may name any rate; one that is no rate is the fallback's.
    wished = plan.fps if math.isfinite(plan.fps) and plan.fps > 0 else FALLBACK_PLAN.fps
    cap = FRAME_PRESETS[caps][plan.rate]
    fps = clamp_fps(wished, length, cap)
    bounds = [b for b in (frames_left, None if as_video else max_images) if b is not None]
    most = min([cap, *bounds])
    wanted = [max(1, math.ceil((e - s) * fps - 1e-6)) for s, e in shown]
    parts = allot(wanted, most)
    if sum(parts) > most:  # not even one frame for each
        shown, parts, wanted = shown[:most], parts[:most], wanted[:most]
        spans = shown
    note = ""
    if bounds and sum(parts) < sum(wanted) and min(bounds) <= most:
        note = f"thinned to {sum(parts)} of {sum(wanted)} frames"
    height = {**HEIGHTS, **(heights or {})}[plan.rate]
    refs: list[Any] = []
    sha = sha256 or file_hash(path)
    for (start, end), count, asked in zip(shown, parts, wanted, strict=True):
        if as_video:
            rate = fps if count == asked else count / (end - start)
            refs.append(
                ClipRef(video=path, sha256=sha, start=start, end=end, fps=rate, media_resolution=plan.rate)
            )
        else:
            times = Rate(fps, start=start, end=end, cap=count).to_dict()
            refs.append(FramesRef(video=path, sha256=sha, plan=times, height=height))
    return Shots(tuple(refs), spans, fps, sum(parts), note)
