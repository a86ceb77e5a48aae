"""A verdict with what its judge kept, as the page shows it."""

from collections.abc import Iterator, Mapping
from typing import Any

from proofreel.core import Item
from proofreel.report._view import TEXT_LIMIT
from proofreel.runs.judgements import judged_runs
from proofreel.runs.numbers import ending_of
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.result import Key

AXES = {
    "P1": "task understanding",
    "P2": "evidence coverage",
    "P3": "evidence grounding",
    "P4": "evidence completeness",
    "P5": "reasoning faithfulness",
}


def trajectory_judgements(run: ScoredRun) -> dict[Key, dict[str, Any]]:
    """What a trajectory judge said of every (item, epoch) in its first repeat, as details; of the last file by name."""
    found: dict[Key, dict[str, Any]] = {}
    for judged in judged_runs(run):
        for (item, epoch, repeat), said in judged.judgements.items():
            if repeat == 1 and said.status == "judged":
                found[item, epoch] = {
                    "trajectory judge": said.judge,
                    "process": {"scores": said.scores, "traj": said.traj, "mc_rate": said.mc_rate,
                                "failure_tags": said.failure_tags, "summary": said.summary},
                    "milestones": [m.model_dump() for m in said.milestones],
                    "rationales": {AXES.get(k, k): v for k, v in said.rationales.items()},
                }  # fmt: skip
    return found


def judged_view(
    run: ScoredRun, key: Key, item: Item | None, said: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Ending, letter, reason, and of the details: scores, milestone labels, failure tags, the rest as plain text.

    Args:
        run: with its verdicts and what their judge kept.
        key: (item, epoch).
        item: for the words of milestones; None when the data are gone.
        said: what a trajectory judge said, as details.
    """
    verdict, details = run.verdicts.get(key), {**run.details.get(key, {}), **(said or {})}
    gold = {m.id: m for m in item.gold.milestones} if item is not None else {}
    marks = next(_milestones(details), [])
    labels = {str(m.get("id") or m.get("milestone_id")): m for m in marks}
    return {
        "ending": ending_of(verdict).replace("_", " "),
        "letter": None if verdict is None else verdict.letter,
        "reason": "" if verdict is None else verdict.reason[:TEXT_LIMIT],
        "by": run.scored_by,
        "scores": list(_scores(details)),
        "tags": _tags(details),
        "milestones": [
            {
                "id": name,
                "type": gold[name].type.replace("_", " ") if name in gold else "",
                "text": gold[name].description if name in gold else "",
                "status": str(labels[name].get("status", "")) if name in labels else "",
                "why": str(_why(labels[name]))[:600] if name in labels else "",
            }
            for name in dict.fromkeys([*gold, *labels])
        ],
        "details": list(_plain(details)),
    }


def _why(label: Mapping[str, Any]) -> Any:
    return label.get("evidence") or label.get("evidence_in_prediction") or ""


def _milestones(value: Any) -> Iterator[list[Mapping[str, Any]]]:
    """Lists of labelled milestones anywhere in the details."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _milestones(inner)
    elif isinstance(value, list | tuple) and value and all(_labelled(v) for v in value):
        yield list(value)


def _labelled(value: Any) -> bool:
    return isinstance(value, Mapping) and "status" in value and ("id" in value or "milestone_id" in value)


def _scores(details: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Scores of a rubric under a process block, each with the words of its axis."""
    process = details.get("process")
    if not isinstance(process, Mapping):
        return
    scores = process.get("scores")
    for name, value in scores.items() if isinstance(scores, Mapping) else ():
        yield f"{name} {AXES[name]}" if name in AXES else str(name).replace("_", " "), _number(value)
    for name, words in (("traj", "trajectory score"), ("mc_rate", "milestone coverage")):
        if name in process:
            yield words, _number(process[name])


def _number(value: Any) -> str:
    return "not applicable" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)


def _tags(details: Mapping[str, Any]) -> list[str]:
    process = details.get("process")
    tags = process.get("failure_tags") if isinstance(process, Mapping) else details.get("failure_tags")
    return [str(t).replace("_", " ") for t in tags] if isinstance(tags, list | tuple) else []


def _plain(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) of what is left, nested keys joined by a dot; milestones and tags are shown apart."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("milestones", "failure_tags", "scores", "traj", "mc_rate"):
                yield from _plain(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        if value and all(isinstance(v, str | int | float | bool) or v is None for v in value):
            yield name, ", ".join(str(v) for v in value)[:1000]
        else:
            for place, inner in enumerate(value[:20], 1):
                yield from _plain(inner, f"{name} {place}")
    elif value not in (None, ""):
        yield name, str(value)[:1000]
