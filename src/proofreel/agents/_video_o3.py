"""The pure parts of Video-o3: replies, crop requests, token quotas. Protocol: agents, section 8."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

STRATEGIES = ("coarse", "medium", "fine")
CROP_QUOTAS: Mapping[str, int] = MappingProxyType({"coarse": 2048, "medium": 4096, "fine": 6144})
MOST_TOKENS_PER_FRAME = 768
LEAST_CROP_TOKENS = 512
MAX_TURNS = 8
_END = re.compile(r"</(?:grounding|answer)>")


class InvalidGroundingError(ValueError):
    """A crop request that cannot be followed; the message goes back to the model."""


@dataclass(frozen=True)
class Grounding:
    """A crop asked for: ``start`` and ``end`` in seconds, and how densely to sample it."""

    start: float
    end: float
    sampling_strategy: str


def read_grounding(text: str, mode: str = "careful") -> Grounding:
    """The crop request in the last ``<grounding>`` block, as the evaluation reads it.

    JSON from the first opening to the last closing brace, single quotes tolerated, with ``temporal_segment``
    (two numbers, as texts too) and ``sampling_strategy`` (any value, as text). Times are not checked against
    the video, see ``crop_frames``. ``careful`` refuses times that are not finite.

    Raises:
        InvalidGroundingError: no complete block, no such JSON, or a part is missing.
    """
    segment, strategy = _request(text, braces_needed=True)
    try:
        start, end = float(segment[0]), float(segment[1])
    except (TypeError, ValueError, OverflowError):
        raise InvalidGroundingError(f"temporal_segment must hold two numbers, got {segment!r:.80}") from None
    if mode == "careful" and not (math.isfinite(start) and math.isfinite(end)):
        raise InvalidGroundingError(f"temporal_segment must hold two finite numbers, got {segment!r:.80}")
    return Grounding(start, end, str(strategy))


def read_grounding_strict(text: str, video_length: float) -> Grounding:
    """The crop request as training checks it: real numbers, a known strategy, at least one second.

    Times are clamped to ``[0, video_length]`` (seconds) first.

    Raises:
        InvalidGroundingError: as ``read_grounding``, or one of these checks fails.
    """
    segment, strategy = _request(text, braces_needed=False)
    if not all(isinstance(t, int | float) for t in segment):
        raise InvalidGroundingError(f"temporal_segment must hold two numbers, got {segment!r:.80}")
    if not (isinstance(strategy, str) and strategy in STRATEGIES):
        raise InvalidGroundingError(f"sampling_strategy must be one of {', '.join(STRATEGIES)}")
    start, end = max(segment[0], 0.0), min(segment[1], video_length)
    if not start <= end - 1:
        raise InvalidGroundingError(
            f"temporal_segment must span at least 1 s inside the video, got {segment!r:.80}"
        )
    return Grounding(start, end, strategy)


def _request(text: str, *, braces_needed: bool) -> tuple[list[Any], Any]:
    inner = _last_block(text)
    if inner is None:
        raise InvalidGroundingError("no complete <grounding> block in the reply")
    opening, closing = inner.find("{"), inner.rfind("}")
    if 0 <= opening < closing:
        inner = inner[opening : closing + 1]
    elif braces_needed:
        raise InvalidGroundingError("the <grounding> block holds no JSON object")
    found = _loads(inner)
    if not isinstance(found, dict):
        raise InvalidGroundingError("the <grounding> block is not a JSON object")
    for key in ("temporal_segment", "sampling_strategy"):
        if key not in found:
            raise InvalidGroundingError(f"the <grounding> block has no {key}")
    segment = found["temporal_segment"]
    if not isinstance(segment, list) or len(segment) != 2:
        raise InvalidGroundingError(f"temporal_segment must be [start, end], got {segment!r:.80}")
    return segment, found["sampling_strategy"]


def _last_block(text: str) -> str | None:
    """The inside of the last complete block; a block reaches from an opening tag to the next closing one."""
    inner = None
    while True:
        _, opened, rest = text.partition("<grounding>")
        block, closed, text = rest.partition("</grounding>")
        if not (opened and closed):
            return inner
        inner = block.strip()


def _loads(inner: str) -> Any:
    for candidate in (inner, inner.replace("'", '"')):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def cut_reply(text: str) -> str:
    """The reply up to and with its first ``</grounding>`` or ``</answer>``: nothing after it is read."""
    end = _END.search(text)
    return text[: end.end()] if end else text


def answer_text(text: str) -> str | None:
    """What stands between the first ``<answer>`` and the first ``</answer>`` after it, None without the pair.

    An answer counts even where a grounding block stands beside it.
    """
    _, opened, rest = text.partition("<answer>")
    inner, closed, _ = rest.partition("</answer>")
    return inner.strip() if opened and closed else None


def tokens_per_frame(
    frames: int, sampling_strategy: str, *, dynamic: bool = True, mode: str = "careful"
) -> tuple[int, int]:
    """(most, least) visual tokens of a frame in a crop; two frames make one pair, the quota is shared by pairs.

    The quota is 2048, 4096 or 6144 tokens for coarse, medium and fine, medium for anything else; at most 768 a
    frame, at least 512 over all pairs. A token is a square of 28 pixels (32 for models with patch 16).

    Args:
        frames: frames of the crop; an odd last one counts for nothing.
        sampling_strategy: of the request.
        dynamic: False gives every crop the medium quota.
        mode: ``careful`` counts a single frame as a pair, ``official`` has no quota for it.

    Raises:
        InvalidGroundingError: the crop holds no frames (or no pair, in ``official`` mode).
    """
    pairs = max(frames // 2, 1) if mode == "careful" and frames > 0 else frames // 2
    if pairs < 1:
        raise InvalidGroundingError(f"the segment holds {max(frames, 0)} frames; ask for a longer one")
    quota = CROP_QUOTAS.get(sampling_strategy if dynamic else "medium", CROP_QUOTAS["medium"])
    return min(quota // pairs, MOST_TOKENS_PER_FRAME), LEAST_CROP_TOKENS // pairs


def crop_frames(start: float, end: float, fps: float, total_frames: int) -> tuple[int, int]:
    """(first, last) frame number of a crop, both included: ``ceil(start * fps)`` to ``floor(end * fps)``.

    Args:
        start: seconds; before 0 counts as 0.
        end: seconds; clamped to the video.
        fps: frame rate of the video, > 0.
        total_frames: frames in it.

    Raises:
        InvalidGroundingError: the start is not before the end of the video, the end not after the start, or no
            frame lies between them.
    """
    duration = total_frames / fps
    if not start < duration:
        raise InvalidGroundingError(f"the segment starts at {start:g} s, the video ends at {duration:g} s")
    if not end > start:
        raise InvalidGroundingError(f"the segment must end after its start, got {start:g} to {end:g} s")
    first = math.ceil(max(0.0, start) * fps)
    last = min(math.floor(min(end, duration) * fps), total_frames - 1)
    if first > last:
        raise InvalidGroundingError(
            f"no frame lies between {start:g} and {end:g} s; ask for a longer segment"
        )
    return first, last
