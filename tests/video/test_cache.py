import errno
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofreel.video import BadRequest, MediaCache, UnreadableContainer, _blob, _hash, cache_dir, file_hash
from proofreel.video._place import cache_limit, parse_size


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    cache = MediaCache(tmp_path / "c", 10**6)
    assert cache.get("a") is None
    cache.put("a", b"one")
    cache.put("b", b"")
    assert (
        cache.get("a") == b"one"
        and cache.get("b") == b""
        and MediaCache(tmp_path / "c", 10**6).get("a") == b"one"
    )


def test_made_once_then_read(tmp_path: Path) -> None:
    cache, made = MediaCache(tmp_path, 10**6), []
    for _ in range(3):
        assert cache.get_or_make("k", lambda: made.append(1) or b"data") == b"data"
    assert len(made) == 1


@given(cut=st.integers(0, 200), flip=st.integers(0, 250))
def test_any_damage_is_noticed_and_mended(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int
) -> None:
    cache = MediaCache(tmp_path_factory.mktemp("c"), 10**6)
    cache.put("k", bytes(range(200)))
    (blob,) = [p for p in cache.root.glob("??/*") if p.is_file()]
    raw = bytearray(blob.read_bytes())
    if flip < len(raw):
        raw[flip] ^= 1
    blob.write_bytes(raw[: len(raw) - cut])
    if cut == 0 and flip >= len(raw):
        assert cache.get("k") == bytes(range(200))
    else:
        assert cache.get("k") is None
        assert cache.get_or_make("k", lambda: b"new") == b"new" == cache.get("k")


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = MediaCache(tmp_path, 10_000)
    for number in range(9):
        cache.put(f"k{number}", bytes(1000))
        os.utime(cache._path(f"k{number}"), (1000 + number, 1000 + number))
    assert cache.get("k0") is not None  # used again: now the newest
    cache.put("k9", bytes(1000))
    kept = {n for n in range(10) if cache.get(f"k{n}") is not None}
    assert 0 in kept and 9 in kept and 1 not in kept
    assert cache.size() <= 10_000
    assert kept - {0} == set(range(min(kept - {0}), 10))


def test_blob_larger_than_the_cache_is_not_kept(tmp_path: Path) -> None:
    cache = MediaCache(tmp_path, 100)
    cache.put("k", bytes(101))
    assert cache.get("k") is None and MediaCache(tmp_path, 0).get_or_make("k", lambda: b"x") == b"x"


_HAMMER = """
import random, sys
from pathlib import Path
from proofreel.video.cache import MediaCache
cache = MediaCache(Path(sys.argv[1]), 60_000)
random.seed(int(sys.argv[2]))
wrong = 0
for _ in range(400):
    n = random.randrange(40)
    want = bytes([n]) * (3000 + n)
    wrong += cache.get_or_make(f"k{n}", lambda: want) != want
print(wrong, cache.writable)
"""


def test_two_processes_share_one_cache(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _HAMMER, str(tmp_path), str(n)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(2)
    ]
    assert [worker.communicate()[0].split() for worker in workers] == [["0", "True"]] * 2
    assert 0 < MediaCache(tmp_path).size() <= 60_000 * 1.1


_WRITER = """
import sys
from pathlib import Path
from proofreel.video.cache import MediaCache
cache = MediaCache(Path(sys.argv[1]), 10**10)
n = 0
print("ready", flush=True)
while True:
    cache.put(f"k{n % 5}", bytes([n % 251]) * 30_000_000)
    n += 1
"""


def test_killed_writer_leaves_nothing_half_readable(tmp_path: Path) -> None:
    parts = 0
    for attempt in range(40):
        if parts > 1:
            break
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(0.02 + 0.013 * (attempt % 7))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        parts += len(list(tmp_path.glob("??/.part-*")))
        cache = MediaCache(tmp_path, 10**10)
        for number in range(5):
            data = cache.get(f"k{number}")
            assert data is None or (len(data) == 30_000_000 and data == data[:1] * len(data))
            if data is None:
                assert not cache._path(f"k{number}").exists()
    assert parts > 1  # they were caught in the middle
    old = time.time() - 7200
    for part in tmp_path.glob("??/.part-*"):
        os.utime(part, (old, old))
    cache.evict()
    assert not list(tmp_path.glob("??/.part-*"))


