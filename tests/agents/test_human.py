"""The agent ``human`` over real HTTP: what a person does is a trajectory, on disk at every moment."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import simplejpeg

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.agents._human.saved import Saved, place_of
from proofreel.core import Gold, Outcome, Question, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges import judge_choice
from proofreel.perception.embeddings import NgramEmbedder
from proofreel.perception.index import VideoIndex
from proofreel.perception.records import SpeechLine
from support import ROOT

HARBOUR = ROOT / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"
GATE = Question.ask("Which gate?", str(HARBOUR), ("Gate 1", "Gate 2"), id="gate")


def index() -> VideoIndex:
    """What was heard, without listening: two lines."""
    speech = (
        SpeechLine(text="The ferry to Dublin now leaves from gate two.", start=17.6, end=20.0),
        SpeechLine(text="A red umbrella was found.", start=43.0, end=45.0),
    )
    vectors = NgramEmbedder().embed([line.text for line in speech])
    return VideoIndex(str(HARBOUR), "0" * 64, 50.0, (), speech, (), NgramEmbedder.name, _vectors=vectors)


Person = Callable[[httpx.AsyncClient], Awaitable[None]]


def answered(
    folder: Path,
    person: Person,
    capsys: pytest.CaptureFixture[str],
    question: Question = GATE,
    **options: Any,
) -> tuple[Trajectory, list[Trajectory]]:
    """Runs the agent with ``person`` at the page."""
    states: list[Trajectory] = []
    limits = Budget.of(seconds=options.pop("seconds", None))
    ctx = AgentContext(budget=limits, options={"log": str(folder), **options}, on_step=states.append)

    async def main() -> Trajectory:
        task = asyncio.create_task(run_agent("human", question, ctx))
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/\S+/", capsys.readouterr().err)):
            assert not task.done(), task.result().answer
            await asyncio.sleep(0.01)
        async with httpx.AsyncClient(base_url=found[0], trust_env=False) as client:
            await person(client)
        return await asyncio.wait_for(task, 20)

    return asyncio.run(main()), states


async def act(client: httpx.AsyncClient, do: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("act", json={"do": do, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_a_person_does_is_a_trajectory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def person(client: httpx.AsyncClient) -> None:
        page = await client.get("")
        assert "default-src 'none'" in page.headers["content-security-policy"]
        before = (await client.get("state")).json()
        assert not before["opened"]
        assert before["elapsed"] == 0
        await act(client, "open")
        await act(client, "watch", start=10, end=14, rate=1)
        state = await act(client, "watch", start=14.1, end=18, rate=1)
        assert state["watched"] == [[10, 18]], "one stretch, watched in one go"
        await act(client, "watch", start=30, end=30)
        found = (await act(client, "search", query="gate of the Dublin ferry"))["found"]
        assert found[0]["text"] == "The ferry to Dublin now leaves from gate two."
        quote = {"start": 17.6, "end": 20, "quote": "from gate two", "source": "speech"}
        await act(client, "mark", citation=quote)
        await act(
            client, "mark", citation={"boxes": [{"time": 16, "box": [0.1, 0.2, 0.5, 0.6]}], "note": "board"}
        )
        await act(client, "mark", citation={"start": 40, "end": 41})
        state = await act(client, "unmark", n=1)
        assert [m["note"] for m in state["marks"]] == ["board", "no frame of this moment was looked at"]
        saved = Saved.load(place_of(GATE, tmp_path), GATE.model_copy(update={"duration": state["duration"]}))
        assert len(saved.marks) == 2, "on disk before the page hears of it"
        await act(client, "choose", letter="B", reason="the voice says so", confidence=0.75)
        state = await act(client, "answer")
        assert state["closed"]

    done, states = answered(tmp_path, person, capsys, index=index())
    assert (done.answer.letter, done.answer.value, done.answer.confidence) == ("B", "Gate 2", 0.75)
    assert done.answer.stop is StopReason.ANSWERED
    calls = [(c.name, c.arguments) for s in done.steps for c in s.calls]
    assert [name for name, _ in calls] == ["watch", "watch", "search", "cite", "cite", "cite", "uncite"]
    assert calls[0][1] == {"start": 10, "end": 18, "rate": 1}
    assert {s.phase for s in done.steps} == {"tool_call", "tool_result", "answer"}
    assert [s.id for s in done.steps] == list(range(1, len(done.steps) + 1))
    board, late = done.answer.evidence
    assert board.boxes[0].box.values == (0.1, 0.2, 0.5, 0.6)
    assert board.provenance.claimed_by == "human"
    assert late.window.start == 40
    assert 0 < done.seconds < 20
    assert len(states) >= 14
    assert not list(tmp_path.glob("*.json")), "an answered question is not taken up again"


def test_what_makes_no_sense_is_refused_and_nothing_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def person(client: httpx.AsyncClient) -> None:
        await act(client, "open")
        for body, said in [
            ({"do": "dance"}, "does not match any of the expected tags"),
            ({"do": "watch", "start": 9, "end": 2}, "a stretch ends before it starts"),
            ({"do": "watch", "start": -1, "end": 2}, "greater than or equal to 0"),
            ({"do": "choose", "letter": "Z"}, "there is no option Z"),
            ({"do": "unmark", "n": 3}, "there is no evidence 3"),
            ({"do": "mark", "citation": {}}, "evidence needs start and end, boxes or a quote"),
            ({"do": "mark", "citation": {"start": 700, "end": 701}}, "past the end of the video"),
            ({"do": "search", "query": "x"}, "there is no search in this run"),
            ([1, 2], "Input should be a valid dictionary"),
        ]:
            answer = await client.post("act", json=body)
            assert answer.status_code == 400, body
            assert said in answer.json()["error"]
        assert (
            await client.post("act", content=b"{", headers={"content-type": "application/json"})
        ).status_code == 400
        as_json = {"headers": {"content-type": "application/json"}}
        assert (await client.post("act", content=b"[" * 100_000, **as_json)).status_code == 400

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(30):
                yield b" " * 10_000

        assert (await client.post("act", content=endless(), **as_json)).status_code == 413
        # A page of another site can send a form, but not this type, and it does not know the address.
        assert (await client.post("act", data={"do": "answer"})).status_code == 415
        root = str(client.base_url).rsplit("/", 2)[0]
        for path in ("/", "/wrong/", "/wrong/state", "/wrong/video"):
            assert (await client.get(root + path)).status_code == 404
        assert (await client.get("../state")).status_code == 404
        part = await client.get("video", headers={"range": "bytes=100-199"})
        assert (part.status_code, len(part.content)) == (206, 100)
        assert part.content == HARBOUR.read_bytes()[100:200]
        picture = await client.get("frame", params={"t": 20.05})
        assert float(picture.headers["x-time"]) == 20.0
        assert simplejpeg.decode_jpeg(picture.content).shape[0] == 540
        assert (await client.get("frame", params={"t": "soon"})).status_code == 400
        await act(client, "answer")

    done, _ = answered(tmp_path, person, capsys, search=False)
    assert done.answer.stop is StopReason.ABSTAINED
    assert done.answer.reason == "left blank"
    verdict = judge_choice(done, Gold(answer="B"))
    assert (verdict.outcome, verdict.abstained) == (Outcome.WRONG, True), "blank counts as wrong"


@pytest.mark.parametrize(("letter", "stop"), [("A", StopReason.FORCED), (None, StopReason.ABSTAINED)])
def test_the_time_ends_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], letter: str | None, stop: StopReason
) -> None:
    async def person(client: httpx.AsyncClient) -> None:
        await asyncio.sleep(0.3)  # not opened: the clock does not run
        assert (await client.get("state")).json()["elapsed"] == 0
        await act(client, "open")
        await act(client, "choose", letter=letter)

    done, _ = answered(tmp_path, person, capsys, seconds=1.0)
    assert (done.answer.stop, done.answer.letter) == (stop, letter)
    assert 1.0 <= done.seconds < 2.5


def test_open_questions_take_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def person(client: httpx.AsyncClient) -> None:
        await act(client, "choose", text="  gate 2 ")
        await act(client, "answer")

    done, _ = answered(tmp_path, person, capsys, Question.ask("Which gate?", str(HARBOUR)))
    assert (done.answer.value, done.answer.letter) == ("gate 2", None)


def test_a_state_that_cannot_be_taken_up_is_said(tmp_path: Path) -> None:
    place_of(GATE, tmp_path).write_text("{")
    ctx = AgentContext(options={"log": str(tmp_path)})
    with pytest.raises(UserError, match=r"cannot be taken up .*; move it away to start this question over"):
        asyncio.run(run_agent("human", GATE, ctx))
    with pytest.raises(UserError, match="port is a number from 0 to 65535"):
        asyncio.run(run_agent("human", GATE, AgentContext(options={"port": "many"})))


def started(words: list[str], cwd: Path) -> tuple[subprocess.Popen[str], str]:
    """A command of ours in its own process, and the address it tells."""
    process = subprocess.Popen(
        [sys.executable, "-m", "proofreel", *words], cwd=cwd, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    return process, told_by(process)


def told_by(process: subprocess.Popen[str]) -> str:
    end = time.monotonic() + 60
    while found := process.stderr.readline():
        if address := re.search(r"http://127\.0\.0\.1:\d+/\S+/", found):
            return address[0]
        assert time.monotonic() < end
    raise AssertionError(f"it ended with {process.wait()} and told no address")


def test_a_killed_run_goes_on_where_the_person_was(tmp_path: Path) -> None:
    def post(address: str, **body: Any) -> dict[str, Any]:
        answer = httpx.post(f"{address}act", json=body, trust_env=False)
        assert answer.status_code == 200, answer.text
        return answer.json()

    words = ["human", "mini", "--ids", "2,4", "--no-open", "--no-search", "--minutes", "5", "--out", "r"]
    process, first = started(words, tmp_path)
    post(first, do="open")
    time.sleep(1.1)
    post(first, do="watch", start=17, end=21)
    post(first, do="choose", letter="B", reason="the board")
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()

    process, again = started(["resume", "r"], tmp_path)
    assert again != first, "a new secret"
    state = httpx.get(f"{again}state", trust_env=False).json()
    assert (state["watched"], state["draft"]["letter"]) == ([[17, 21]], "B")
    assert 1.0 <= state["elapsed"] < 3, "the time before the kill counts, the time in between does not"
    post(again, do="open")
    post(again, do="answer")
    second = told_by(process)
    assert second == again, "the next question comes at the same address"
    assert httpx.get(f"{second}state", trust_env=False).json()["id"] == "4"
    post(second, do="answer")
    assert process.wait(30) == 0
    process.stderr.close()
    results = {r["item_id"]: r for r in map(json.loads, (tmp_path / "r" / "results.jsonl").open())}
    assert results["2"]["verdict"]["outcome"] == "right"  # the shipped gold is B
    assert results["4"]["verdict"]["outcome"] == "wrong"
    assert results["4"]["verdict"]["abstained"]
    assert [c["name"] for s in results["2"]["trajectory"]["steps"] for c in s["calls"]] == ["watch"]
