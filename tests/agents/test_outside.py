"""The agent ``outside``: a real program beside us, on scripted models, every call counted and every end kept apart."""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.wire import LOOK, Ran, run
from proofreel.agents import Budget
from proofreel.agents._outside.exchange import answer_of
from proofreel.agents._outside.sessions import Looked, look_back
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.testing import Call, OpenAIServer, Reply, ServerError, Text, ToolCalls
from runs.world import SECRET_GOLD, answering, make_data, run_here, wanted
from support import ROOT

PROGRAM = Path(__file__).with_name("outside_program.py")


def outside(
    question: Question, script: Any, *words: object, budget: Budget | None = None, **options: Any
) -> Ran:
    command = [sys.executable, str(PROGRAM), *map(str, words)]
    return run("outside", question, script, budget=budget, command=command, **options)


def looks_then_answers(request: Any) -> Reply:
    return Text(LOOK) if b"rich, partial or none" in request.raw else Text("b)")


def test_a_program_looks_asks_and_answers_and_all_of_it_is_counted(question: Question) -> None:
    ran = outside(question, looks_then_answers, "whole", budget=Budget.of(frames=10, tool_calls=5))
    done = ran.trajectory
    assert (done.answer.stop, done.answer.letter, done.answer.value) == (StopReason.ANSWERED, "B", "a dog")
    # Two frames to the program, two to the perceiver (0 and 1 s), and the program's pictures are those two again.
    assert done.frames_seen == 4
    assert ran.budget.tool_calls == 2
    assert ran.server.count == 2
    assert done.tokens.total == 30
    names = [c.name for s in done.steps for c in s.calls]
    assert names == ["watch", "analyze"]
    assert [s.data["role"] for s in done.steps if s.phase == "thinking"] == ["perceiver", "main"]
    assert done.steps[-2].data["pictures_of_its_own"] == 0
    roles = {e.role: [f.time for f in e.frames] for e in ran.ledger.entries}
    assert roles == {"outside": [2.0, 3.0], "perceiver": [0.0, 1.0]}
    (proof,) = done.answer.evidence
    assert (proof.window.start, proof.window.end, proof.provenance.frames) == (2, 4, (2.0, 3.0))
    main = ran.server.requests[-1].json["messages"][0]["content"]
    assert len([p for p in main if p["type"] == "image_url"]) == 2
    observed = [o for s in done.steps for o in s.observations if o.tool == "analyze"]
    assert all(
        e.provenance.step is None or e.provenance.step <= len(done.steps) for e in observed[0].evidence
    )
    assert len(ran.states) == len(done.steps) + 1, "kept after every step"


def test_pictures_it_made_itself_are_told_apart_and_limited(question: Question, tmp_path: Path) -> None:
    Image.new("RGB", (32, 32), "red").save(tmp_path / "own.png")
    ran = outside(question, [Text("x")] * 2, "own_picture", tmp_path / "own.png", budget=Budget.of(frames=1))
    assert ran.trajectory.answer.reason == "[None, None]", "the same picture counts once"
    assert ran.trajectory.frames_seen == 1
    assert ran.trajectory.steps[-2].data["pictures_of_its_own"] == 1
    assert not ran.ledger.entries
    none_left = outside(question, [], "own_picture", tmp_path / "own.png", budget=Budget.of(frames=0))
    assert none_left.trajectory.answer.reason == "['budget_exceeded', 'budget_exceeded']"
    assert none_left.server.count == 0


def test_the_budget_ends_model_calls_not_the_answer(question: Question) -> None:
    ran = outside(question, lambda _: Text("yes"), "until_refused", budget=Budget.of(turns=3))
    assert ran.server.count == 3
    assert ran.trajectory.answer.letter == "A"
    assert ran.trajectory.answer.reason == "3 served, then budget_exceeded"


def test_tools_and_settings_travel_both_ways(question: Question) -> None:
    ran = outside(question, [ToolCalls((Call("zoom", {"at": 3}),))], "tools")
    assert ran.trajectory.answer.reason == "tool_calls {'name': 'zoom', 'arguments': '{\"at\": 3}'}"
    sent = ran.server.requests[0].json
    assert sent["tools"][0]["function"]["name"] == "zoom"
    assert sent["temperature"] == 0.5


