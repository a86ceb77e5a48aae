import hashlib
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofreel.core import Window
from proofreel.video import At, ClipRef, EncodedFrames, FramesRef, Ledger, Uniform, VideoError
from proofreel.video.ledger import first_difference

SHA = "0f" * 32


def _frames(times: list[float], height: int = 90, salt: str = "") -> EncodedFrames:
    jpegs = [f"{salt}{t}".encode() for t in times]
    return EncodedFrames(
        jpegs=jpegs,
        times=times,
        indices=[round(t * 30) for t in times],
        flags=[0] * len(times),
        width=160,
        height=height,
        hashes=[hashlib.sha256(j).hexdigest() for j in jpegs],
    )


def _ref(times: list[float], video: str = "v.mp4", height: int = 90) -> FramesRef:
    return FramesRef(video=video, sha256=SHA, plan=At(times).to_dict(), height=height)


def _clip(start: float, end: float) -> ClipRef:
    return ClipRef(video="v.mp4", sha256=SHA, start=start, end=end, fps=2)


def _ledger(*calls: list[float], video: str = "v.mp4", ids: str = "c") -> Ledger:
    ledger = Ledger()
    for number, times in enumerate(calls):
        ledger.record(_ref(times, video), f"{ids}{number}", "m", "perceiver", _frames(times))
    return ledger


def test_entry_says_what_was_shown() -> None:
    ledger = Ledger()
    entry = ledger.record(_ref([1.0, 2.5]), "call-1", "openai/x", "perceiver", _frames([1.0, 2.5]))
    assert (entry.call_id, entry.model, entry.role, entry.ref_id) == (
        "call-1",
        "openai/x",
        "perceiver",
        _ref([1.0, 2.5]).id,
    )
    assert (entry.width, entry.height, entry.ref.quality) == (160, 90, 85) and entry.ref.sha256 == SHA
    assert [(f.time, f.index, f.sha256) for f in entry.frames] == [
        (1.0, 30, hashlib.sha256(b"1.0").hexdigest()),
        (2.5, 75, hashlib.sha256(b"2.5").hexdigest()),
    ]
    clip = ledger.record(_clip(3, 5), "call-2", "g", "perceiver", b"mp4")
    assert (clip.clip_bytes, clip.clip_sha256) == (
        3,
        hashlib.sha256(b"mp4").hexdigest(),
    ) and clip.frames == ()
    nothing = ledger.record(_clip(3, 5), "call-3", "g", "perceiver", None)
    assert nothing.clip_sha256 is None
    assert ledger.entries == (entry, clip, nothing) and ledger.frames_total == 2


def test_what_was_seen() -> None:
    ledger = _ledger([0.0, 1.0, 2.0], [2.0, 3.0])
    assert ledger.seen(Window(start=1, end=2.5)) == [1.0, 2.0]
    assert ledger.seen(Window(start=1, end=3), "c1") == [2.0, 3.0]
    assert ledger.seen(Window(start=1.1, end=1.9)) == [] and ledger.frames_total == 5
    ledger.record(_clip(10, 20), "c2", "g", "perceiver", b"mp4")
    ledger.record(_clip(10, 20), "c3", "g", "perceiver", None)  # never sent
    assert ledger.clips_over(Window(start=15, end=30)) == [Window(start=10, end=20)]
    assert (
        ledger.clips_over(Window(start=15, end=30), "c3") == ledger.clips_over(Window(start=21, end=30)) == []
    )


@given(st.lists(st.lists(st.floats(0, 1e4), min_size=1, max_size=4), max_size=5))
def test_file_holds_what_was_recorded(
    tmp_path_factory: pytest.TempPathFactory, calls: list[list[float]]
) -> None:
    path = tmp_path_factory.mktemp("l") / "deep" / "ledger.jsonl"
    ledger = Ledger(path)
    for number, times in enumerate(calls):
        ledger.record(_ref(times), f"c{number}", "m", "r", _frames(times))
    if calls:
        back = Ledger.load(path)
        assert back.entries == ledger.entries and back.problems == []
        assert first_difference(back, ledger) is None
        assert len(path.read_text().splitlines()) == len(calls)


