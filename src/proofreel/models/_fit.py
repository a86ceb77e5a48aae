"""Taking frames away evenly."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from proofreel.video import FramesRef
from proofreel.video.sample import At, Numbered, Plan, Rate, Uniform, WithKeyFrames


def shares(counts: Sequence[int], room: int) -> list[int] | None:
    """Splits ``room`` frames over references in proportion to their counts, at least one each; zeros stay zero.

    None when there is not even one frame for each.
    """
    total, needed = sum(counts), sum(c > 0 for c in counts)
    if room < needed:
        return None
    if total <= room:
        return list(counts)
    parts = [max(1, math.floor(c * room / total)) if c else 0 for c in counts]
    while sum(parts) > room:
        parts[parts.index(max(parts))] -= 1
    return parts


def fewer_frames(ref: FramesRef, n: int) -> FramesRef:
    """The same reference with at most ``n`` frames, spread as evenly as its plan was."""
    return ref.model_copy(update={"plan": _thinner(ref.sampling, n).to_dict()})


def _thinner(plan: Plan, n: int) -> Plan:
    match plan:
        case Uniform():
            return dataclasses.replace(plan, n=min(plan.n, n))
        case Rate() | WithKeyFrames():
            return dataclasses.replace(plan, cap=n if plan.cap is None else min(plan.cap, n))
        case At(times=times):
            return At(times[i] for i in _spread(len(times), n))
        case Numbered(indices=indices):
            return Numbered(indices[i] for i in _spread(len(indices), n))
    raise TypeError(f"cannot thin a plan of type {type(plan).__name__}")


def _spread(total: int, n: int) -> list[int]:
    """``n`` of ``total`` positions, both ends included."""
    if n >= total:
        return list(range(total))
    if n == 1:
        return [0]
    return [round(i * (total - 1) / (n - 1)) for i in range(n)]