def test_calls_that_make_no_sense_are_refused_and_cost_nothing(question: Question) -> None:
    ran = outside(question, [], "strange_calls")
    statuses = json.loads(ran.trajectory.answer.reason)
    assert statuses.pop("wrong key") == 401
    assert set(statuses.values()) == {400}, statuses
    assert ran.server.count == 0
    assert ran.trajectory.tokens.calls == 0


@pytest.mark.parametrize(
    ("words", "script", "stop", "said"),
    [
        (["crashes"], [], StopReason.HARNESS_ERROR, "exit code 1: RuntimeError: could not make sense of q1"),
        (
            ["model_fails"],
            [ServerError(503)],
            StopReason.MODEL_ERROR,
            "then the program ended with exit code 1",
        ),
        (["no answer here"], [], StopReason.UNPARSED, "no JSON object with an answer"),
        (['{"answer": "Z"}'], [], StopReason.UNPARSED, "'Z' is neither the letter nor the text of an option"),
        (['{"answer": {"letter": "A"}}'], [], StopReason.UNPARSED, "the answer cannot be read"),
        (['{"answer": ' + "[" * 9000], [], StopReason.UNPARSED, "no JSON object with an answer"),
        (['{"answer": null, "reason": "too dark"}'], [], StopReason.ABSTAINED, "too dark"),
        (['{"answer": "A cow"}'], [], StopReason.ANSWERED, ""),
    ],
)
def test_every_end_is_kept_apart(
    question: Question, words: list[str], script: list[Reply], stop: StopReason, said: str
) -> None:
    answer = outside(question, script, *words).trajectory.answer
    assert answer.stop is stop
    assert said in answer.reason
    assert (answer.letter is not None) == (stop is StopReason.ANSWERED)


