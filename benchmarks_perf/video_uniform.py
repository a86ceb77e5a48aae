"""(a) Uniform frames over a long-GOP 720p video at height 480: decoding is nearly all of the cost."""

from __future__ import annotations

from benchmarks_perf._measure import contest, ratio, table, verdict
from benchmarks_perf._perf_media import FPS, piece

CONTENDERS = {
    "proofreel": "_readers:proofreel",
    "OpenCV sequential": "_readers:opencv_sequential",
    "decord2": "_readers:decord2",
    "PyAV to null (floor)": "_readers:pyav_to_null",
}


def run(full: bool) -> None:
    seconds, count = (600, 384) if full else (180, 115)
    total = seconds * FPS
    wanted = [int(i * (total - 1) / (count - 1)) for i in range(count)]
    arguments = {"path": str(piece(seconds)), "wanted": wanted, "height": 480, "period": total}
    runs = contest(CONTENDERS, arguments, rounds=3 if full else 2)
    print(f"   {count} uniform frames of {seconds} s, 720p GOP 250, height 480")
    table(runs)
    verdict("CPU / OpenCV sequential", ratio(runs, "proofreel", "OpenCV sequential", "cpu"), 0.85)
    verdict(
        "wall / OpenCV sequential (two idle cores)",
        ratio(runs, "proofreel", "OpenCV sequential", "wall"),
        0.75,
    )
    verdict("peak MiB / 350", max(r.mebibytes for r in runs["proofreel"]) / 350, 1.0)
