"""Runs the retrieval agent on the held-out questions and prints the counts; nothing is fitted here.

    .venv/bin/python tools_dev/report_retrieval.py                # made clips, then real clips where they are
    .venv/bin/python tools_dev/report_retrieval.py --show         # every question with its answer
    .venv/bin/python tools_dev/report_retrieval.py --only heldout_independent.jsonl

The clips are made with the test voice and read and heard again by the product, so that reading errors count.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from agents.retrieval_scenes import build_clip, load_scenes, real_clip, run_scene, tally  # noqa: E402
from support import shared_media  # noqa: E402

SETS = ("heldout_clips.jsonl", "heldout_real.jsonl", "heldout_independent.jsonl")
SHIPPED = ROOT / "src" / "proofreel" / "benchmarks" / "mini" / "data" / "videos"


def video_of(scene: dict[str, Any], media: Path | None, folder: Path) -> Path | None:
    """A shipped clip (``mini:``), a shared one (``real:``, None where it is not here) or one made now."""
    name = scene["scene"]
    if name.startswith("mini:"):
        return SHIPPED / f"{name.removeprefix('mini:')}.mp4"
    if name.startswith("real:"):
        return real_clip(scene, media, folder) if media else None
    return build_clip(scene, folder)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--only", choices=SETS, help="one set instead of all")
    parser.add_argument("--clips", type=Path, help="keep the made clips here")
    args = parser.parse_args()
    folder = args.clips or Path(tempfile.mkdtemp(prefix="proofreel-heldout-"))
    folder.mkdir(parents=True, exist_ok=True)
    media = shared_media()
    for name in [args.only] if args.only else SETS:
        total = {"answerable": Counter(), "unanswerable": Counter()}
        for scene in load_scenes(name):
            video = video_of(scene, media, folder)
            if video is None:
                print(f"{scene['scene']}: left out, the shared test videos are not here")
                continue
            rows = run_scene(scene, video)
            for group, found in tally(rows).items():
                total[group] += found
            print(scene["scene"], json.dumps({k: dict(v) for k, v in tally(rows).items()}), flush=True)
            for q, trajectory, result in rows if args.show else ():
                a = trajectory.answer
                print(f"  {result:12s} {q['question']} {q['options'] or ''}")
                print(f"               want {q['answer']!r} got {a.letter or a.value!r} {a.confidence or ''}")
                print(f"               {a.reason}")
        print(name, json.dumps({k: dict(sorted(v.items())) for k, v in total.items()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
