"""What ``diff`` names for runs that differ only by the sampling rate, and only by JPEG quality; and for a repetition.

Real runs of ``single_turn`` on four small clips, against a scripted server on this machine.

python -m benchmarks_perf.diff_demo
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks_perf.plan_demo import make_clip
from proofreel.testing import OpenAIServer, Text


def make_data(root: Path) -> Path:
    root.mkdir()
    rows = []
    for n in range(1, 5):
        make_clip(root / f"v{n}.mp4", 4 + n, fps=4)
        rows.append(
            {
                "id": n,
                "video": f"v{n}.mp4",
                "question": f"Which is {n}?",
                "options": ["x", "y"],
                "answer": "B",
            }
        )
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return root


def proofreel(scratch: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PROOFREEL_CACHE": str(scratch / "cache"), "LOCAL_API_KEY": "none"}
    command = [sys.executable, "-m", "proofreel", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch, env=env)


def run(scratch: Path, name: str, reply: str, *words: str) -> None:
    with OpenAIServer(lambda request: Text(reply)) as server:
        done = proofreel(
            scratch,
            *(
                "run",
                "folder",
                "--data",
                "data",
                "--agent",
                "single_turn",
                "--model",
                "openai-api/local/seer",
            ),
            *("--base-url", server.url, "--out", name, "--concurrency", "4", *words),
        )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    settings = scratch / name / "run.json"
    # Each scripted server has a port of its own; a real one has one address.
    settings.write_text(settings.read_text().replace(server.url, "http://127.0.0.1/v1"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        make_data(scratch / "data")
        answer = "0:02 a grey field.\nFINAL ANSWER: B"
        run(scratch, "base", answer, "--set", "fps=1", "--set", "quality=85")
        run(scratch, "again", answer, "--set", "fps=1", "--set", "quality=85")
        run(scratch, "fps2", answer, "--set", "fps=2", "--set", "quality=85")
        run(scratch, "quality60", "FINAL ANSWER: A", "--set", "fps=1", "--set", "quality=60")
        for other in ("again", "fps2", "quality60"):
            done = proofreel(scratch, "diff", "base", other)
            print(f"$ proofreel diff base {other}\n{done.stdout}{done.stderr}exit code {done.returncode}\n")


if __name__ == "__main__":
    main()
