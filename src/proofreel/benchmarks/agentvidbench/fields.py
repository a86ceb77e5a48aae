"""Small fields of the dataset and the question list, in both modes (protocol sections 1 and 4)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Mode = Literal["official", "careful"]

_CLOCK = re.compile(r"\d+(:\d+){0,2}(\.\d+)?")


def parse_duration(value: object, mode: Mode = "careful") -> float:
    """Seconds of a metadata duration such as ``2:26``, ``~17:00``, ``1:23:45``; 0.0 when it tells none.

    Numbers pass through. Officially fractions of a second give 0 and negative parts are added up; carefully
    fractions are kept and anything negative gives 0. A 0 means unknown: no run may use it as a length.
    """
    if isinstance(value, bool) or value is None:
        return 0.0
    if isinstance(value, int | float):
        return float(value) if mode == "official" or value > 0 else 0.0
    text = str(value).strip().lstrip("~").strip()
    if mode == "careful":
        if not _CLOCK.fullmatch(text.lstrip("+")):
            return 0.0
        parts = [float(p) for p in text.lstrip("+").split(":")]
    else:
        try:
            parts = [float(int(p)) for p in text.split(":")]
        except ValueError:
            return 0.0
        if len(parts) > 3:
            return 0.0
    total = 0.0
    for part in parts:
        total = total * 60 + part
    return total


def options_to_letters(options: Sequence[str], mode: Mode = "careful") -> list[dict[str, str]]:
    """Options with their letters.

    Raises:
        ValueError: carefully, more than 26 options; officially the letters run on past Z.
    """
    if mode == "careful" and len(options) > 26:
        raise ValueError(f"too_many_options: {len(options)} options, letters end at Z")
    return [{"letter": chr(65 + i), "text": text} for i, text in enumerate(options)]


def sweep_required(question: Mapping[str, Any]) -> str:
    """``yes`` or ``no`` from the boolean ``ecom_required``, ``unknown`` for anything else."""
    flag = question.get("ecom_required")
    return ("yes" if flag else "no") if isinstance(flag, bool) else "unknown"


def parse_qid_spec(spec: str | None, available: Iterable[int]) -> list[int] | None:
    """Question ids of a list such as ``1,5,10-20``; None means all. Ids that are not there are left out.

    Raises:
        ValueError: a part is neither a number nor a range.
    """
    if not spec or not spec.strip():
        return None
    known, wanted = set(available), set[int]()
    for part in spec.split(","):
        first, dash, last = part.strip().partition("-")
        wanted |= set(range(int(first), int(last) + 1)) if dash else {int(first)}
    return sorted(wanted & known)


def trajectory_metrics(steps: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Counts over the phases of a normalised trajectory (protocol section 4.3)."""
    phases = [s.get("phase") for s in steps]
    texts = [
        (s.get("data") or {}).get("result_text" if s.get("phase") == "tool_result" else "reasoning")
        for s in steps
        if s.get("phase") in ("tool_result", "observe")
    ]
    plans, observes, calls = (phases.count(p) for p in ("plan", "observe", "tool_call"))
    return {
        "n_steps": len(phases),
        "n_tool_calls": calls,
        "n_observe": observes,
        "n_plans": plans,
        "n_reflects": phases.count("reflect"),
        "n_rounds": max(plans, observes, calls),
        "n_replans": max(0, plans - 1),
        "total_observation_chars": sum(len(t) for t in texts if isinstance(t, str)),
    }
