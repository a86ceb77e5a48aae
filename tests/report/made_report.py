"""Runs for the report's tests: questions on real small videos, agents that looked at known moments."""

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
from tests.runs.made import settings

from proofreel.core import (
    Answer,
    Box,
    Evidence,
    Observation,
    Outcome,
    Provenance,
    Quote,
    Step,
    TimedBox,
    TokenUse,
    ToolCall,
    Trajectory,
    Window,
)
from proofreel.judges import Verdict
from proofreel.runs import RunFolder, RunResult
from proofreel.video import FramesRef, Ledger, Rate
from proofreel.video.ref import EncodedFrames

AGENTS = ("single_turn", "avp", "dvd", "video_react")
SKILLS = ("event localization", "ocr text reading", "simple counting", "object recognition", "event ordering")
SECONDS, RATE = 24, 5


def make_video(path: Path, hue: int = 0, seconds: int = SECONDS) -> Path:
    """A small playable mp4: a square that moves one step a second over a flat ground."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 192, 108, "yuv420p"
        stream.options = {"crf": "34", "preset": "ultrafast"}
        for n in range(seconds * RATE):
            picture = np.full((108, 192, 3), (40 + hue * 9 % 90, 60, 90), np.uint8)
            x = 6 + (n // RATE) * 7 % 160
            picture[40:70, x : x + 26] = (240, 200, 60)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path


def make_set(root: Path, questions: int, videos: int) -> Path:
    """A data folder in the AgentVidBench form, with windows, milestones and taxonomy."""
    cards = []
    for v in range(videos):
        make_video(root / f"videos/video{v}.mp4", v)
        cards.append(
            {"file_name": f"videos/video{v}.mp4", "duration": "0:24", "genre": ("Travel", "Sports", "Music")[v % 3],
             "license": "CC BY 4.0", "production_style": ["static camera"], "audio_type": ["silent"]}
        )  # fmt: skip
    rows = [_row(q, (q - 1) % videos) for q in range(1, questions + 1)]
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (root / "videos.jsonl").write_text("".join(json.dumps(r) + "\n" for r in cards))
    return root


def _row(q: int, video: int) -> dict[str, Any]:
    return {
        "question_id": q,
        "video_path": f"videos/video{video}.mp4",
        "question_text": f"How often does the square stop before it passes mark {q}?",
        "options": [f"{n} times" for n in range(26)],
        "answer": "C",
        "answer_explanation": "It stops twice.",
        "difficulty": ("easy", "medium", "hard", "very hard")[q % 4],
        "skills": [SKILLS[q % 5], SKILLS[(q + 2) % 5]],
        "categories": [("temporal", "counting", "perception", "ocr text")[q % 4]],
        "milestones": [
            {"id": "M1", "type": "temporal_localization", "description": "Find the moment of the mark"},
            {"id": "M2", "type": "counting", "description": "Count the stops before it"},
        ],
        "windows": [[4.0, 9.0]],
    }


def make_agent_run(
    folder: Path, data: Path, agent: str, right: float, looks: int = 6, **changes: Any
) -> RunFolder:
    """A finished run: ``looks`` tool calls a question, each at a known window with frames in the ledger."""
    changes = {"model": f"made/{changes.pop('name', 'eye')}", "run_id": agent, "agent": agent, **changes}
    run = RunFolder.create(folder, settings(data, **changes))
    ledger = Ledger(run.ledger_path)
    with run.writing():
        for place, item in enumerate(run.settings.items):
            rng = np.random.default_rng([place, len(agent)])
            good = bool(rng.random() < right)
            run.add(_result(run, data, agent, item, place, good, looks, ledger))
    return run


def shown(start: float, end: float) -> EncodedFrames:
    """What a ledger writes down of two frames a second, without their pictures."""
    times = [start + n / 2 for n in range(int(2 * (end - start)))]
    return EncodedFrames(
        jpegs=[b""] * len(times),
        times=times,
        indices=[int(t * RATE) for t in times],
        hashes=["0" * 64] * len(times),
        flags=[0] * len(times),
        width=192,
        height=108,
    )


def _result(
    run: RunFolder, data: Path, agent: str, item: str, place: int, good: bool, looks: int, ledger: Ledger
) -> RunResult:
    number = len({p.name for p in (data / "videos").glob("*.mp4")})
    video = data / f"videos/video{(int(item) - 1) % number}.mp4"
    steps: list[Step] = []
    calls = []
    for look in range(looks):
        start, end = 2.0 + 3 * look, 5.0 + 3 * look
        ref = FramesRef.of(video, Rate(2, start, end), height=108)
        call = f"{agent}-{item}-{look}"
        calls.append(call)
        ledger.record(ref, call, "made/eye", "perceiver", shown(start, end))
        place_of = Box(x0=0.1 + 0.05 * look, y0=0.35, x1=0.25 + 0.05 * look, y1=0.66)
        proof = Evidence(
            window=Window(start=start, end=end),
            boxes=(TimedBox(time=start + 1, box=place_of),),
            provenance=Provenance(claimed_by=agent, step=2 * look + 2),
            note=f"the square near mark {look}",
        )
        text = f"PLAN: look at part {look}.\nREASONING: the mark may be there. " + "It moved on. " * 12
        asked = ToolCall(
            id=call, name="analyze_video", arguments={"start_time": start, "end_time": end, "fps": 2}
        )
        steps.append(Step(id=2 * look + 1, phase="tool_call", text=text, seconds=1.5, calls=(asked,)))
        told = (
            f"**Observations:** at {start:.1f} s the square stands near the mark. " + "Nothing moves. " * 10
        )
        seen = Observation(
            call_id=call,
            tool="analyze_video",
            ok=True,
            text=told,
            evidence=(proof,),
            media=(ref.id,),
            data={"start_time": start, "end_time": end},
        )
        steps.append(Step(id=2 * look + 2, phase="tool_result", observations=(seen,)))
    cited = Evidence(
        window=Window(start=4, end=9),
        provenance=Provenance(claimed_by=agent),
        quote=Quote(text="Mark two", source="screen"),
        boxes=(TimedBox(time=5.0, box=Box(x0=0.2, y0=0.3, x1=0.5, y1=0.7)),),
    )
    letter = "C" if good else "D"
    use = TokenUse(prompt=20_000 * looks, completion=900 * looks, calls=looks, cost_usd=0.01 * looks)
    trajectory = Trajectory(
        question_id=item, agent=agent, model=run.settings.model, steps=tuple(steps),
        answer=Answer(letter=letter, value="2 times", evidence=(cited,) if good else (), reason="It stops twice."),
        tokens=use, frames_seen=4 * looks, seconds=30.0,
    )  # fmt: skip
    outcome = Outcome.RIGHT if good else Outcome.WRONG
    return RunResult(
        item_id=item, agent=agent, trajectory=trajectory, verdict=Verdict(outcome=outcome, letter=letter),
        tiou=1.0 if good else 0.0, tokens=use, seconds=31.0, calls=tuple(calls),
    )  # fmt: skip
