"""AgentVidBench's own summary of a run, official and careful side by side (protocol 5.3)."""

from collections.abc import Mapping
from typing import Any

from proofreel.benchmarks.agentvidbench.aggregate import aggregate_run
from proofreel.benchmarks.agentvidbench.extraction import local_letter
from proofreel.core import Item
from proofreel.judges.choice import MODEL_STOPS
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_records import Official
from proofreel.runs.result import RunResult

BENCHMARKS = ("agentvidbench",)
NOTES = {
    "official": "published rules: letters by the published local parser, failed inferences vanish from the "
    "denominator, first epoch only",
    "careful": "verdicts of this run, every question counts, first epoch only",
}


def official_summaries(run: ScoredRun) -> tuple[Official, ...]:
    """Both summaries of a run in AgentVidBench's form; none for other benchmarks."""
    found = []
    for mode in ("official", "careful"):
        summary = summarise(run, mode)
        if summary is not None:
            found.append(
                Official(
                    mode=mode,
                    n=summary["n"],
                    n_correct=summary["n_correct"],
                    accuracy=summary["accuracy"],
                    note=NOTES[mode],
                )
            )
    return tuple(found)


def summarise(
    run: ScoredRun, mode: str, processes: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any] | None:
    """The whole published summary (slices included), None when the run is of another form.

    Args:
        run: its results and verdicts.
        mode: official or careful.
        processes: what a judge of trajectories says of each question: ``scores``, ``traj`` and ``mc_rate``.
    """
    if run.settings.benchmark not in BENCHMARKS or not run.items:
        return None
    chosen = [run.items[i] for i in run.settings.items if i in run.items]
    questions = [_question(i) for i in chosen]
    records = []
    for item in chosen:
        result = run.results.get((item.question.id, 1))
        if result is not None and not (mode == "official" and _errored(result)):
            process = (processes or {}).get(item.question.id)
            records.append(_record(run, item, result, mode) | ({"process": process} if process else {}))
    s = run.settings
    return aggregate_run(
        questions,
        records,
        experiment=s.agent,
        model=s.model or "none",
        tag=s.name,
        mode=mode,  # type: ignore[arg-type]
    )


def _question(item: Item) -> dict[str, Any]:
    fields = ("difficulty", "categories", "skills")
    return {"question_id": item.question.id, **{k: item.metadata.get(k) for k in fields}}


def _errored(result: RunResult) -> bool:
    """Whether the published runner would have written an error instead of a trajectory."""
    stop = result.trajectory.answer.stop
    return stop.value == "harness_error" or (stop in MODEL_STOPS and not result.trajectory.steps)


def _record(run: ScoredRun, item: Item, result: RunResult, mode: str) -> dict[str, Any]:
    verdict = run.verdicts[result.key]
    letter = verdict.letter
    if mode == "official" and run.settings.mode == "official":
        letter = letter or result.trajectory.answer.letter
    elif mode == "official" and result.trajectory.model is not None:
        letter = local_letter(result.trajectory, "official", [])
    gold = item.gold.answer
    accuracy = {"gold": gold, "pred": letter, "correct": letter is not None and letter == gold}
    return {"question_id": item.question.id, "accuracy": accuracy}
