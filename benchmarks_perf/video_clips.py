"""(e) Twenty frames of each of thirty short clips: what opening a file costs."""

from __future__ import annotations

from benchmarks_perf._measure import contest, ratio, table, verdict
from benchmarks_perf._perf_media import GOP, clips

CONTENDERS = {
    "proofreel": "_readers:many_proofreel",
    "OpenCV sequential": "_readers:many_opencv_sequential",
    "decord2": "_readers:many_decord2",
}


def run(full: bool) -> None:
    wanted = [int(i * (GOP - 1) / 19) for i in range(20)]
    listed = [[str(path), first] for path, first in clips(180, 30)]
    runs = contest(CONTENDERS, {"clips": listed, "wanted": wanted, "height": 280}, rounds=3 if full else 1)
    print("   20 frames of each of 30 clips of 8 s, height 280")
    table(runs)
    verdict("CPU / OpenCV sequential", ratio(runs, "proofreel", "OpenCV sequential", "cpu"), 1.0)
