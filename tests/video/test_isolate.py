"""Nothing hangs and nothing takes the caller along: real hangs, real kills, real processes."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.media_maker import make_clip, read_number

from proofreel.video import (
    At,
    BadRequest,
    DecoderCrashed,
    DecodeTimeout,
    OutOfRange,
    Uniform,
    UnreadableContainer,
    _isolate,
    iter_frames,
    probe,
    read_frames,
)

pytestmark = pytest.mark.skipif(not _isolate.AVAILABLE, reason="decoder processes need POSIX descriptors")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("isolate") / "clip.mp4", 90, 30, gop=30)


@pytest.fixture
def only_child() -> Iterator[_isolate.Child]:
    """The one child the next request will use, given for watching and harming it."""
    _isolate._pool.close()
    child = _isolate.Child()
    _isolate._pool._put_back(child)
    yield child
    if child.alive:
        os.kill(child.process.pid, signal.SIGCONT)


def test_a_pipe_that_never_speaks_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    began = time.monotonic()
    for use in (probe, lambda p: read_frames(p, Uniform(2))):
        with pytest.raises(UnreadableContainer, match="not a plain file"):
            use(pipe)
    assert time.monotonic() - began < 1


def test_a_native_open_that_blocks_is_killed_in_time(tmp_path: Path, only_child: _isolate.Child) -> None:
    """The open of a pipe without a writer blocks in the kernel: no Python can interrupt it."""
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    began = time.monotonic()
    with pytest.raises(DecodeTimeout, match="within 1 s"):
        _isolate.call("av:open", str(pipe), patience=_isolate.Patience(str(pipe), timeout=1.0))
    assert 0.9 < time.monotonic() - began < 3
    assert not only_child.alive


def test_a_stall_is_noticed_without_any_time_limit(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    began = time.monotonic()
    with pytest.raises(DecodeTimeout, match="stood still for 0.7 s"):
        _isolate.call("av:open", str(pipe), patience=_isolate.Patience(str(pipe), None, stall=0.7))
    assert time.monotonic() - began < 3


def test_a_frozen_decoder_is_replaced(clip: Path, only_child: _isolate.Child) -> None:
    frames = iter_frames(clip, Uniform(90), timeout=1.5)
    assert read_number(next(frames).image) == 0
    os.kill(only_child.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(DecodeTimeout) as caught:
        for _ in frames:
            pass
    assert time.monotonic() - began < 4
    assert str(clip) in str(caught.value)
    assert not only_child.alive
    assert [read_number(i) for i in read_frames(clip, Uniform(3)).images] == [0, 44, 89]


def test_a_crash_is_an_error_of_that_file_only(clip: Path, only_child: _isolate.Child) -> None:
    frames = iter_frames(clip, Uniform(90))
    next(frames)
    os.kill(only_child.process.pid, signal.SIGSEGV)
    with pytest.raises(DecoderCrashed, match="signal 11"):
        for _ in frames:
            pass
    assert [read_number(i) for i in read_frames(clip, Uniform(3)).images] == [0, 44, 89]


def test_a_child_that_died_while_idle_is_not_used(clip: Path, only_child: _isolate.Child) -> None:
    only_child.process.kill()
    only_child.process.wait()
    assert len(read_frames(clip, Uniform(3))) == 3


def test_the_time_the_reader_takes_is_not_counted(clip: Path) -> None:
    frames = iter_frames(clip, Uniform(20), timeout=2.0)
    for number, _ in enumerate(frames):
        if number in (1, 5):
            time.sleep(1.2)
    assert number == 19


def test_in_process_decoding_keeps_its_limit(clip: Path) -> None:
    big = iter_frames(clip, Uniform(90), height=4000, timeout=0.3, isolate=False)
    with pytest.raises(DecodeTimeout):
        for _ in big:
            time.sleep(0.05)


def test_many_threads_at_once(clip: Path) -> None:
    results: dict[int, list[int | None]] = {}

    def work(name: int) -> None:
        frames = read_frames(clip, At([name * 0.3 + 0.01, 0.5]))
        results[name] = [read_number(image) for image in frames.images]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [n * 9, 15] for n in range(8)}
    assert len(_isolate._pool._idle) <= os.cpu_count()  # type: ignore[operator]


def run_script(text: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(text), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


def test_a_plain_script_needs_no_main_guard(clip: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom proofreel.video import read_frames, Uniform\n"
        "print(len(read_frames(sys.argv[1], Uniform(4))))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), str(clip)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("4", "", 0)


def test_a_forked_process_decodes_too(clip: Path) -> None:
    done = run_script(
        """
        import os, sys
        from proofreel.video import read_frames, Uniform
        read_frames(sys.argv[1], Uniform(2))
        child = os.fork()
        if not child:
            os._exit(len(read_frames(sys.argv[1], Uniform(7))))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(read_frames(sys.argv[1], Uniform(5))))
        """,
        str(clip),
    )
    assert done.stdout.split() == ["7", "5"], done.stderr


def test_decoders_end_with_their_process(clip: Path) -> None:
    done = run_script(
        """
        import os, signal, sys
        from proofreel.video import iter_frames, Uniform, _isolate
        frames = iter_frames(sys.argv[1], Uniform(90))
        child = _isolate.Child(); _isolate._pool._put_back(child)
        next(frames)
        print(child.process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        str(clip),
    )
    decoder = int(done.stdout)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _running(decoder):
        time.sleep(0.05)
    assert not _running(decoder)


def _running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_libav_prints_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.mp4"
    page.write_text("<html>" * 400)
    done = run_script(
        """
        import sys
        from proofreel.video import read_frames, Uniform, VideoError
        for isolate in (True, False):
            try:
                read_frames(sys.argv[1], Uniform(2), isolate=isolate)
            except VideoError as error:
                print(error.code)
        """,
        str(page),
    )
    assert done.stdout.split() == ["unreadable_container"] * 2
    assert done.stderr == ""


@pytest.mark.parametrize(
    "error",
    [
        OutOfRange("a.mp4", "too late"),
        BadRequest("no"),
        BadRequest("no", "a.mp4"),
        DecodeTimeout("a.mp4", "a\nb"),
    ],
)
def test_errors_travel_between_processes(error: Exception) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert "\n" not in str(error)


def test_a_relative_name_is_the_one_of_the_folder_the_caller_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The warm child process is older than the chdir.
    for name, count in (("one", 10), ("two", 20)):
        (tmp_path / name).mkdir()
        make_clip(tmp_path / name / "clip.mp4", count=count)
    counts = []
    for name in ("one", "two"):
        monkeypatch.chdir(tmp_path / name)
        counts.append(len(read_frames("clip.mp4", Uniform(100)).images))
    assert counts == [10, 20]
