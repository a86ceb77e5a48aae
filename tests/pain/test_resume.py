"""Runs that die: what was finished is kept, and the totals are of everything that was paid."""

import re
from pathlib import Path

from proofreel.runs.matrix import Cell, run_combinations
from proofreel.runs.run_folder import RunFolder
from proofreel.testing import OpenAIServer
from runs.world import answering, child, kill, make_data, resume_here, run_here, table, wanted


def results_on_disk(out: Path, least: int) -> int:
    """Waits until so many results are there."""
    import time

    path = out / "results.jsonl"
    until = time.monotonic() + 90
    while time.monotonic() < until:
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) >= least:
            return len(lines)
        time.sleep(0.01)
    raise AssertionError(f"fewer than {least} results")


def test_lmms_eval_852_a_kill_in_the_second_task_repeats_nothing_of_the_first(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=6, videos=1)
    with OpenAIServer(answering(delay=0.2)) as server:
        first = Cell("first", wanted(data, server.url, "blind", ids="1-3", concurrency=1))
        second = Cell("second", wanted(data, server.url, "blind", ids="4-6", concurrency=1))
        run_combinations([first], tmp_path / "out")
        dying = child(second.wanted, tmp_path / "out" / "second")
        results_on_disk(tmp_path / "out" / "second", 1)
        kill(dying)
        kept = len(RunFolder.open(tmp_path / "out" / "second").results())
        before = server.count
        rows = run_combinations([first, second], tmp_path / "out")
        sent = server.count - before
    assert [r.state for r in rows] == ["done", "done"]
    assert 1 <= kept < 3
    assert sent <= 3 - kept, "nothing of the first task, nothing finished of the second"


def test_inspect_ai_2628_totals_cover_both_attempts_tokens_and_time(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=6, videos=1)
    with OpenAIServer(answering(delay=0.2)) as server:
        want = wanted(data, server.url, concurrency=2)
        dying = child(want, tmp_path / "run")
        results_on_disk(tmp_path / "run", 2)
        kill(dying)
        first = RunFolder.open(tmp_path / "run").totals()
        run, state = resume_here(tmp_path / "run")
    both = run.totals()
    assert state.state == "done"
    assert both.paid.total == both.paid.calls * 110, "every call of this server is 110 tokens"
    assert 18 <= both.paid.calls <= server.count
    assert first.paid.calls >= 4
    second = both.paid.calls - first.paid.calls
    assert second < 18, "the second attempt alone is not the total"
    assert both.seconds > first.seconds > 0.4


def test_inspect_ai_913_sigkill_leaves_a_run_that_can_go_on(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=1)
    with OpenAIServer(answering(delay=0.2)) as server:
        dying = child(wanted(data, server.url, "blind", concurrency=1), tmp_path / "run")
        results_on_disk(tmp_path / "run", 1)
        kill(dying)
        killed = RunFolder.open(tmp_path / "run")
        assert killed.state is not None
        assert killed.state.state == "running", "nobody could write that it stopped"
        _, state = resume_here(tmp_path / "run")
    assert (state.state, state.done) == ("done", 4)


def test_evalscope_1416_the_table_after_a_resume_holds_all_items(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=40, videos=2)
    run, _ = run_here(wanted(data, agent="blind", options={}), tmp_path / "run")
    whole = table(run)
    lines = run.results_path.read_text().splitlines(keepends=True)
    run.results_path.write_text("".join(lines[:36]))
    run, state = resume_here(tmp_path / "run")
    assert (state.done, state.total, len(run.latest())) == (40, 40, 40)
    assert table(run) == whole


def test_f12_saving_an_answer_writes_that_answer_only(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=30, videos=1)
    run, _ = run_here(wanted(data, agent="blind", options={}), tmp_path / "run")
    first = run.results_path.stat()
    lines = run.results_path.read_bytes().splitlines(keepends=True)
    run.results_path.write_bytes(b"".join(lines[:29]))
    run, _ = resume_here(tmp_path / "run")
    after = run.results_path.read_bytes()
    assert after.startswith(b"".join(lines[:29])), "finished lines are not touched again"
    assert run.results_path.stat().st_ino == first.st_ino, "the file was appended to, not rewritten"
    assert re.search(rb'"item_id":"30"', after.splitlines()[-1])
