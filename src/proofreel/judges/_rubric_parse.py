"""From the text of a judge's reply to checked scores; what cannot be used is said in words the judge can act on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.judges._ask import Untidy
from proofreel.judges.letters import parse_judge_json
from proofreel.judges.rubric_scores import (
    AXES,
    MAX_TAGS,
    TAGS,
    WEIGHTS,
    InvalidVerdict,
    careful_process,
    official_process,
)

_WORDS = {
    "no_json_object": "it holds no JSON object",
    "json_parse_error": "its JSON cannot be parsed",
    "process_scores_missing": "process_scores is missing or no object",
}


@dataclass(frozen=True)
class Scores:
    """A reply that can be used; ``labels`` are (milestone id, status, evidence)."""

    scores: dict[str, float | None]
    traj: float | None
    mc_rate: float | None
    labels: tuple[tuple[str, str, str], ...]
    failure_tags: tuple[str, ...]
    rationales: dict[str, str]
    summary: str
    notes: tuple[str, ...] = ()


def read_careful(reply: str, milestone_ids: Sequence[str], sweep: str) -> Scores:
    """Checked scores of a reply.

    Raises:
        InvalidVerdict: not usable.
        Untidy: usable, but ids or labels of the coverage are not as asked; absent ones count as missing.
    """
    parsed = _parsed(reply)
    try:
        found = careful_process(parsed, milestone_ids, sweep)
    except InvalidVerdict as invalid:
        raise InvalidVerdict(_in_words(str(invalid), sweep)) from None
    given = parsed.get("milestone_coverage")
    evidence = _evidence(given)
    pairs = zip(milestone_ids, found["statuses"], strict=True)
    labels = tuple((i, status, evidence.get(i, "")) for i, status in pairs)
    scores = _scores(found, labels, parsed, notes=_notes(parsed, sweep, found["failure_tags"]))
    if fault := _coverage_fault(given, milestone_ids):
        raise Untidy(fault, scores)
    return scores


def read_official(reply: str) -> Scores:
    """The published reading: no range check, the judge's own list of milestones.

    Raises:
        InvalidVerdict: no JSON object, or values that the published code could not add up.
    """
    parsed = _parsed(reply)
    try:
        found = official_process(parsed)
        entries = parsed.get("milestone_coverage") or []
        ids = [str(e.get("milestone_id", "")) for e in entries]
        evidence = [str(e.get("evidence_in_prediction") or "") for e in entries]
        labels = tuple(zip(ids, found["statuses"], evidence, strict=True))
        return _scores(found, labels, parsed)
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidVerdict(f"parse: {error}") from None


def _parsed(reply: str) -> dict[str, Any]:
    parsed, fault = parse_judge_json(reply)
    if parsed is None:
        raise InvalidVerdict(_WORDS.get(str(fault), str(fault)))
    return parsed


def _scores(
    found: Mapping[str, Any],
    labels: tuple[tuple[str, str, str], ...],
    parsed: Mapping[str, Any],
    notes: tuple[str, ...] = (),
) -> Scores:
    said = parsed.get("axis_rationales")
    rationales = {a: str(said[a]) for a in AXES if said.get(a)} if isinstance(said, Mapping) else {}
    return Scores(
        scores={axis: None if s is None else float(s) for axis, s in found["scores"].items()},
        traj=found["traj"],
        mc_rate=found["mc_rate"],
        labels=labels,
        failure_tags=tuple(str(t) for t in found["failure_tags"]),
        rationales=rationales,
        summary=str(parsed.get("summary") or ""),
        notes=notes,
    )


def _in_words(code: str, sweep: str) -> str:
    axis = code.partition("_")[0]
    if axis not in AXES:
        return _WORDS.get(code, code)
    why = " (SWEEP_REQUIRED is yes, so it may not be null)" if axis == "P4" and sweep == "yes" else ""
    return f"process_scores.{AXES[axis]} must be 0, 1 or 2{why}"


def _coverage_fault(given: object, milestone_ids: Sequence[str]) -> str:
    if not isinstance(given, list):
        return "milestone_coverage is no list"
    ids = [str(e.get("milestone_id", "")).strip() if isinstance(e, Mapping) else "" for e in given]
    if ids != list(milestone_ids):
        return f"milestone_coverage must have the ids {', '.join(milestone_ids) or '(none)'} in this order"
    for entry in given:
        if str(entry.get("status", "")).strip().lower() not in WEIGHTS:
            return f"the status of {entry.get('milestone_id')} must be one of {', '.join(WEIGHTS)}"
    return ""


def _evidence(given: object) -> dict[str, str]:
    entries = [e for e in given if isinstance(e, Mapping)] if isinstance(given, list) else []
    found: dict[str, str] = {}
    for e in entries:
        found.setdefault(str(e.get("milestone_id", "")).strip(), str(e.get("evidence_in_prediction") or ""))
    return found


def _notes(parsed: Mapping[str, Any], sweep: str, kept: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if sweep == "no" and (parsed.get("process_scores") or {}).get(AXES["P4"]) is not None:
        notes.append("P4 was scored although no sweep is required; left out")
    tags = parsed.get("failure_tags")
    named = [t for t in tags if isinstance(t, str)] if isinstance(tags, list) else []
    if unknown := [t for t in named if t not in TAGS]:
        notes.append(f"unknown failure tags left out: {', '.join(unknown)}")
    if len(kept) == MAX_TAGS and len(set(named) & TAGS) > MAX_TAGS:
        notes.append(f"more than {MAX_TAGS} failure tags; the first ones are kept")
    return tuple(notes)
