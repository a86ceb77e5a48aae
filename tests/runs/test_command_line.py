"""The verbs ``run``, ``resume``, ``score`` and ``view`` as people type them."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from cli.cli import proofreel
from proofreel.testing import OpenAIServer
from runs.world import MODEL, answering, make_data


def test_run_resume_score_and_bundle(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=1)
    with OpenAIServer(answering()) as server:
        first = proofreel(
            "run",
            "agentvidbench",
            *("--data", data, "--agent", "blind", "--model", MODEL, "--base-url", server.url, "--out", "r"),
            *("--ids", "1-3", "--set", "rule=hash", "--generate", "max_tokens=64", "--budget", "turns=5"),
            cwd=tmp_path,
        )
        assert first.code == 0, first.err
        assert "3 of 4 usable questions chosen" in first.out
        assert "done: 3/3 done" in first.out
        assert "hooks enabled" not in first.out
        again = proofreel("resume", "r", cwd=tmp_path)
        assert again.code == 0, again.err
        assert server.count == 3
        other = proofreel(
            "run", "agentvidbench", "--data", data, "--agent", "blind", "--out", "r", cwd=tmp_path
        )
        assert other.code == 4
        assert other.error_lines == ["error: r: holds a run already; go on with: proofreel resume r"]
    settings = json.loads((tmp_path / "r" / "run.json").read_text())
    assert settings["options"] == {"rule": "hash"}
    assert settings["limits"] == {"turns": 5}
    scored = proofreel("score", "r", "--mode", "official", cwd=tmp_path)
    assert scored.code == 0, scored.err
    assert (tmp_path / "r" / "scores" / "official.json").is_file()
    bundled = proofreel("view", "r", "--bundle", "site", cwd=tmp_path)
    assert bundled.code == 0, bundled.err
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    data = make_data(tmp_path / "data", questions=24, videos=1)
    with OpenAIServer(answering(delay=1)) as server:
        words = ["run", "agentvidbench", "--data", data, "--agent", "blind", "--model", MODEL]
        words += ["--base-url", server.url, "--out", "r", "--concurrency", "2"]
        with subprocess.Popen(
            [sys.executable, "-m", "proofreel", *map(str, words)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as running:
            until = time.monotonic() + 60
            while not (tmp_path / "r" / "results.jsonl").exists() and time.monotonic() < until:
                time.sleep(0.05)
            running.send_signal(number)
            out, _ = running.communicate(timeout=60)
    assert running.returncode == 4, out
    assert "stopped: interrupted" in out
    assert "go on with: proofreel resume r" in out
    assert "Traceback" not in out
    state = json.loads((tmp_path / "r" / "state.json").read_text())
    assert (state["state"], state["reason"]) == ("stopped", "interrupted")


def test_the_viewer_serves_this_machine_only(tmp_path: Path) -> None:
    assert proofreel("run", "mini", "--agent", "blind", "--limit", "1", "--out", "r", cwd=tmp_path).code == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "proofreel", "view", "r", "--port", str(port)]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            assert viewer.stdout is not None
            assert f"http://127.0.0.1:{port}" in viewer.stdout.readline()
            page = _fetch(f"http://127.0.0.1:{port}/")
        finally:
            viewer.terminate()
    assert b"<html" in page.lower()


def _fetch(url: str) -> bytes:
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_the_engine_runs_a_benchmark_by_name(tmp_path: Path) -> None:
    words = ["eval", "proofreel/mini", "--model", "none/none", "-T", "agent=blind", "--limit", "2"]
    words += ["--log-dir", str(tmp_path), "--display", "none", "--log-format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (log,) = tmp_path.glob("*.json")
    read = json.loads(log.read_text())
    assert read["status"] == "success"
    assert [s["scores"]["benchmark_verdict"]["value"] in ("C", "I") for s in read["samples"]] == [True, True]
