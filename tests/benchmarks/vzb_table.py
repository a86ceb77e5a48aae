"""A table of 500 questions with the published coverage, and replies whose scores are counted by hand.

Coverage: 320 questions with windows and boxes, 122 with windows only, 52 with boxes only, 6 with neither. Every
reference window is 0-10 s of 100 s; every reference box is the upper left quarter at 5 s.

Replies: 9 questions of the first kind are right on all levels; 20 more of them and 42 with windows only are right with
their windows (71 in all); 48 are right with a tIoU of exactly 0.3, which is not above the threshold; 5 without windows
are right. 124 right answers, 371 + 5 wrong ones.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from proofreel.benchmarks import JudgeContext, RunView, ScoredItem, get_benchmark
from proofreel.core import Answer, Item, Step, Trajectory

COUNTS = {"both": 320, "windows": 122, "boxes": 52, "neither": 6}
WINDOWS, BOXES = [{"start": 0, "end": 10}], [{"time": 5.0, "box": [0.0, 0.0, 0.5, 0.5]}]
ALL, WITH_WINDOWS, AT_THRESHOLD = 9, 20, 48
VIDEOS = 138


def kinds() -> list[str]:
    return [kind for kind, count in COUNTS.items() for _ in range(count)]


def make_table(root: Path) -> Path:
    """The data folder; its videos are never opened."""
    (root / "compressed").mkdir(parents=True)
    for v in range(VIDEOS):
        (root / f"compressed/v{v}.mp4").write_bytes(b"x")
    lines = ["question_id\tvideo\tduration\tquestion\tanswer\tlanguage\tevidence_windows\tevidence_boxes"]
    for n, kind in enumerate(kinds()):
        windows = json.dumps(WINDOWS) if kind in ("both", "windows") else ""
        boxes = json.dumps(BOXES) if kind in ("both", "boxes") else "[]"
        language = "cn" if n < 280 else "en"
        lines.append(f"{n}\tv{n % VIDEOS}.mp4\t100\tHow many?\t4\t{language}\t{windows}\t{boxes}")
    (root / "VideoZeroBench_500_v0.tsv").write_text("\n".join(lines) + "\n")
    return root


def predictions(number: int) -> dict[str, dict[str, Any]]:
    """The stored replies to question ``number``."""
    kind = kinds()[number]
    place = number - kinds().index(kind)
    full = kind == "both" and place < ALL
    found = full or (kind == "both" and place < ALL + WITH_WINDOWS) or (kind == "windows" and place < 42)
    edge = kind == "both" and ALL + WITH_WINDOWS <= place < ALL + WITH_WINDOWS + AT_THRESHOLD
    right = found or edge or (kind == "boxes" and place < 5)
    windows = (
        "From <0 seconds> to <10 seconds>."
        if found
        else "From <0 seconds> to <3 seconds>."
        if edge
        else "none"
    )
    boxes = '[{"time": 5.0, "bbox_2d": [[0, 0, 500, 500]]}]' if full else "[]"
    answer = {"task": "qa", "model_answer": "4" if right else "5", "error": None}
    return {
        "level-1": answer,
        "level-2": answer,
        "level-3": answer,
        "level-4": {"task": "temporal_grounding", "model_answer": windows, "error": None},
        "level-5": {
            "task": "spatial_grounding",
            "model_answer": boxes,
            "error": None,
            "box_mode": "normalized 0-1000",
            "resized_hw": [128, 224],
        },
    }


def trajectory(item: Item, number: int) -> Trajectory:
    steps = [
        Step(id=k, phase="thinking", data={"level": level, "prediction": entry})
        for k, (level, entry) in enumerate(predictions(number).items(), 1)
    ]
    said = predictions(number)["level-3"]["model_answer"]
    return Trajectory(
        question_id=item.question.id, agent="levels", steps=tuple(steps), answer=Answer(value=said)
    )


def judged(items: list[Item], mode: str = "careful", **options: Any) -> RunView:
    """The run of these replies, judged by the benchmark's hook."""
    own = get_benchmark("videozerobench").judge
    assert own is not None
    ctx = JudgeContext(mode="official" if mode == "official" else "careful", options=options)

    async def every() -> list[ScoredItem]:
        scored = []
        for number, item in enumerate(items):
            done = trajectory(item, number)
            found = await own(done, item, ctx)
            scored.append(ScoredItem(item, 1, done, found.verdict, found.details))
        return scored

    return RunView(
        path="made",
        benchmark="videozerobench",
        agent="levels",
        model="made/model",
        mode=ctx.mode,
        judge=None,
        scored=tuple(asyncio.run(every())),
        options=options,
    )
