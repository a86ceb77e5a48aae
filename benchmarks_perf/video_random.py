"""(d) Random moments of an hour-long file, against the readers that can seek."""

from __future__ import annotations

import random

from benchmarks_perf._measure import contest, median, ratio, table, verdict
from benchmarks_perf._perf_media import FPS, joined

CONTENDERS = {
    "proofreel": "_readers:proofreel",
    "PyAV seek": "_readers:pyav_seek",
    "OpenCV POS_FRAMES": "_readers:opencv_seek",
    "decord2": "_readers:decord2",
}


def run(full: bool) -> None:
    count = 50 if full else 20
    wanted = sorted(random.Random(4).sample(range(3600 * FPS), count))
    arguments = {"path": str(joined(180, 20)), "wanted": wanted, "height": 480, "period": 180 * FPS}
    runs = contest(CONTENDERS, arguments, rounds=2)
    print(f"   {count} random frames of one hour, height 480")
    table(runs)
    exact = [n for n, of in runs.items() if n != "proofreel" and not any(r.found["wrong"] for r in of)]
    if exact:
        best = min(exact, key=lambda name: median(runs[name], "cpu"))
        verdict(f"CPU / best exact rival ({best})", ratio(runs, "proofreel", best, "cpu"), 1.1)
