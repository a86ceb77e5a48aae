"""Runs made by hand, on disk, with known numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofreel.core import Answer, Outcome, StopReason, TokenUse, Trajectory
from proofreel.judges import Verdict
from proofreel.runs import RunFolder, RunResult, RunSettings


def make_data(root: Path, videos: int = 3, each: int = 2, duration: str = "2:26") -> Path:
    """An AgentVidBench-shaped folder: ``videos`` files with ``each`` questions, every second one hard."""
    (root / "videos").mkdir(parents=True)
    rows, cards = [], []
    for v in range(videos):
        (root / f"videos/video{v}.mp4").write_bytes(bytes([v]) * (10 + v))
        cards.append({"file_name": f"videos/video{v}.mp4", "duration": duration, "genre": "ab"[v % 2]})
        for q in range(each):
            n = v * each + q + 1
            rows.append(
                {
                    "question_id": n,
                    "video_path": f"videos/video{v}.mp4",
                    "question_text": f"Question {n}?",
                    "options": ["x", "y", "z", "w"],
                    "answer": "B",
                    "difficulty": "hard" if n % 2 else "easy",
                    "skills": ["simple counting", "event ordering"] if n % 2 else ["event ordering"],
                }
            )
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (root / "videos.jsonl").write_text("".join(json.dumps(c) + "\n" for c in cards))
    return root


def settings(data: Path, **changes: Any) -> RunSettings:
    from proofreel.benchmarks import get_benchmark
    from proofreel.runs.fingerprint import items_fingerprint, video_stamps

    loaded = get_benchmark("agentvidbench").load(data)
    base: dict[str, Any] = {
        "run_id": "r1",
        "name": "made",
        "created": "2026-01-01T00:00:00Z",
        "proofreel": "0",
        "engine": "0",
        "benchmark": "agentvidbench",
        "data": str(data),
        "rows": loaded.rows,
        "usable": len(loaded.items),
        "fingerprint": items_fingerprint(loaded.items, data),
        "videos": video_stamps(loaded.items, data),
        "items": tuple(i.question.id for i in loaded.items),
        "agent": "blind",
        "prompts": "p" * 64,
    }
    return RunSettings(**{**base, **changes})


def result(item: str, ending: str, *, epoch: int = 1, letter: str | None = None, **more: Any) -> RunResult:
    """A result; ``ending`` is an outcome, or ``abstained``."""
    abstained = ending == "abstained"
    outcome = Outcome.WRONG if abstained else Outcome(ending)
    letter = letter or {"right": "B", "wrong": "C"}.get(ending)
    stop = StopReason.ANSWERED if letter else StopReason.UNPARSED
    use = more.pop("tokens", TokenUse(prompt=900, completion=100, calls=1, cost_usd=0.01))
    trajectory = Trajectory(
        question_id=item,
        agent="blind",
        answer=Answer(letter=letter, stop=stop),
        tokens=use,
        frames_seen=more.pop("frames", 0),
        steps=more.pop("steps", ()),
        model=more.pop("model", None),
    )
    return RunResult(
        item_id=item,
        epoch=epoch,
        agent="blind",
        trajectory=trajectory,
        verdict=Verdict(outcome=outcome, letter=letter, abstained=abstained),
        tokens=use,
        **more,
    )


def make_run(
    folder: Path, data: Path, endings: Mapping[str, str] | Mapping[tuple[str, int], str], **changes: Any
) -> RunFolder:
    """A run whose items ended as named, by id or by (id, epoch); ids left out were not run."""
    run = RunFolder.create(folder, settings(data, **changes))
    with run.writing():
        for key, ending in endings.items():
            item, epoch = (key, 1) if isinstance(key, str) else key
            run.add(result(item, ending, epoch=epoch))
    return run