@pytest.mark.parametrize("cut", [1, 5, 200])
def test_half_written_last_line_is_skipped_and_told(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "l.jsonl"
    ledger = Ledger(path)
    for number in range(3):
        ledger.record(_ref([float(number)]), f"c{number}", "m", "r", _frames([float(number)]))
    path.write_bytes(path.read_bytes()[:-cut])
    torn = Ledger(path)
    if cut == 1:  # only the line end is gone: the record is whole
        assert [e.call_id for e in torn.entries] == ["c0", "c1", "c2"] and torn.problems == []
    else:
        assert [e.call_id for e in torn.entries] == ["c0", "c1"]
        assert torn.problems == [f"{path}: line 3 is half-written, ignored"]
    torn.record(_ref([9.0]), "c9", "m", "r", _frames([9.0]))
    again = Ledger.load(path)
    assert again.entries == torn.entries and again.entries[-1].call_id == "c9"
    assert len(again.problems) == (0 if cut == 1 else 1)


def test_killed_writer_loses_at_most_its_last_line(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from test_ledger import _ref, _frames\n"
        "from proofreel.video import Ledger\n"
        "ledger = Ledger(sys.argv[1]); n = 0\n"
        "while True:\n"
        "    ledger.record(_ref([float(n)]), f'c{n}', 'm', 'r', _frames([float(n)])); n += 1\n"
        "    print(n, flush=True)\n"
    )
    path = tmp_path / "l.jsonl"
    here = str(Path(__file__).parent)
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(path), here], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(50)][-1]
    writer.send_signal(signal.SIGKILL)
    told = max([told, *map(int, writer.stdout.read().split())])
    writer.wait()
    entries = Ledger.load(path).entries
    assert [e.call_id for e in entries] == [f"c{n}" for n in range(len(entries))]
    assert told <= len(entries) <= told + 1


def test_many_threads_write_whole_lines(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.jsonl")

    def work(name: str) -> None:
        for number in range(40):
            ledger.record(_ref([float(number)]), f"{name}{number}", "m", "r", _frames([float(number)]))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    back = Ledger.load(tmp_path / "l.jsonl")
    assert (
        back.entries == ledger.entries and len({e.call_id for e in back.entries}) == 160 and not back.problems
    )


def test_what_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"none\.jsonl: no ledger here"):
        Ledger.load(tmp_path / "none.jsonl")
    (tmp_path / "other").write_text(json.dumps({"a": 1}) + "\nwords\n")
    assert len(Ledger.load(tmp_path / "other").problems) == 2
    (tmp_path / "file").touch()
    with pytest.raises(VideoError, match="cannot write the ledger"):
        Ledger(tmp_path / "file" / "l.jsonl").record(_clip(0, 1), "c", "m", "r")


def test_equal_runs_do_not_differ() -> None:
    assert first_difference(_ledger([1.0], [2.0]), _ledger([1.0], [2.0], video="/moved/v.mp4")) is None
    assert first_difference(_ledger([1.0], [2.0]), _ledger([1.0], [2.0], ids="other")) is None
    assert first_difference(Ledger(), Ledger()) is None


def test_calls_are_paired_by_name_whatever_their_order() -> None:
    a, b = _ledger([1.0], [2.0]), Ledger()
    for call, times in (("c1", [2.0]), ("c0", [1.0])):
        b.record(_ref(times), call, "m", "perceiver", _frames(times))
    assert first_difference(a, b) is None


@pytest.mark.parametrize(
    ("ref", "shown", "said"),
    [
        (_ref([1.0, 2.0], height=91), _frames([1.0, 2.0]), "entry 2 (call c1): height: 90 against 91"),
        (_ref([1.0, 2.0]), _frames([1.0, 2.0], height=91), "picture height: 90 against 91"),
        (_ref([1.0, 2.0]), _frames([1.0, 2.2]), "frame 1 index: 60 against 66"),
        (_ref([1.0, 2.0]), _frames([1.0, 2.0], salt="x"), "frame 0 sha256: "),
        (_ref([1.0, 2.0]), _frames([1.0]), "frames: 2 against 1"),
        (_ref([1.0, 3.0]), _frames([1.0, 3.0]), "plan.times[1]: 2.0 against 3.0"),
        (_ref([1.0]), _frames([1.0]), "plan.times (how many): 2 against 1"),
        (
            FramesRef(video="v", sha256=SHA, plan=Uniform(2).to_dict(), height=90),
            _frames([1.0, 2.0]),
            'plan.n: "absent" against 2',
        ),
        (_clip(1, 2), b"mp4", 'kind: "frames" against "clip"'),
    ],
)
def test_first_difference_is_named(ref: FramesRef | ClipRef, shown: EncodedFrames | bytes, said: str) -> None:
    a, b = _ledger([5.0], [1.0, 2.0], [7.0]), _ledger([5.0])
    b.record(ref, "c1", "m", "perceiver", shown)
    b.record(_ref([7.5]), "c2", "m", "perceiver", _frames([7.5]))
    told = first_difference(a, b)
    assert told is not None and said in told and told.startswith("entry 2 (call c1): ") and "\n" not in told


def test_missing_entries_are_named() -> None:
    assert (
        first_difference(_ledger([1.0], [2.0]), _ledger([1.0]))
        == "2 entries against 1; the first 1 are the same"
    )
