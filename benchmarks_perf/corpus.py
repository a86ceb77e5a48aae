"""The shared test videos: right and wrong frames, time and memory for every file, each in its own process.

python -m benchmarks_perf.corpus
"""

from __future__ import annotations

from typing import Any

from tests.support import shared_media

from benchmarks_perf._measure import measure


def one_file(name: str) -> dict[str, Any]:
    """All laws for one file."""
    from tests.media_truth import laws_for, load_truths

    media = shared_media()
    assert media is not None
    truth = next(t for t in load_truths(media) if t.name == name)
    checks = [check for law in laws_for(truth) for check in law(truth)]
    return {
        "checks": len(checks),
        "failed": [f"{check.what}: {check.wrong}" for check in checks if check.wrong],
        "frames": sum(check.frames for check in checks),
        "wrong": sum(check.wrong_frames for check in checks),
    }


def run(full: bool = False) -> None:
    media = shared_media()
    if media is None:
        print("   the shared test videos (../shared/media) are not here")
        return
    from tests.media_truth import load_truths

    right = frames = wrong = 0
    slowest = heaviest = 0.0
    truths = load_truths(media)
    for truth in truths:
        cost = measure("corpus:one_file", {"name": truth.name})
        found = cost.found
        right += not found["failed"]
        frames, wrong = frames + found["frames"], wrong + found["wrong"]
        slowest, heaviest = max(slowest, cost.wall), max(heaviest, cost.mebibytes)
        state = "right" if not found["failed"] else "WRONG " + "; ".join(found["failed"])
        print(
            f"   {truth.name:28s} {found['checks']:3d} checks {found['frames']:5d} frames {found['wrong']:3d} wrong"
            f" {cost.wall:6.2f} s {cost.mebibytes:5.0f} MiB  {state}",
            flush=True,
        )
    print(f"   files right {right} of {len(truths)}; wrong frames {wrong} of {frames}")
    print(f"   slowest file {slowest:.2f} s, most memory {heaviest:.0f} MiB (test program and decoder)")


if __name__ == "__main__":
    run()
