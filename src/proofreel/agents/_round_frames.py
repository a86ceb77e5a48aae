"""Which frames a round of watching shows, and how many a frame budget leaves for each."""

from typing import Any

from proofreel.agents._footage import Footage, thinned
from proofreel.agents._spread import SamplingError, spread_round
from proofreel.agents._videochat import key_frame_sampling, round_frames, tidy_hint
from proofreel.core.errors import UserError


def choose_frames(footage: Footage, hint: Any, frames: int, key_ratio: float, mode: str) -> list[int]:
    """Frame numbers of a round.

    Officially seconds become frame numbers at the average rate and what the sampler cannot use gives uniform frames.
    Carefully the true times decide (also where the rate varies), and never more than ``frames`` come out.
    """
    total = footage.total
    if mode == "official":
        chosen = round_frames(hint, total, frames, footage.fps, mode="official", key_ratio=key_ratio)
        # Negative starts give negative numbers, which no reader takes: the published answer to that is uniform.
        return chosen if chosen and chosen[0] >= 0 else spread_round(total, frames)
    windows = tidy_hint(hint, footage.duration)
    if windows:
        spans = [footage.span(w) for w in windows]
        try:
            return thinned(key_frame_sampling(spans, total, frames, key_ratio, 1.0), frames)
        except SamplingError:  # key_ratio 0 with the whole video named: nothing has any weight
            pass
    return sorted(set(spread_round(total, frames)))


def frames_a_round(wanted: int, rounds: int, left: int | None, agent: str) -> int:
    """Frames of each round when the budget leaves so many for all: the same in every round, none goes without.

    Raises:
        UserError: not even one frame a round is left.
    """
    if left is None or wanted * rounds <= left:
        return wanted
    if left < rounds:
        raise UserError(
            f"{agent} would show {rounds} rounds of frames, the budget leaves {left} frames; allow at least {rounds}"
        )
    return left // rounds
