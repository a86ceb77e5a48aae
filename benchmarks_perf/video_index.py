"""The packet index of an hour-long file: made once, then read from the cache folder."""

from __future__ import annotations

import tempfile

from benchmarks_perf._measure import contest
from benchmarks_perf._perf_media import joined


def run(full: bool) -> None:
    path = joined(180, 20)
    with tempfile.TemporaryDirectory() as cache:
        own = {"PROOFREEL_CACHE": cache}
        first = contest({"cold": "_readers:index_only"}, {"path": str(path)}, 1, own)["cold"][0]
        again = contest({"cached": "_readers:index_only"}, {"path": str(path)}, 1, own)["cached"][0]
    print(
        f"   {path.stat().st_size / 1e6:.0f} MB, {first.found['frames']} frames; with the start of a decoder process"
    )
    for name, it in (("no cache", first), ("cached", again)):
        print(f"   {name:10s} CPU {it.cpu:.2f} s, wall {it.wall:.2f} s, peak {it.mebibytes:.0f} MiB")
