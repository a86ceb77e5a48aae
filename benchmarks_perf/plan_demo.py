"""What ``plan`` prints on 100 questions over 71 tiny videos with one file missing and one window past the end.

python -m benchmarks_perf.plan_demo [folder]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import av
import numpy as np

VIDEOS, QUESTIONS = 71, 100


def make_clip(path: Path, seconds: int, fps: int = 2) -> None:
    """A grey clip of 64x48, a few kilobytes."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for i in range(seconds * fps):
            grey = np.full((48, 64, 3), i % 256, np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)


def make_data(root: Path) -> Path:
    """Lengths run from 8 s to 28 min as in the benchmark; video 12 is deleted, question 30 points past the end."""
    (root / "videos").mkdir(parents=True)
    for v in range(1, VIDEOS + 1):
        make_clip(root / f"videos/video{v}.mp4", round(8 * (1680 / 8) ** ((v - 1) / (VIDEOS - 1))))
    (root / "videos/video12.mp4").unlink()
    rows = []
    for q in range(1, QUESTIONS + 1):
        row = {
            "question_id": q,
            "video_path": f"videos/video{(q - 1) % VIDEOS + 1}.mp4",
            "question_text": f"What happens in scene {q}, after the door has been opened for the second time?",
            "options": [f"possibility number {n}" for n in range(26)],
            "answer": "D",
            "difficulty": ("easy", "medium", "hard", "very hard")[q % 4],
        }
        if q == 30:
            row["windows"] = [[20, 4000]]
        rows.append(row)
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return root


def plan(root: Path, *words: str) -> None:
    command = [sys.executable, "-m", "proofreel", "plan", "agentvidbench", "--data", str(root), *words]
    print("$ proofreel", " ".join(w if w != str(root) else "DIR" for w in command[3:]))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout.replace(str(root), "DIR"), done.stderr.replace(str(root), "DIR"), sep="")
    print(f"exit code {done.returncode}\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root = make_data(Path(sys.argv[1] if len(sys.argv) > 1 else scratch) / "avb")
        wide = ("--agent", "single_turn", "--model", "openai/gpt-4o", "--set", "height=360")
        plan(root, *wide, "--set", "max_frames=384")
        plan(root, *wide, "--set", "max_frames=250", "--max-cost", "30")
        plan(
            root,
            "--agent",
            "video_react",
            "--model",
            "anthropic/claude-opus-4-7",
            "--perceiver",
            "google/gemini-2.5-pro",
        )
        plan(root, "--agent", "single_turn", "--model", "vllm/Qwen/Qwen3-VL-8B-Instruct", "--limit", "11")
        plan(root, "--agent", "retrieval")


if __name__ == "__main__":
    main()
