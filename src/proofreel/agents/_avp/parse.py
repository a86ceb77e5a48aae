"""What AVP reads out of replies: JSON, the plan, and times in prose when there is no JSON."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofreel.agents.answers import after_thinking

LEAST_FPS, MOST_FPS = 0.1, 5.0
# Possessive, and anchored at the start of a digit run, so that hostile replies cost linear time.
_FENCES = (re.compile(r"```json[^\S\n]*+\n\s*+"), re.compile(r"```[^\S\n]*+\n\s*+"))
_WITH_UNIT = re.compile(r"(?<!\d)(\d++(?:\.\d*+)?+)\s*+(?:seconds?|secs?|s\b)", re.I)
_AFTER_AT = re.compile(r"at\s++(\d++(?:\.\d*+)?+)", re.I)
_CLOCK = re.compile(r"(?<!\d)(\d++):(\d++)")


def parse_json(text: str) -> Any:
    """The JSON value of a reply, None when there is none.

    The whole text; else the first fence marked ``json``, the first plain fence, or everything from the first
    opening to the last closing brace. So two objects side by side in prose are no JSON.
    """
    candidates = [text]
    for fence in _FENCES:
        opened = fence.search(text)
        if opened and (closed := text.find("\n```", opened.end())) >= 0:
            candidates.append(text[opened.end() : closed])
    if (opening := text.find("{")) >= 0:
        candidates.append(text[opening : text.rfind("}") + 1])
    for candidate in candidates:
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def times_in_text(text: str) -> list[float]:
    """Seconds named in prose, ascending, each once: numbers with a unit, numbers after "at", and M:SS.

    The three are looked for independently. "at 1:30" therefore gives 1 and 90, and "0:05 s" gives 5 once.
    """
    found = {float(m[1]) for pattern in (_WITH_UNIT, _AFTER_AT) for m in pattern.finditer(text)}
    found |= {float(m[1]) * 60 + float(m[2]) for m in _CLOCK.finditer(text)}
    return sorted(t for t in found if math.isfinite(t))


def windows_around(times: list[float], margin: float = 1.0) -> list[tuple[float, float]]:
    """A window of ``margin`` seconds to each side of every time, not before 0: evidence of an unreadable reply."""
    return [(max(0.0, t - margin), t + margin) for t in times]


@dataclass(frozen=True)
class Plan:
    """One observation.

    Attributes:
        load_mode: ``uniform`` (whole video) or ``region``.
        fps: frames a second.
        rate: spatial token rate, ``low`` or ``medium``.
        regions: pairs of seconds, as planned; empty for ``uniform``.
        description: what the observation is for.
        completion_criteria: when the planner will be content.
        parsed: False when the reply was unreadable and this is the fallback.
    """

    load_mode: str = "uniform"
    fps: float = 0.5
    rate: str = "low"
    regions: tuple[tuple[float, float], ...] = ()
    description: str = ""
    completion_criteria: str = ""
    parsed: bool = True


FALLBACK_PLAN = Plan(parsed=False)


def read_plan(text: str, mode: str = "careful") -> Plan:
    """The first step of a planner's reply; ``FALLBACK_PLAN`` (uniform, 0.5 fps, low) when it cannot be read.

    An unknown rate becomes ``low``, malformed regions are dropped. ``careful`` also looks behind the thinking,
    clamps the rate to 0.1-5 fps, drops regions that end before they start, and takes a plan without a usable
    region as uniform.
    """
    careful = mode == "careful"
    found = parse_json(after_thinking(text) if careful else text)
    try:
        step = found["steps"][0]
        if not careful and not {"reasoning", "completion_criteria"} <= found.keys():
            return FALLBACK_PLAN
        load_mode, fps, rate = str(step["load_mode"]), float(step["fps"]), _rate(step["spatial_token_rate"])
        regions = tuple(r for raw in step.get("regions") or () if (r := _region(raw)))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return FALLBACK_PLAN
    if careful:
        if not math.isfinite(fps):
            return FALLBACK_PLAN
        fps = min(max(fps, LEAST_FPS), MOST_FPS)
        regions = tuple((s, e) for s, e in regions if math.isfinite(s) and math.isfinite(e) and s < e)
        load_mode = "region" if load_mode.strip().lower() == "region" and regions else "uniform"
        regions = regions if load_mode == "region" else ()
    return Plan(
        load_mode, fps, rate, regions, _text(step, "description"), _text(found, "completion_criteria")
    )


def _rate(value: object) -> str:
    rate = str(value).strip().lower()
    return rate if rate in ("low", "medium") else "low"


def _region(value: Any) -> tuple[float, float] | None:
    """A pair of numbers; a pair of texts is malformed, as the published reader has it."""
    if not isinstance(value, list) or len(value) != 2 or all(isinstance(v, str) for v in value):
        return None
    try:
        return float(value[0]), float(value[1])
    except (TypeError, ValueError):
        return None


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key, "")
    return value if isinstance(value, str) else ""
