"""A run from start to end: what is kept, what resumes, what is refused, what never leaks."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofreel.core import Outcome
from proofreel.core.errors import UserError
from proofreel.runs import RunError, RunFolder, setup
from proofreel.runs.matrix import combinations, run_combinations
from proofreel.runs.rescore import rescore
from proofreel.runs.setup import prepare_run
from proofreel.runs.start import gold_of
from proofreel.testing import OpenAIServer, Request, Text
from proofreel.video import Ledger
from runs.world import (
    QUICK,
    SECRET_GOLD,
    answering,
    letter_for,
    make_data,
    resume_here,
    run_here,
    table,
    wanted,
)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(answering()) as running:
        yield running


def test_no_gold_reaches_any_request_of_any_agent(tmp_path: Path, server: OpenAIServer) -> None:
    data = make_data(tmp_path / "data", questions=4, videos=2)
    for agent in ("blind", "single_turn", "video_react"):
        judged = {"judge": "openai-api/local/judge"} if agent == "blind" else {}
        _, state = run_here(wanted(data, server.url, agent, **judged), tmp_path / agent)
        assert state.state == "done"
    assert server.count > 4 * 5
    planted = [SECRET_GOLD, "milestone", "answer_explanation", "difficulty", '"windows"']
    for request in server.requests:
        body = request.raw.decode("utf-8", "replace")
        assert not [word for word in planted if word in body]
    assert SECRET_GOLD in (data / "questions.jsonl").read_text(), "the words to look for are really there"


def test_logs_hold_references_and_stay_small(tmp_path: Path, server: OpenAIServer) -> None:
    data = make_data(tmp_path / "data", questions=12, videos=2, seconds=8)
    options = {**QUICK, "fps": 5, "max_frames": 40}
    run, _ = run_here(wanted(data, server.url, "single_turn", options=options), tmp_path / "run")
    assert all(r.trajectory.frames_seen >= 25 for r in run.results())
    (log,) = (run.path / "logs").glob("*.eval")
    assert log.stat().st_size / 12 < 20_000
    with zipfile.ZipFile(log) as archive:
        for name in archive.namelist():
            # zstd members cannot be read by the standard library: read the log through the engine below
            assert archive.getinfo(name).file_size < 200_000
    from inspect_ai.log import read_eval_log

    text = read_eval_log(str(log)).model_dump_json()
    assert "base64" not in text
    assert '"/9j/' not in text
    ledger = Ledger.load(run.ledger_path)
    assert ledger.problems == []
    booked = [c for r in run.results() for c in r.calls]
    assert sorted(e.call_id for e in ledger.entries) == sorted(booked), "each call's frames are in the ledger"
    assert ledger.frames_total == sum(r.trajectory.frames_seen for r in run.results())


def test_each_epoch_asks_anew_and_a_second_run_gets_nothing_of_the_first(
    tmp_path: Path, server: OpenAIServer
) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)
    want = wanted(data, server.url, "blind", epochs=2)
    run, _ = run_here(want, tmp_path / "one")
    assert server.count == 6
    assert sorted(r.key for r in run.results()) == [(str(q), e) for q in (1, 2, 3) for e in (1, 2)]
    run_here(want, tmp_path / "two")
    assert server.count == 12


def test_totals_after_a_resume_are_those_of_all_attempts(tmp_path: Path, server: OpenAIServer) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)
    run, _ = run_here(wanted(data, server.url), tmp_path / "run")
    whole, before = table(run), run.totals()
    assert before.paid.calls == 9
    lines = run.results_path.read_text().splitlines(keepends=True)
    run.results_path.write_text(lines[0])  # as if killed before the other two were kept
    run, state = resume_here(tmp_path / "run")
    after = run.totals()
    assert state.state == "done"
    assert table(run) == whole
    assert server.count == 9, "nothing is asked twice"
    assert (after.paid.calls, after.replayed.calls) == (9, 6)
    assert after.paid.total == before.paid.total == 9 * 110
    assert after.seconds > before.seconds
    assert after.attempts == 5
    again = [r for r in run.results() if r.attempt == 2]
    assert [(r.tokens.calls, r.replayed.calls) for r in again] == [(0, 3), (0, 3)]


@pytest.mark.parametrize("change", ["question", "video", "prompts"])
def test_a_resume_refuses_what_would_mix_two_kinds_of_numbers(
    tmp_path: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=2)
    run, _ = run_here(wanted(data, server.url, "blind"), tmp_path / "run")
    run.results_path.write_text("".join(run.results_path.read_text().splitlines(keepends=True)[:2]))
    if change == "question":
        path = data / "questions.jsonl"
        path.write_text(path.read_text().replace("scene 2?", "scene two?"))
        named = "fingerprint"
    elif change == "video":
        path = data / "videos" / "v1.mp4"
        path.write_bytes(path.read_bytes()[:-1] + b"\1")
        named = "video videos/v1.mp4: another file"
    else:
        monkeypatch.setattr(
            setup, "prompts_fingerprint", lambda *modules: ("other", ("proofreel.agents.blind",))
        )
        named = "prompts"
    with pytest.raises(UserError, match=named):
        resume_here(tmp_path / "run")
    run, state = resume_here(tmp_path / "run", force=True)
    assert state.state == "done"
    sessions = [line for line in run.journal.lines() if line.kind == "session"]
    assert named in sessions[-1].forced[0]


def test_a_judge_model_reads_letters_and_its_failure_is_its_own(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)

    def reply(request: Request) -> Text:
        if b"TEXT BEGINS" not in request.raw:
            return Text("I take the second one, the one with " + letter_for(request) + " in front of it")
        return Text("no json at all" if b"scene 2" in request.raw else '{"letter": "C", "reason": "said so"}')

    with OpenAIServer(reply) as server:
        run, _ = run_here(wanted(data, server.url, "blind", judge="openai-api/local/judge"), tmp_path / "run")
    verdicts = {r.item_id: r.verdict for r in run.results()}
    assert all(v.letter == "C" for k, v in verdicts.items() if v.letter)
    assert "extracted by openai-api/local/judge" in verdicts["1"].reason
    roles = {line.role for line in run.journal.lines() if line.kind == "call"}
    assert roles == {"main", "extractor"}


def test_scoring_again_needs_no_inference_and_keeps_the_first_verdicts(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=2, videos=1)
    # Without the marked line the careful rules read nothing; the published ones take the last lone capital.
    with OpenAIServer(lambda request: Text("Either could be.\nPerhaps what D shows")) as server:
        run, _ = run_here(wanted(data, server.url, "blind"), tmp_path / "run")
        asked = server.count
        first = run.results_path.read_bytes()
        assert {r.verdict.outcome for r in run.results()} == {Outcome.UNPARSED}
        scores, path = rescore(run, gold_of(run), mode="official")
        again, second = rescore(run, gold_of(run), mode="official")
        assert server.count == asked
    assert scores.counts == {"wrong": 2}  # golds are B and C
    assert scores.changed == 2
    assert run.results_path.read_bytes() == first
    assert (path.name, second.name) == ("official.json", "official-2.json")
    assert again.counts == scores.counts
    with pytest.raises(RunError, match=r"official\.json: is there already"):
        rescore(run, gold_of(run), mode="official", name="official")


def test_one_broken_combination_does_not_stop_a_matrix(tmp_path: Path, server: OpenAIServer) -> None:
    make_data(tmp_path / "data", questions=2, videos=1)
    file = tmp_path / "matrix.yaml"
    file.write_text(
        f"""
