"""Run summary with slices (protocol section 5.3)."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from proofreel.benchmarks.agentvidbench.fields import Mode

MEANS = ("P1", "P2", "P3", "P4", "P5", "traj", "mc_rate")


def _mean(values: Iterable[float | None]) -> float | None:
    present = [v for v in values if v is not None]
    # statistics.mean is exact before it rounds, as the published summary is.
    return round(mean(present), 3) if present else None


def _process(record: Mapping[str, Any], name: str) -> float | None:
    process = record.get("process") or {}
    value = (process.get("scores") or {}).get(name) if name.startswith("P") else process.get(name)
    return None if value is None else float(value)


def _block(records: Sequence[Mapping[str, Any]], n: int) -> dict[str, Any]:
    right = sum(bool((r.get("accuracy") or {}).get("correct")) for r in records)
    return {
        "n": n,
        "n_correct": right,
        "accuracy": round(right / n, 3) if n else None,
        "process_means": {name: _mean(_process(r, name) for r in records) for name in MEANS},
    }


def _labels(question: Mapping[str, Any], key: str) -> list[str]:
    value = question.get(key)
    return list(value) if isinstance(value, list) else [value] if value else []


def aggregate_run(
    questions: Sequence[Mapping[str, Any]],
    records: Sequence[Mapping[str, Any]],
    *,
    experiment: str,
    model: str,
    tag: str,
    mode: Mode = "careful",
) -> dict[str, Any]:
    """Accuracy and process means over a run and its slices.

    Officially the denominator is the number of records, so questions whose inference failed vanish and unknown
    ids count. Carefully it is the number of questions, unknown ids are ignored, and ``n_unanswered`` tells how
    many questions have no record.
    """
    by_id = {q["question_id"]: q for q in questions}
    known = [r for r in records if r["question_id"] in by_id]
    careful = mode == "careful"
    used = known if careful else list(records)
    summary: dict[str, Any] = {"experiment": experiment, "model": model, "tag": tag}
    summary |= _block(used, len(questions) if careful else len(used))
    if careful:
        summary["n_unanswered"] = len(questions) - len({r["question_id"] for r in known})
    for name, key in (("by_difficulty", "difficulty"), ("by_category", "categories"), ("by_skill", "skills")):
        slices: dict[str, Any] = {}
        for label in sorted({lab for q in questions for lab in _labels(q, key)}):
            ids = {q["question_id"] for q in questions if label in _labels(q, key)}
            members = [r for r in known if r["question_id"] in ids]
            if members or careful:
                slices[label] = _block(members, len(ids) if careful else len(members))
        summary[name] = slices
    return summary
