"""Everything that can go wrong on the way: the right outcome for that item, and the run goes on."""

import json
import os
import resource
import shutil
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from proofreel.core import Outcome
from proofreel.runs import RunError, RunFolder, live
from proofreel.runs.progress import Progress
from proofreel.runs.setup import Wanted, prepare_run
from proofreel.runs.start import resume, start
from proofreel.testing import (
    DropMidBody,
    Empty,
    Filtered,
    Hang,
    MalformedJson,
    OpenAIServer,
    Overflow,
    RateLimited,
    Reply,
    Request,
    ServerError,
    Text,
)
from runs.world import LETTERS, _server, answering, child, make_data, resume_here, run_here, table, wanted

FAULTS: dict[int, Reply] = {
    1: RateLimited(retry_after=0.1),
    2: ServerError(500),
    3: Hang(),
    4: DropMidBody(),
    5: MalformedJson(),
    6: Overflow(),
    7: Empty(),
    8: Filtered(),
    9: Text("I would rather not choose."),
}


class Waits(Progress):
    """Remembers why calls waited."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self.reasons: list[tuple[str, str]] = []

    def waiting(self, key: tuple[str, int], attempt: int, reason: str, seconds: float) -> None:
        self.reasons.append((key[0], reason))
        super().waiting(key, attempt, reason, seconds)


def scene(request: Request) -> int:
    return int(request.raw.split(b"What is shown in scene ")[1].split(b"?")[0])


def test_each_fault_ends_its_own_item_and_no_other(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=12, videos=1)
    seen: dict[int, int] = {}

    def reply(request: Request) -> Reply:
        n = scene(request)
        seen[n] = seen.get(n, 0) + 1
        if n == 12 and seen[n] == 1:
            return RateLimited(retry_after=0.1)
        gold = LETTERS[n % 4]
        wrong = LETTERS[(n + 1) % 4]
        return FAULTS.get(n) or Text(f"FINAL ANSWER: {wrong if n == 11 else gold}")

    with OpenAIServer(reply) as server:
        generate = {"max_retries": 1, "attempt_timeout": 2, "max_tokens": 64}
        want = wanted(data, server.url, "blind", generate=generate, concurrency=12)
        prepared = prepare_run(want)
        watch = Waits(12)
        began = time.monotonic()
        run, state = start(prepared, tmp_path / "run", watch)
        took = time.monotonic() - began
    assert state.state == "done"
    ended = {int(k[0]): r.verdict for k, r in run.latest().items()}
    failed = {n for n, v in ended.items() if v.outcome is Outcome.MODEL_FAILED}
    assert failed == {1, 2, 3, 4, 5, 6, 7, 8}
    assert ended[9].outcome is Outcome.UNPARSED
    assert (ended[10].outcome, ended[11].outcome, ended[12].outcome) == (
        Outcome.RIGHT,
        Outcome.WRONG,
        Outcome.RIGHT,
    )
    said = {n: ended[n].reason for n in failed}
    for n, words in {
        1: "429",
        2: "500",
        3: "time",
        5: "format",
        6: "context",
        7: "empty",
        8: "filter",
    }.items():
        assert words in said[n], said[n]
    assert ("1", "HTTP 429 rate limited") in watch.reasons
    assert ("2", "HTTP 500 server error") in watch.reasons
    assert took < 90, "a server that hangs has a deadline"
    shown = watch.tally.line()
    assert "12/12 done" in shown
    assert "accuracy so far 16.7% (2/12) · 1 unparsed · 8 model failed" in shown


def test_failed_items_run_again_on_demand_and_only_they(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=1)
    broken = True

    def reply(request: Request) -> Reply:
        return ServerError(500) if broken and scene(request) == 3 else answering()(request)

    with OpenAIServer(reply) as server:
        run, _ = run_here(wanted(data, server.url, "blind"), tmp_path / "run")
        assert run.latest()["3", 1].verdict.outcome is Outcome.MODEL_FAILED
        before = server.count
        resume_here(tmp_path / "run")
        assert server.count == before, "a plain resume repeats nothing"
        broken = False
        progress = Progress(4, run.latest().values(), run.totals())
        run, state = resume(tmp_path / "run", progress, retry_failed=True)
        assert server.count == before + 1
        assert progress.tally.line().startswith("4/4 done"), "a new ending takes the place of the old one"
        assert "failed" not in progress.tally.line()
    assert state.done == 4
    assert run.latest()["3", 1].verdict.outcome.scored
    assert run.latest()["3", 1].attempt == 2


def test_a_missing_video_among_many_gives_a_named_subset(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=7, videos=7)
    (data / "videos" / "v4.mp4").unlink()
    prepared = prepare_run(wanted(data, agent="blind", options={}))
    assert prepared.notes[0].startswith("6 of 7 questions usable")
    assert "question 5: video videos/v4.mp4 is missing" in prepared.notes[1]
    run, state = run_here(wanted(data, agent="blind", options={}), tmp_path / "run")
    assert (state.state, state.total) == ("done", 6)
    assert run.settings.items == ("1", "2", "3", "4", "6", "7")
    assert (run.settings.usable, run.settings.rows) == (6, 7)
    assert "v4.mp4" in run.settings.left_out[0]


def test_a_broken_video_fails_its_own_items(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=2)
    whole = (data / "videos" / "v1.mp4").read_bytes()
    (data / "videos" / "v1.mp4").write_bytes(b"\0" * 100 + whole[100 : len(whole) // 3])
    with OpenAIServer(answering()) as server:
        run, state = run_here(wanted(data, server.url, "single_turn"), tmp_path / "run")
    assert state.state == "done"
    outcomes = {k[0]: r.verdict for k, r in run.latest().items()}
    assert {k for k, v in outcomes.items() if not v.outcome.scored} == {"2", "4"}
    assert "v1.mp4" in outcomes["2"].reason


def test_a_read_only_data_folder_is_enough(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=2, videos=1)
    paths = [data, *data.rglob("*")]
    before = {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in paths}
    for path in paths:
        path.chmod(stat.S_IREAD | stat.S_IXUSR if path.is_dir() else stat.S_IREAD)
    try:
        with OpenAIServer(answering()) as server:
            _, state = run_here(wanted(data, server.url), tmp_path / "run")
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert state.state == "done"
    assert {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in [data, *data.rglob("*")]} == before


def test_two_runs_in_one_folder_the_second_is_refused(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)
    out = tmp_path / "run"
    with OpenAIServer(answering(delay=3)) as server:
        want = wanted(data, server.url, "blind", concurrency=1)
        first = child(want, out)
        until = time.monotonic() + 60
        while not (out / "journal.jsonl").exists() and time.monotonic() < until:
            time.sleep(0.02)
        with pytest.raises(RunError, match="another process is working on this run"):
            resume_here(out)
        with pytest.raises(RunError, match="holds a run already; go on with: proofreel resume"):
            run_here(want, out)
        first.join(60)
        assert first.exitcode == 0
    run = RunFolder.open(out)
    assert run.state is not None
    assert (run.state.state, len(run.results())) == ("done", 3)


def _limited(want: Wanted, out: str, size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    run_here(want, Path(out))


def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=12, videos=1)
    out = tmp_path / "run"
    with OpenAIServer(answering()) as server:
        want = wanted(data, server.url, "blind", concurrency=2)
        full = _server.Process(target=_limited, args=(want, str(out), 9000))
        full.start()
        full.join(90)
        stopped = RunFolder.open(out)
        assert stopped.state is not None
        assert stopped.state.state == "stopped"
        assert "cannot be written (File too large)" in (stopped.state.reason or "")
        assert "proofreel resume" in (stopped.state.reason or "")
        kept = stopped.results()
        assert 0 < len(kept) < 12
        assert stopped.problems == [], "no half-written line is left"
        run, state = resume_here(out)
        assert state.state == "done"
        assert [r.key for r in run.results()[: len(kept)]] == [r.key for r in kept]
        assert sorted(r.key for r in run.results()) == sorted(run.settings.keys)
        whole, _ = run_here(want, tmp_path / "whole")
        assert table(run) == table(whole)


def test_a_clock_that_jumps_back_harms_no_duration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=1)
    real, calls = time.time, [0]

    def jumping() -> float:
        calls[0] += 1
        return real() - (7200 if calls[0] % 2 else 0)

    with OpenAIServer(answering(delay=0.1)) as server:
        monkeypatch.setattr(time, "time", jumping)
        monkeypatch.setattr(live, "utc_now", lambda: f"20{90 - calls[0] % 50:02d}-01-01T00:00:00+00:00")
        run, state = run_here(wanted(data, server.url, "single_turn"), tmp_path / "run")
        monkeypatch.undo()
    assert state.state == "done"
    for result in run.results():
        assert result.seconds is not None
        assert 0.1 <= result.seconds < 60
    assert 0.4 <= run.totals().seconds < 240


def test_a_torn_last_line_is_dropped_told_and_its_item_runs_again(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)
    run, _ = run_here(wanted(data, agent="blind", options={}), tmp_path / "run")
    whole = table(run)
    text = run.results_path.read_text()
    run.results_path.write_text(text[:-40])
    run = RunFolder.open(tmp_path / "run")
    assert len(run.results()) == 2
    assert "half-written" in run.problems[0]
    run, state = resume_here(tmp_path / "run")
    assert state.state == "done"
    assert table(run) == whole
    assert "dropped a half-written last line" in run.problems[0]
    lines = run.results_path.read_text().splitlines()
    run.results_path.write_text("\n".join([lines[0], "{}", *lines[2:]]) + "\n")
    with pytest.raises(RunError, match=r"results.jsonl line 2: .*restore the file"):
        resume_here(tmp_path / "run")


def test_a_folder_that_is_no_run_is_said(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("")
    with pytest.raises(RunError, match="no run here"):
        RunFolder.open(tmp_path / "other")
    data = make_data(tmp_path / "data", questions=1, videos=1)
    with pytest.raises(RunError, match="is not empty and no run"):
        run_here(wanted(data, agent="blind", options={}), tmp_path / "other")


def _facts(run: RunFolder) -> dict[str, Any]:
    return json.loads((run.path / "run.json").read_text())


def test_a_moved_run_and_moved_data_go_on(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=2)
    run, _ = run_here(wanted(data, agent="blind", options={}), tmp_path / "run")
    lines = run.results_path.read_text().splitlines(keepends=True)
    run.results_path.write_text(lines[0])
    shutil.copytree(data, tmp_path / "elsewhere")
    shutil.rmtree(data)
    for path in (tmp_path / "elsewhere").rglob("*.mp4"):
        os.utime(path, (1, 1))
    shutil.move(tmp_path / "run", tmp_path / "run2")
    run, state = resume_here(tmp_path / "run2", data=tmp_path / "elsewhere")
    assert (state.state, len(run.results())) == ("done", 3)
