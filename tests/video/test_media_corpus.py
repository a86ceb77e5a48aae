"""Every file of the shared corpus against its known truth."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.media_truth import Truth, laws_for, load_truths
from tests.support import ROOT, need_shared_media, shared_media

_SECONDS_A_FILE = 60
_MIB_A_FILE = 350

_folder = shared_media()
_truths = {truth.name: truth for truth in load_truths(_folder)} if _folder else {}


@pytest.mark.parametrize("name", list(_truths) or ["(absent)"])
def test_file_is_read_as_it_is(name: str) -> None:
    need_shared_media()
    truth: Truth = _truths[name]
    began = time.monotonic()
    checks = [check for law in laws_for(truth) for check in law(truth)]
    assert time.monotonic() - began < _SECONDS_A_FILE
    assert len(checks) >= 2
    assert [f"{check.what}: {check.wrong}" for check in checks if check.wrong] == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the peak memory Linux reports")
def test_memory_is_bounded_for_every_readable_file() -> None:
    """One fresh process streams all frames of the heaviest files at their own size, decoding in process."""
    folder = need_shared_media()
    heavy = sorted((t for t in _truths.values() if not t.error), key=lambda t: -t.entry["bytes"])[:6]
    code = (
        "import json, re, sys\n"
        "from proofreel.video import iter_frames, Uniform\n"
        "counts = [sum(1 for _ in iter_frames(p, Uniform(400), isolate=False)) for p in sys.argv[1:]]\n"
        # the peak of this program alone: the kernel's other figure remembers the process that started it
        "peak = re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())\n"
        "print(json.dumps([counts, int(peak[1]) / 1024]))\n"
    )
    paths = [str(folder / t.name) for t in heavy]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    counts, mebibytes = json.loads(done.stdout)
    assert counts == [min(400, t.count) for t in heavy]
    assert mebibytes < _MIB_A_FILE


def test_the_corpus_is_whole() -> None:
    """Every file the manifest lists is there, and no video lies beside it unlisted."""
    folder = need_shared_media()
    media = {
        p.name for p in Path(folder).iterdir() if p.is_file() and p.suffix not in (".py", ".json", ".md")
    }
    assert media == set(_truths)
