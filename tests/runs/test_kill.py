"""kill -9 at random points, again and again: nothing lost, nothing doubled, the same table as without a kill."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from proofreel.runs.run_folder import RunFolder
from proofreel.testing import OpenAIServer
from runs.world import answering, child, kill, make_data, run_here, table, wanted

KILLS = 20
DELAY = 0.05


@pytest.mark.timeout(600)  # 22 process starts: a minute alone, several on a busy machine
def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=24, videos=3)
    out, chance, kills, done_at_kill = tmp_path / "killed", random.Random(20), 0, []
    with OpenAIServer(answering(DELAY)) as server:
        want = wanted(data, server.url, epochs=2, concurrency=2)
        whole, state = run_here(want, tmp_path / "whole")
        assert state.state == "done"
        unkilled_calls = server.count
        server.requests.clear()
        while kills < KILLS:
            process = child(want, out)
            _wait_for_work(process, out, chance.randrange(1, 4000))
            time.sleep(chance.random() * 0.1)
            if process.exitcode is not None:
                break
            kill(process)
            kills += 1
            done_at_kill.append(len(_lines(out)))
        process = child(want, out)
        process.join(120)
        assert process.exitcode == 0
        run = RunFolder.open(out)
        results, totals = run.results(), run.totals()
        assert run.state is not None and run.state.state == "done"
        assert kills >= KILLS
        assert len(set(done_at_kill)) > 5, "the kills fell at too few places"
        keys = Counter(r.key for r in results)
        assert keys == Counter(run.settings.keys), "lost or doubled"
        assert table(run) == table(whole)
        # Every answered call is booked once: as paid or as replayed. Only calls in flight at a kill are unknown.
        paid, sent = totals.paid.calls, server.count
        assert unkilled_calls <= paid <= sent
        assert sent - paid <= kills * 2 * 2
        assert totals.paid.prompt == paid * 100
        assert totals.replayed.calls > 0
        assert totals.unfinished == totals.attempts - len(results) > 0
    print(
        f"kills {kills}, items {len(results)}, lost 0, doubled 0; calls {unkilled_calls} unkilled, {paid} paid, "
        f"{sent} sent, {totals.replayed.calls} replayed"
    )


def _lines(out: Path) -> list[str]:
    path = out / "results.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def _wait_for_work(process: object, out: Path, work: int) -> None:
    """Until the process has written so much of its journal: an item is about 1200 bytes, so kills fall anywhere."""
    journal = out / "journal.jsonl"
    before = journal.stat().st_size if journal.exists() else 0
    until = time.monotonic() + 60
    while time.monotonic() < until and process.exitcode is None:  # type: ignore[attr-defined]
        if journal.exists() and journal.stat().st_size >= before + work:
            return
        time.sleep(0.005)