def test_folder_that_cannot_be_written_costs_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = MediaCache(tmp_path / "file", 10**6)
    with pytest.warns(RuntimeWarning, match="cannot read the media cache") as caught:
        assert cache.get_or_make("a", lambda: b"one") == b"one"
        assert cache.get_or_make("b", lambda: b"two") == b"two"
    assert len(caught) == 1 and "\n" not in str(caught[0].message)


def test_full_disk_costs_one_warning_and_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = MediaCache(tmp_path, 10**6)
    cache.put("kept", b"kept")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_blob.Path, "replace", full)
    with pytest.warns(RuntimeWarning, match="No space left") as caught:
        assert cache.get_or_make("a", lambda: b"one") == b"one"
        assert cache.get_or_make("b", lambda: b"two") == b"two"
    assert len(caught) == 1
    assert cache.get("kept") == b"kept" and not list(tmp_path.glob("??/.part-*"))


def test_read_only_folder_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MediaCache(tmp_path, 10**6).put("a", b"one")

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(_blob.tempfile, "mkstemp", read_only)
    monkeypatch.setattr(os, "utime", read_only)
    cache = MediaCache(tmp_path, 10**6)
    with pytest.warns(RuntimeWarning, match="cannot write the media cache .Read-only") as caught:
        cache.put("b", b"two")
        cache.put("c", b"three")
    assert len(caught) == 1 and cache.get("a") == b"one"


def test_sizes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [parse_size(t) for t in ("5000", "10GB", "1.5 kb", "2GiB", "3m")] == [
        5000,
        10**10,
        1500,
        2 * 2**30,
        3 * 10**6,
    ]
    for wrong in ("", "ten", "-1", "10XB", "1e3", "I"):
        with pytest.raises(BadRequest, match="not a size"):
            parse_size(wrong)
    monkeypatch.setenv("PROOFREEL_CACHE_MAX", "7MB")
    assert cache_limit() == 7_000_000 == MediaCache("x").max_bytes


def test_cache_folder_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "here"))
    assert cache_dir() == tmp_path / "here" and not (tmp_path / "here").exists()
    monkeypatch.delenv("PROOFREEL_CACHE")
    assert cache_dir().name == "proofreel"


@pytest.fixture
def old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_hash, "_known", {})
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    os.utime(path, (1000, 1000))
    return path


# SHA-256 of "abc", from FIPS 180-2, appendix B.1
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_hash_is_sha256_and_follows_the_file(old_file: Path) -> None:
    assert file_hash(old_file) == ABC
    old_file.write_bytes(b"abd")
    os.utime(old_file, (2000, 2000))
    assert file_hash(old_file) != ABC
    old_file.write_bytes(b"abc")
    assert file_hash(old_file) == ABC


def test_file_is_hashed_once_also_by_the_next_process(
    old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert file_hash(old_file) == ABC

    def never(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(_hash.hashlib, "file_digest", never)
    assert file_hash(old_file) == ABC
    monkeypatch.setattr(_hash, "_known", {})  # what a new process starts with
    assert file_hash(old_file) == ABC


def test_fresh_file_changed_within_one_clock_tick_is_seen(old_file: Path) -> None:
    now = time.time_ns()
    for data in (b"one", b"two"):
        old_file.write_bytes(data)
        os.utime(old_file, ns=(now, now))
        got = file_hash(old_file)
    assert (
        got == subprocess.run(["sha256sum", str(old_file)], capture_output=True, text=True).stdout.split()[0]
    )


def test_hash_of_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe"):
        with pytest.raises(UnreadableContainer, match=str(path)):
            file_hash(path)


def test_hash_needs_no_writable_cache(
    old_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFREEL_CACHE", str(old_file / "inside"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert file_hash(old_file) == ABC
