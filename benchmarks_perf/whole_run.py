"""A whole benchmark of AgentVidBench's shape under four agents, each killed (SIGKILL) and resumed.

100 questions on 71 clips of two seconds with a word written on them; ``retrieval`` reads the words, the others ask a
scripted server. Every agent runs once unkilled and once with kills at random places; the tables must be the same.

    python -m benchmarks_perf.whole_run [--questions 100] [--videos 71] [--kills 3] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks_perf._measure import ROOT

sys.path.insert(0, str(ROOT / "tests"))

WORDS = (
    "AMBER BASALT CEDAR DAMSON EMBER FJORD GARNET HAZEL INDIGO JASPER KESTREL LINDEN MARBLE NUTMEG OPAL PEBBLE QUARTZ "
    "RAVEN SAFFRON TIMBER UMBRA VELVET WALNUT YARROW ZEPHYR"
).split()
LETTERS = "ABCD"
AGENTS = ("retrieval", "blind", "single_turn", "video_react")


def write_clip(path: Path, text: str, seconds: int = 2, fps: int = 5) -> None:
    """A clip with a line of large letters."""
    picture = Image.new("RGB", (320, 180), (24, 40, 72))
    ImageDraw.Draw(picture).text((24, 60), text, fill=(250, 250, 240), font=ImageFont.load_default(36))
    pixels = np.asarray(picture)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        for _ in range(seconds * fps):
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)


def make_data(root: Path, questions: int, videos: int) -> Path:
    """The data folder; the right option is the word on the clip."""
    (root / "videos").mkdir(parents=True)
    for v in range(videos):
        write_clip(root / "videos" / f"clip{v:02d}.mp4", f"SIGN {v + 11} {WORDS[v % len(WORDS)]}")
    rows = []
    for q in range(1, questions + 1):
        v = (q - 1) % videos
        right = q % 4
        others = [w for w in WORDS if w != WORDS[v % len(WORDS)]]
        options = random.Random(q).sample(others, 4)
        options[right] = WORDS[v % len(WORDS)]
        rows.append(
            {
                "question_id": q,
                "video_path": f"videos/clip{v:02d}.mp4",
                "question_text": f"Which word is on SIGN {v + 11}?",
                "options": options,
                "answer": LETTERS[right],
                "answer_explanation": "it is written there",
                "windows": [[0, 2]],
                "difficulty": ("easy", "medium", "hard", "very hard")[q % 4],
                "categories": [f"genre {v % 5}"],
            }
        )
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return root


@dataclass(frozen=True)
class Outcome:
    """How one agent's killed run compares with its unkilled one."""

    agent: str
    questions: int
    kills: int
    lost: int
    doubled: int
    same: bool
    right: int
    unkilled_calls: int
    paid: int
    replayed: int
    sent: int
    log_kb: float
    seconds: float
    interval: str

    def __str__(self) -> str:
        return (
            f"   {self.agent:12s} {self.questions:4d} questions, {self.kills} kills: lost {self.lost}, doubled "
            f"{self.doubled}, same table {'yes' if self.same else 'NO'}; right {self.right} ({self.interval}); calls "
            f"{self.unkilled_calls} unkilled / {self.paid} paid / {self.sent} sent / {self.replayed} replayed; "
            f"log {self.log_kb:.1f} kB a question; {self.seconds:.0f} s"
        )


def compare(agent: str, data: Path, out: Path, server: Any, kills: int, seed: int = 7) -> Outcome:
    """One agent, unkilled and killed."""
    from proofreel.runs.run_folder import RunFolder
    from runs.world import child, kill, table, wanted

    needs_model = agent != "retrieval"
    # Lone words are thin proof: at its own threshold the agent would abstain on most of them.
    options = {} if needs_model else {"options": {"speech": False, "min_confidence": 0.3}}
    want = wanted(
        data, server.url if needs_model else None, agent, concurrency=4 if needs_model else 2, **options
    )
    began, before = time.monotonic(), server.count
    first = child(want, out / f"{agent}-whole")
    first.join()
    assert first.exitcode == 0, f"{agent}: the unkilled run failed"
    unkilled, chance = server.count - before, random.Random(seed)
    whole = RunFolder.open(out / f"{agent}-whole")
    size = whole.journal.path.stat().st_size
    before, killed, path = server.count, 0, out / f"{agent}-killed"
    for _ in range(kills):
        process = child(want, path)
        _wait(process, path / "journal.jsonl", chance.randrange(1, max(2, size // (kills + 1))))
        if process.exitcode is None:
            kill(process)
            killed += 1
    last = child(want, path)
    last.join()
    assert last.exitcode == 0, f"{agent}: the resumed run failed"
    run = RunFolder.open(path)
    results, totals = run.results(), run.totals()
    keys = Counter(r.key for r in results)
    return Outcome(
        agent=agent,
        questions=len(run.settings.items),
        kills=killed,
        lost=sum(k not in keys for k in run.settings.keys),
        doubled=sum(n - 1 for n in keys.values()),
        same=table(run) == table(whole),
        right=sum(r.verdict.outcome.value == "right" for r in results),
        unkilled_calls=unkilled,
        paid=totals.paid.calls,
        replayed=totals.replayed.calls,
        sent=server.count - before,
        log_kb=sum(p.stat().st_size for p in (whole.path / "logs").iterdir()) / len(results) / 1e3,
        seconds=time.monotonic() - began,
        interval=_interval(whole.path),
    )


def _interval(path: Path) -> str:
    from proofreel.runs.numbers import numbers_of

    span = numbers_of(str(path)).accuracy.interval
    return "no interval" if span is None else f"95 % {span.low:.3f} to {span.high:.3f}"


def _wait(process: Any, journal: Path, work: int) -> None:
    """Until the process has written so much of its journal."""
    before = journal.stat().st_size if journal.exists() else 0
    while process.exitcode is None:
        if journal.exists() and journal.stat().st_size >= before + work:
            return
        time.sleep(0.01)


def whole(
    root: Path, questions: int, videos: int, kills: int, agents: tuple[str, ...] = AGENTS, delay: float = 0.02
) -> list[Outcome]:
    """All agents; prints a line for each."""
    from proofreel.testing import OpenAIServer
    from runs.world import answering

    data = make_data(root / "data", questions, videos)
    outcomes = []
    with OpenAIServer(answering(delay)) as server:
        for agent in agents:
            outcomes.append(compare(agent, data, root / "runs", server, kills))
            print(outcomes[-1], flush=True)
    return outcomes


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--questions", type=int, default=100)
    words.add_argument("--videos", type=int, default=71)
    words.add_argument("--kills", type=int, default=3)
    words.add_argument("--out", type=Path)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = given.out or Path(folder)
        outcomes = whole(root, given.questions, given.videos, given.kills)
    bad = [o.agent for o in outcomes if o.lost or o.doubled or not o.same]
    raise SystemExit(f"not the same after kills: {', '.join(bad)}" if bad else 0)


if __name__ == "__main__":
    main()
