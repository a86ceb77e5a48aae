"""(c) A dense window deep in a file: a reader without an index decodes all that lies before it."""

from __future__ import annotations

from benchmarks_perf._measure import contest, ratio, table, verdict
from benchmarks_perf._perf_media import FPS, joined

CONTENDERS = {
    "proofreel": "_readers:proofreel",
    "PyAV seek per frame": "_readers:pyav_seek",
    "OpenCV sequential": "_readers:opencv_sequential",
}


def run(full: bool) -> None:
    start = 1500 if full else 600
    wanted = [int((start + k / 20) * FPS + 1e-6) for k in range(200)]
    arguments = {"path": str(joined(180, 20)), "wanted": wanted, "height": 480, "period": 180 * FPS}
    contenders = CONTENDERS if full else {k: v for k, v in CONTENDERS.items() if k != "PyAV seek per frame"}
    runs = contest(contenders, arguments, rounds=1)
    print(f"   20 fps over 10 s at {start // 60}:00 of one hour, height 480")
    table(runs)
    verdict("CPU / OpenCV sequential", ratio(runs, "proofreel", "OpenCV sequential", "cpu"), 1 / 15)