def test_a_program_that_hangs_is_killed_with_its_children(question: Question, tmp_path: Path) -> None:
    began = time.monotonic()
    ran = outside(question, [], "hangs", tmp_path / "pids", budget=Budget.of(seconds=4))
    assert time.monotonic() - began < 12
    assert ran.trajectory.answer.stop is StopReason.BUDGET
    assert re.fullmatch(
        r"no answer within [0-4]\.\d s; killed with all it started", ran.trajectory.answer.reason
    )
    pids = [int(p) for p in (tmp_path / "pids").read_text().split()]
    end = time.monotonic() + 5
    while any(map(_lives, pids)):
        assert time.monotonic() < end, "a process outlived its question"
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_keys_stay_here(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("HARMLESS", "yes")
    seen = outside(question, [], "says_its_environment").trajectory.answer.reason.split()
    assert "HARMLESS" in seen
    assert "PATH" in seen
    assert "SOME_TOKEN" not in seen
    assert "GOOGLE_API_KEY" not in seen
    assert {"OPENAI_BASE_URL", "OPENAI_API_KEY"} <= set(seen)
    kept = outside(question, [], "says_its_environment", keep_env="SOME_TOKEN").trajectory.answer.reason
    assert "SOME_TOKEN" in kept.split()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "give --set command='PROGRAM ARGUMENTS' or --set entry=MODULE:FUNCTION"),
        ({"command": "x", "entry": "a:b"}, "give --set command="),
        ({"command": "no-such-program-anywhere"}, "command no-such-program-anywhere: cannot be started"),
        ({"command": "x 'y"}, "cannot be read"),
        ({"entry": "nowhere:run"}, "entry 'nowhere:run' cannot be used"),
        ({"entry": "json"}, "entry 'json' cannot be used"),
        ({"entry": "sys:path"}, "is no function"),
    ],
)
def test_what_cannot_be_started_is_said(question: Question, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        run("outside", question, [], **options)
    assert "\n" not in str(caught.value)


def test_a_function_in_this_process(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    served = run("outside", question, [Text("C")], entry="outside_functions:served")
    assert (served.trajectory.answer.letter, served.trajectory.tokens.total) == ("C", 15)
    script = [ToolCalls((Call("zoom", {"at": 1}),)), Text("A")]
    responding = run("outside", question, script, entry="outside_functions:responding")
    assert (responding.trajectory.answer.letter, responding.trajectory.answer.reason) == ("A", "zoom 4")
    sent = [r.json["messages"] for r in responding.server.requests]
    assert [[m["role"] for m in messages] for messages in sent] == [
        ["system", "user"],
        ["user", "assistant", "tool"],
    ]
    broken = run("outside", question, [], entry="outside_functions:broken").trajectory.answer
    assert (broken.stop, broken.reason) == (
        StopReason.HARNESS_ERROR,
        "the function raised ZeroDivisionError: division by zero",
    )
    slow = run("outside", question, [], entry="outside_functions:slow", budget=Budget.of(seconds=0.3))
    assert slow.trajectory.answer.stop is StopReason.BUDGET
    # Inside a run the engine's bridge leads there too, whatever address the client has.
    data = make_data(tmp_path / "data", questions=2, videos=1)
    with OpenAIServer(answering()) as server:
        entry = {"entry": "outside_functions:bridged"}
        done, _ = run_here(wanted(data, server.url, "outside", options=entry), tmp_path / "r")
        assert server.count == 2
    results = list(done.latest().values())
    assert [r.trajectory.answer.stop for r in results] == ["answered", "answered"]
    assert [r.tokens.calls for r in results] == [1, 1]


def test_on_a_benchmark_with_models_of_the_run(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=1, videos=1)

    def script(request: Any) -> Reply:
        return Text(LOOK) if b"rich, partial or none" in request.raw else Text("A")

    with OpenAIServer(script) as server:
        command = {"command": f"{sys.executable} {PROGRAM} whole"}
        done, state = run_here(wanted(data, server.url, "outside", options=command), tmp_path / "r")
        sent = "".join(r.raw.decode() for r in server.requests)
    assert state.state == "done"
    assert SECRET_GOLD not in sent
    (result,) = done.latest().values()
    assert result.trajectory.answer.letter == "A"
    assert result.tokens.calls == 2, "calls are booked on their question"
    assert SECRET_GOLD not in result.trajectory.model_dump_json()
    shown = [json.loads(line) for line in (tmp_path / "r" / "ledger.jsonl").open()]
    assert sorted(e["role"] for e in shown) == ["outside", "perceiver"]


def test_answers_by_text_letter_and_form(question: Question) -> None:
    def read(found: dict[str, Any] | None, asked: Question = question) -> Any:
        return answer_of(found, asked, step=1, shown=lambda _: [])

    assert read({"answer": " (b) "}).letter == "B"
    assert read({"answer": "A DOG"}).letter == "B"
    swapped = Question.ask("Which letter is painted?", question.video, ("B", "A"))
    assert read({"answer": "A"}, swapped).letter == "B", "the text of an option goes before a letter"
    number = Question.ask("How many?", question.video)
    assert read({"answer": 4}, number).value == "4"
    assert read({"answer": ""}, number).stop is StopReason.UNPARSED
    odd = read({"answer": "B", "evidence": [{"start": 9, "end": 1}, "soon", {"start": 1, "end": 2}]})
    assert odd.letter == "B"
    assert len(odd.evidence) == 1
    assert "(2 pieces of evidence make no sense and are left out)" in odd.reason
    assert read({"answer": "B", "confidence": 7}).stop is StopReason.UNPARSED


def test_the_documented_program_runs(question: Question, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "outside-agents.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.S)
    (tmp_path / "my_agent.py").write_text(block)
    ran = run("outside", question, [Text("B")], command=f"{sys.executable} {tmp_path / 'my_agent.py'}")
    assert ran.trajectory.answer.letter == "B"


def test_folders_that_an_agent_makes_beside_its_sessions_are_left_alone(tmp_path: Path) -> None:
    for name in ("session-x", "session-", "session-²", "session-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trajectory.json").write_text("{")
    assert look_back(tmp_path) == Looked()
