"""Calls that hang, loops that look frozen, files that never end, logs that no viewer opens."""

import io
import time
from pathlib import Path

from inspect_ai.log import read_eval_log_sample_summaries
from rich.console import Console

from proofreel.runs.progress import Progress
from proofreel.runs.setup import prepare_run
from proofreel.runs.start import start
from proofreel.testing import Hang, OpenAIServer, Reply, Request, ServerError
from runs.world import QUICK, answering, make_data, run_here, wanted


def test_inspect_ai_2487_a_server_that_never_answers_ends_at_a_deadline_that_is_told(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)

    def reply(request: Request) -> Reply:
        return Hang() if b"TEXT BEGINS" in request.raw else answering()(request)

    with OpenAIServer(reply) as server:
        generate = {"attempt_timeout": 1, "max_retries": 1, "max_tokens": 64}
        want = wanted(data, server.url, "blind", judge="openai-api/local/judge", generate=generate)
        began = time.monotonic()
        run, state = run_here(want, tmp_path / "run")
    assert state.state == "done"
    assert time.monotonic() - began < 60
    verdicts = [r.verdict for r in run.results()]
    assert [v.outcome.value for v in verdicts] == ["judge_failed"] * 3
    assert all("time" in v.reason for v in verdicts)


def test_inspect_ai_1277_the_line_says_waiting_attempt_and_reason(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=1, videos=1)
    failures = 3

    def reply(request: Request) -> Reply:
        nonlocal failures
        failures -= 1
        return ServerError(503) if failures >= 0 else answering()(request)

    shown = io.StringIO()
    with OpenAIServer(reply) as server:
        want = wanted(data, server.url, "blind", generate={"max_retries": 2, "max_tokens": 64})
        prepared = prepare_run(want)
        with Progress(1, console=Console(file=shown, width=200)) as progress:
            _, state = start(prepared, tmp_path / "run", progress)
    assert state.state == "done"
    assert "waiting: 1 x HTTP 503 server error, attempt 1" in shown.getvalue()


def test_decord_269_and_qwen3_vl_1841_one_cut_file_among_twenty_costs_its_own_items_only(
    tmp_path: Path,
) -> None:
    data = make_data(tmp_path / "data", questions=20, videos=20)
    bad = data / "videos" / "v7.mp4"
    bad.write_bytes(bad.read_bytes()[: bad.stat().st_size // 2])
    with OpenAIServer(answering()) as server:
        began = time.monotonic()
        run, state = run_here(wanted(data, server.url, "single_turn", concurrency=4), tmp_path / "run")
    assert state.state == "done"
    assert time.monotonic() - began < 120
    fine = [r.item_id for r in run.results() if r.verdict.outcome.scored]
    assert len(fine) >= 19
    assert {str(n) for n in range(1, 21)} - set(fine) <= {"8"}


def test_inspect_ai_1375_a_log_of_a_thousand_pictures_is_small_and_opens_at_once(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=20, videos=1, seconds=20)
    options = {**QUICK, "fps": 5, "max_frames": 100}
    with OpenAIServer(answering()) as server:
        run, _ = run_here(wanted(data, server.url, "single_turn", options=options), tmp_path / "run")
        sent = sum(len(r.raw) for r in server.requests)
    assert sum(r.trajectory.frames_seen for r in run.results()) == 2000
    (log,) = (run.path / "logs").glob("*.eval")
    assert log.stat().st_size / 20 < 20_000
    assert log.stat().st_size < sent / 10
    began = time.monotonic()
    assert len(read_eval_log_sample_summaries(str(log))) == 20
    assert time.monotonic() - began < 5