base_url: {server.url}
generate: {{max_retries: 0, max_tokens: 64}}
set: {{retry_waits: []}}
benchmarks: [{{benchmark: agentvidbench, data: data}}, {{benchmark: agentvidbench, data: gone}}]
agents: [blind, single_turn]
models: [openai-api/local/one, openai-api/local/two]
"""
    )
    cells = combinations(file)
    names = [c.name for c in cells]
    assert names[:3] == [
        "agentvidbench-blind",
        "agentvidbench-single_turn-openai-api_local_one",
        "agentvidbench-single_turn-openai-api_local_two",
    ]
    rows = run_combinations(cells, tmp_path / "out")
    states = {r.name: r.state for r in rows}
    assert [states[n] for n in names[:3]] == ["done"] * 3
    broken = [r for r in rows if r.state == "broken"]
    assert len(broken) == 3
    assert all("gone: no such folder" in (r.trouble or "") for r in broken)
    asked = server.count
    assert [r.state for r in run_combinations(cells[:3], tmp_path / "out")] == ["done"] * 3
    assert server.count == asked, "a matrix that is started again goes on, it does not repeat"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"agent": "video_raect"}, "did you mean video_react"),
        ({"ids": "1,9"}, "question 9 cannot be run"),
        ({"limits": {"turn": 3}}, "--budget turn: there is no such limit"),
        ({"generate": {"temprature": 0}}, "--generate temprature: the engine has no such setting"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_one_line(
    tmp_path: Path, words: dict[str, object], said: str
) -> None:
    data = make_data(tmp_path / "data", questions=2, videos=1)
    with pytest.raises(UserError, match=said) as caught:
        prepare_run(wanted(data, "http://127.0.0.1:9/v1", **{"agent": "blind", **words}))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_ids_name_single_questions_and_ranges(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=9, videos=1)
    chosen = prepare_run(wanted(data, agent="blind", options={}, ids="2,5-7", limit=3)).settings
    assert chosen.items == ("2", "5", "6")


def test_the_state_of_a_killed_run_says_running(tmp_path: Path, server: OpenAIServer) -> None:
    data = make_data(tmp_path / "data", questions=1, videos=1)
    run, _ = run_here(wanted(data, server.url, "blind"), tmp_path / "run")
    run.set_state("running")
    reopened = RunFolder.open(tmp_path / "run")
    assert reopened.state is not None
    assert reopened.state.state == "running"
    _, state = resume_here(tmp_path / "run")
    assert state.state == "done"
