"""Fits the probabilities of the retrieval agent on the calibration scenes and writes them with how they were made.

    .venv/bin/python tools_dev/calibrate_retrieval.py            # fit, print counts, write
    .venv/bin/python tools_dev/calibrate_retrieval.py --check    # fit, compare with the file, exit 1 if they differ
    .venv/bin/python tools_dev/calibrate_retrieval.py --show     # also print every question that is not right
    .venv/bin/python tools_dev/calibrate_retrieval.py --hear     # first read and hear development_clips.jsonl again

The held-out questions are never read here. Counts are by leaving one scene out: coefficients and threshold come from
the other scenes.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from agents.retrieval_scenes import (  # noqa: E402
    QUESTIONS,
    build_clip,
    hand_corpus,
    is_right,
    lettered,
    load_scenes,
    outcome,
)
from proofreel.agents._answerable.calibration import Calibration  # noqa: E402
from proofreel.agents._answerable.decide import decide  # noqa: E402

TARGET = ROOT / "src/proofreel/agents/_answerable/calibration.json"
NAMES = ("open", "carried", "share", "own", "nouns", "weakest", "keys", "rival", "cosine", "margin", "complete",
    "few_anchors", "loose_kind")  # fmt: skip
RIDGE = 1.0
FALSE_COST = 3.0  # a false answer counts as much as three missed ones


SETS = ("calibration.jsonl", "calibration_heard.jsonl")


def scenes() -> list[dict[str, Any]]:
    return [s for name in SETS for s in load_scenes(name)]


def collect(vectors: bool = True) -> list[dict[str, Any]]:
    rows = []
    anything = Calibration(0.0, {}, 0.0)  # probability 0.5, threshold 0: only the hard checks decide
    for scene in scenes():
        corpus = hand_corpus(scene["screen"], scene["speech"], vectors=vectors)
        for question in scene["questions"]:
            verdict = decide(question["question"], lettered(question["options"]), corpus, anything)
            best = verdict.chosen
            right = (
                best is not None
                and question["answer"] is not None
                and is_right(question, best.letter, best.answer)
            )
            rows.append({"scene": scene["scene"], "question": question, "verdict": verdict, "right": right})
    return rows


def fit(rows: list[dict[str, Any]]) -> tuple[float, np.ndarray]:
    """Ridge-penalised logistic regression by Newton steps; the intercept is not penalised."""
    used = [r for r in rows if r["verdict"].features]
    x = np.array([[1.0, *(r["verdict"].features[n] for n in NAMES)] for r in used])
    y = np.array([float(r["right"]) for r in used])
    penalty = np.diag([0.0, *[RIDGE] * len(NAMES)])
    w = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ w))
        step = np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]) + penalty, x.T @ (y - p) - penalty @ w)
        w += step
        if np.abs(step).max() < 1e-10:
            break
    return float(w[0]), w[1:]


def probability(model: tuple[float, np.ndarray], row: dict[str, Any]) -> float:
    features = row["verdict"].features
    z = model[0] + sum(w * features[n] for w, n in zip(model[1], NAMES, strict=True)) if features else -30.0
    return float(1 / (1 + np.exp(-z)))


def threshold(model: tuple[float, np.ndarray], rows: list[dict[str, Any]]) -> float:
    """The least probability, on a grid of 0.05, with the least cost: wrong and false answers against missed ones."""

    def cost(limit: float) -> float:
        total = 0.0
        for r in rows:
            if not r["verdict"].abstained and probability(model, r) >= limit:
                total += 0.0 if r["right"] else FALSE_COST
            elif r["question"]["answer"] is not None:
                total += 1.0
        return total

    return min((round(0.3 + 0.05 * i, 2) for i in range(11)), key=lambda t: (cost(t), abs(t - 0.5)))


def explain(r: dict[str, Any], result: str, p: float, limit: float) -> None:
    q, v = r["question"], r["verdict"]
    print(f"[{r['scene']}] {result}: {q['question']} {q['options']} want {q['answer']}")
    print(
        f"    got {v.chosen and v.chosen.answer!r} from {v.chosen and v.chosen.line.text!r}, a {v.asked.kind.value}"
    )
    print(f"    p={p:.2f} limit={limit} failed: {[c.found for c in v.checks if not c.passed]}")
    print("    " + " ".join(f"{k}={x:.2f}" for k, x in v.features.items()))


def counts(rows: list[dict[str, Any]], show: bool) -> dict[str, dict[str, int]]:
    tally: dict[str, Counter[str]] = {"answerable": Counter(), "unanswerable": Counter()}
    for scene in dict.fromkeys(r["scene"] for r in rows):
        rest = [r for r in rows if r["scene"] != scene]
        model = fit(rest)
        limit = threshold(model, rest)
        for r in (r for r in rows if r["scene"] == scene):
            p = probability(model, r)
            answered = not r["verdict"].abstained and p >= limit
            result = outcome(r["question"], r["verdict"]) if answered else "abstained"
            group = "answerable" if r["question"]["answer"] is not None else "unanswerable"
            tally[group][result] += 1
            if (
                show
                and result in ("wrong", "false_answer", "abstained")
                and (group, result) != ("unanswerable", "abstained")
            ):
                explain(r, result, p, limit)
    return {k: dict(sorted(v.items())) for k, v in tally.items()}


def made(vectors: bool, show: bool) -> dict[str, Any]:
    """Coefficients, threshold and left-out counts, with or without sentence vectors."""
    rows = collect(vectors)
    model = fit(rows)
    return {
        "leave_one_scene_out": counts(rows, show),
        "intercept": round(model[0], 4),
        "weights": {n: round(float(w), 4) for n, w in zip(NAMES, model[1], strict=True)},
        "threshold": threshold(model, rows),
    }


def close(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return (
        all(abs(a["weights"][n] - b["weights"][n]) < 0.02 for n in NAMES) and a["threshold"] == b["threshold"]
    )


def hear() -> None:
    """Writes calibration_heard.jsonl: the scripts of development_clips.jsonl as the product reads and hears them."""
    from proofreel.perception import prepare

    folder = Path(tempfile.mkdtemp(prefix="proofreel-heard-"))
    rows = []
    for scene in load_scenes("development_clips.jsonl"):
        index = prepare(build_clip(scene, folder))
        screen = [
            [round(s.start, 2), round(s.end, 2), *(round(v, 3) for v in s.box.values), s.text]
            for s in index.screen
        ]
        speech = [[round(s.start, 2), round(s.end, 2), s.text] for s in index.speech]
        name = f"{scene['scene']}-heard"
        rows.append({"scene": name, "speech": speech, "screen": screen, "questions": scene["questions"]})
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    (QUESTIONS / "calibration_heard.jsonl").write_text(text, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--hear", action="store_true")
    args = parser.parse_args()
    if args.hear:
        hear()
    questions = [q for s in scenes() for q in s["questions"]]
    fresh = {
        "about": "Logistic regression of 'the best candidate is right' on its features. The rules of the agent were "
        "written while looking at these questions, so the counts flatter it; the held-out report does not use them.",
        "made_by": "tools_dev/calibrate_retrieval.py",
        "questions": [f"tests/agents/questions/{name}" for name in SETS],
        "questions_sha256": hashlib.sha256(b"".join((QUESTIONS / n).read_bytes() for n in SETS)).hexdigest(),
        "n_answerable": sum(q["answer"] is not None for q in questions),
        "n_unanswerable": sum(q["answer"] is None for q in questions),
        "ridge": RIDGE,
        "false_answer_cost": FALSE_COST,
        "with_vectors": made(True, args.show),
        "without_vectors": made(False, False),
    }
    for name in ("with_vectors", "without_vectors"):
        print(name, json.dumps(fresh[name]))
    if args.check:
        kept = json.loads(TARGET.read_text("utf-8"))
        same = kept["questions_sha256"] == fresh["questions_sha256"] and all(
            close(kept[name], fresh[name]) for name in ("with_vectors", "without_vectors")
        )
        print(
            "the calibration file is up to date"
            if same
            else "the calibration file is NOT what the questions give"
        )
        return 0 if same else 1
    TARGET.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
