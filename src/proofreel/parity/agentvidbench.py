"""AgentVidBench scoring and fields."""

from typing import Any

from proofreel.agents.single_turn import fps_fallback_chain
from proofreel.benchmarks.agentvidbench import fields
from proofreel.benchmarks.agentvidbench.aggregate import aggregate_run
from proofreel.benchmarks.agentvidbench.process import InvalidVerdict, process_canonical
from proofreel.judges import letters
from proofreel.parity.runner import adapter
from proofreel.video._rules import thin_evenly

Row = dict[str, Any]


@adapter("process_canonical")
def _process(row: Row, mode: str) -> Any:
    try:
        return process_canonical(row["judge_json"], row["milestone_ids"], row["sweep_required"], mode)  # type: ignore[arg-type]
    except InvalidVerdict as error:
        return {"invalid": str(error)}


@adapter("judge_json_parse")
def _judge_json(row: Row, mode: str) -> Any:
    parsed, error = letters.parse_judge_json(row["text"])
    return {"parsed": parsed, "error": error}


@adapter("letter_vote")
def _vote(row: Row, mode: str) -> Any:
    return letters.letter_vote(
        row["candidate_texts"], row["n_runs"], call_failed=row["call_failed"], raw_output=row["raw_output"]
    )


@adapter("trim_for_letter_extraction")
def _trim(row: Row, mode: str) -> Any:
    text = "".join(chr(0x4E00 + i % 20_000) for i in range(row["length"]))
    out = letters.trim_for_letter_extraction(text)
    cut = out != text
    head = (
        next((i for i, (a, b) in enumerate(zip(text, out, strict=False)) if a != b), len(out))
        if cut
        else len(out)
    )
    tail = (
        next((i for i, (a, b) in enumerate(zip(text[::-1], out[::-1], strict=False)) if a != b)) if cut else 0
    )
    return {"out_length": len(out), "truncated": cut, "head_kept": head, "tail_kept": tail}


@adapter("raw_output_hash")
def _hash(row: Row, mode: str) -> Any:
    return letters.raw_output_hash(row["text"])


@adapter("score_accuracy")
def _accuracy(row: Row, mode: str) -> Any:
    return letters.score_accuracy(row["pred"], row["gold"])


@adapter("parse_duration")
def _duration(row: Row, mode: str) -> Any:
    return fields.parse_duration(row["value"], mode)  # type: ignore[arg-type]


@adapter("options_to_letters")
def _options(row: Row, mode: str) -> Any:
    return fields.options_to_letters(row["options"], mode)  # type: ignore[arg-type]


@adapter("sweep_required")
def _sweep(row: Row, mode: str) -> Any:
    return fields.sweep_required(row["question"])


@adapter("parse_qid_spec")
def _qids(row: Row, mode: str) -> Any:
    first, last = row["available"].split("..")
    ids = fields.parse_qid_spec(row["spec"], range(int(first), int(last) + 1))
    return {"all": True} if ids is None else ids


@adapter("fps_fallback_chain")
def _chain(row: Row, mode: str) -> Any:
    return fps_fallback_chain(row["initial_fps"])


@adapter("cap_frames_indices")
def _cap(row: Row, mode: str) -> Any:
    kept = thin_evenly(row["n_frames"], row["max_frames"])
    return [int(i) for i in kept]


@adapter("trajectory_metrics")
def _metrics(row: Row, mode: str) -> Any:
    return fields.trajectory_metrics(row["steps"])


@adapter("aggregate_run")
def _aggregate(row: Row, mode: str) -> Any:
    names = {k: row[k] for k in ("experiment", "model", "tag")}
    return aggregate_run(row["questions"], row["records"], mode=mode, **names)  # type: ignore[arg-type]
