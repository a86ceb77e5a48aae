"""From a judge's JSON to axis scores, Traj, MC-Rate, labels and tags, in both modes.

Source: AgentVidBench protocol, sections 2 and 5; bit-exact rules in the conformance vectors.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Mode = Literal["official", "careful"]

AXES = {
    "P1": "task_understanding",
    "P2": "gt_evidence_coverage",
    "P3": "evidence_grounding",
    "P4": "evidence_completeness",
    "P5": "reasoning_faithfulness",
}
ABBREVIATIONS = {"P1": "TU", "P2": "ECov", "P3": "EG", "P4": "ECom", "P5": "RF"}
"""What reports call the axes."""
WEIGHTS = {"covered": 1.0, "partial": 0.5, "incorrect": 0.0, "missing": 0.0}
TAG_LIST = tuple(
    "misunderstood_condition wrong_target_entity visual_misrecognition ocr_error audio_transcript_error "
    "unsupported_observation counting_error duplicate_counting excluded_item_counted wrong_arithmetic "
    "wrong_option_mapping wrong_temporal_segment missed_required_segment insufficient_full_video_scan "
    "spatial_relation_error premature_fixation failure_to_expand_search failure_to_adjust_granularity "
    "evidence_answer_conflict premature_answer overconfident_uncertainty".split()
)
TAGS = frozenset(TAG_LIST)
MAX_TAGS = 8


class InvalidVerdict(ValueError):  # noqa: N818 - it is a verdict, and the text is the reason for asking again
    """The judge's reply breaks the schema: ask again, with this reason."""


def traj_score(scores: Mapping[str, float | None]) -> float | None:
    """Half the mean of the applicable axis scores, in [0, 1]; None when no axis applies."""
    applicable = [s for s in scores.values() if s is not None]
    return sum(applicable) / len(applicable) / 2 if applicable else None


def official_process(judge: Mapping[str, Any]) -> dict[str, Any]:
    """The published behaviour: no range check, the judge's own list is the denominator.

    Raises:
        AttributeError: coverage entries that are no objects, as the published code does.
    """
    given = judge.get("process_scores") or {}
    scores = {axis: given.get(name) for axis, name in AXES.items()}
    labels = [str(entry.get("status", "")).lower() for entry in judge.get("milestone_coverage") or []]
    return {
        "scores": scores,
        "traj": traj_score(scores),
        "mc_rate": sum(WEIGHTS.get(s, 0.0) for s in labels) / len(labels) if labels else None,
        "statuses": labels,
        "failure_tags": list(judge.get("failure_tags") or []),
    }


def _score(given: Mapping[str, Any], axis: str) -> int:
    value = given.get(AXES[axis])
    if isinstance(value, bool) or not isinstance(value, int) or value not in (0, 1, 2):
        raise InvalidVerdict(f"{axis}_not_0_1_2")
    return value


def _completeness(given: Mapping[str, Any], sweep: str) -> int | None:
    """P4: never for an anchored question, always for a sweep, the judge's choice when unknown."""
    if sweep == "no" or (sweep != "yes" and given.get(AXES["P4"]) is None):
        return None
    return _score(given, "P4")


def _aligned(coverage: object, milestone_ids: Sequence[str]) -> list[str]:
    """The first valid label of each reference milestone, in reference order; absent ones are missing."""
    labels: dict[str, str] = {}
    for entry in coverage if isinstance(coverage, list) else []:
        if isinstance(entry, Mapping):
            label = str(entry.get("status", "")).strip().lower()
            if label in WEIGHTS:
                labels.setdefault(str(entry.get("milestone_id", "")).strip(), label)
    return [labels.get(i, "missing") for i in milestone_ids]


def careful_process(judge: object, milestone_ids: Sequence[str], sweep: str) -> dict[str, Any]:
    """Checked scores: range 0-2, P4 by the flag, coverage over the reference milestones, tags of the vocabulary.

    Raises:
        InvalidVerdict: the reply cannot be used; the reason tells the judge what to mend.
    """
    given = judge.get("process_scores") if isinstance(judge, Mapping) else None
    if not isinstance(judge, Mapping) or not isinstance(given, Mapping):
        raise InvalidVerdict("process_scores_missing")
    scores: dict[str, float | None] = {}
    for axis in AXES:
        scores[axis] = _completeness(given, sweep) if axis == "P4" else _score(given, axis)
    labels = _aligned(judge.get("milestone_coverage"), milestone_ids)
    tags = judge.get("failure_tags")
    known = [t for t in tags if isinstance(t, str) and t in TAGS] if isinstance(tags, list) else []
    return {
        "scores": scores,
        "traj": traj_score(scores),
        "mc_rate": sum(WEIGHTS[s] for s in labels) / len(labels) if labels else None,
        "statuses": labels,
        "failure_tags": list(dict.fromkeys(known))[:MAX_TAGS],
    }


def process_canonical(
    judge: Any, milestone_ids: Sequence[str], sweep: str, mode: Mode = "careful"
) -> dict[str, Any]:
    """Scores of one judged trajectory in the named mode."""
    return official_process(judge) if mode == "official" else careful_process(judge, milestone_ids, sweep)
