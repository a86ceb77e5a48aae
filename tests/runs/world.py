"""A small world for run tests: a data folder with real clips, and models that answer by what they are asked.

Answers depend on the request alone, never on the order of requests, so that a killed and resumed run must end like
an unkilled one.
"""

import hashlib
import json
import multiprocessing
import os
import re
import signal
from pathlib import Path
from typing import Any

from agents.wire import FINAL, LOOK, write_clip
from proofreel.runs.progress import Progress
from proofreel.runs.run_folder import RunFolder, RunState
from proofreel.runs.setup import Wanted, prepare_run
from proofreel.runs.start import resume, start
from proofreel.testing import Call, Reply, Request, Text, ToolCalls, Usage

LETTERS = "ABCD"
MODEL = "openai-api/local/some-vlm"
SECRET_GOLD = "planted-gold-words"
QUICK: dict[str, Any] = {"retry_waits": [0.01, 0.01, 0.01, 0.01], "thinking_budget": None}
PRICED = "openai-api/local/priced-vlm"


def make_data(root: Path, questions: int = 6, videos: int = 2, seconds: int = 2) -> Path:
    """A data folder in the AgentVidBench form, its gold marked with words that no agent may ever send."""
    (root / "videos").mkdir(parents=True)
    for v in range(videos):
        write_clip(root / "videos" / f"v{v}.mp4", seconds=seconds, fps=5 + v % 3)
    rows = []
    for q in range(1, questions + 1):
        options = [f"thing {q}-{letter}" for letter in LETTERS]
        rows.append(
            {
                "question_id": q,
                "video_path": f"videos/v{(q - 1) % videos}.mp4",
                "question_text": f"What is shown in scene {q}?",
                "options": options,
                "answer": LETTERS[q % 4],
                "answer_explanation": f"{SECRET_GOLD} explanation {q}",
                "milestones": [
                    {"id": "M1", "type": "counting", "description": f"{SECRET_GOLD} milestone {q}"}
                ],
                "difficulty": "easy" if q % 2 else "hard",
                "windows": [[0.2, 1.2]],
                "title": f"{SECRET_GOLD} title {q}",
            }
        )
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return root


def letter_for(request: Request) -> str:
    """The letter this world's model gives to a question: a hash of its text, the same whenever asked."""
    scene = re.search(rb"(?:scene|SIGN) (\d+)", request.raw)
    digest = hashlib.sha256(scene.group(1) if scene else b"?").digest()
    return LETTERS[digest[0] % 4]


def has_pictures(request: Request) -> bool:
    return b"data:image/jpeg;base64" in request.raw


def answering(delay: float = 0.0) -> Any:
    """A model for blind, single_turn and video_react: one look, then the answer."""

    def reply(request: Request) -> Reply:
        usage = Usage(prompt=100, completion=10)
        if b'"tools"' not in request.raw:
            if has_pictures(request) and b"FINAL ANSWER" not in request.raw:
                return Text(LOOK, usage, delay)
            return Text(f"At 0.5 s it is seen.\nFINAL ANSWER: {letter_for(request)}", usage, delay)
        if b'"role": "tool"' in request.raw or b'"role":"tool"' in request.raw:
            return Text(FINAL.replace('"B"', f'"{letter_for(request)}"'), usage, delay)
        look = Call("analyze_video", {"start_time": 0, "end_time": 1, "fps": 2})
        return ToolCalls((look,), text="PLAN: look\nREASONING: nothing yet", usage=usage)

    return reply


def wanted(data: Path, url: str | None = None, agent: str = "video_react", **more: Any) -> Wanted:
    """A run on the world's data."""
    given: dict[str, Any] = {"options": QUICK, "generate": {"max_retries": 0, "max_tokens": 512}} | more
    if url is not None:
        given = {"model": MODEL, "base_url": url} | given
    else:
        given["generate"] = {}
    return Wanted(benchmark="agentvidbench", data=data, agent=agent, **given)


def run_here(want: Wanted, out: Path) -> tuple[RunFolder, RunState]:
    """A run in this process."""
    prepared = prepare_run(want)
    return start(prepared, out, Progress(len(prepared.settings.keys)))


def resume_here(out: Path, **words: Any) -> tuple[RunFolder, RunState]:
    """A resume in this process."""
    run = RunFolder.open(out)
    return resume(out, Progress(len(run.settings.keys)), **words)


def table(run: RunFolder) -> list[tuple[Any, ...]]:
    """What must be the same however often a run was killed."""
    return [
        (
            *key,
            r.verdict.outcome.value,
            r.verdict.letter,
            r.tiou,
            r.trajectory.answer.stop.value,
            r.trajectory.tokens.model_copy(update={"retries": 0}).model_dump_json(),
            r.trajectory.frames_seen,
            [(s.phase, s.text) for s in r.trajectory.steps],
        )
        for key, r in sorted(run.latest().items())
    ]


# children that are killed: forked from a server that has loaded everything, so that a start costs little


def _child(want: Wanted, out: str) -> None:
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    path = Path(out)
    if (path / "run.json").exists():
        resume_here(path)
    else:
        run_here(want, path)


_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(
    [
        "proofreel.runs._solver",
        "proofreel.runs.start",
        "proofreel.runs.execute",
        "proofreel.models.provider",
        "openai",
    ]
)


def child(want: Wanted, out: Path) -> Any:
    """Starts or resumes a run in another process."""
    process = _server.Process(target=_child, args=(want, str(out)), daemon=True)
    process.start()
    return process


def kill(process: Any) -> None:
    """SIGKILL: no handler, no clean-up."""
    os.kill(process.pid, signal.SIGKILL)
    process.join(10)
