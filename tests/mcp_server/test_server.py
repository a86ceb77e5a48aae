"""``proofreel mcp`` as agents use it: a process of its own, the official client, standard input and output."""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
import simplejpeg
from mcp import Client, StdioServerParameters, stdio_client

from agents.wire import LOOK
from proofreel.core import Evidence, StopReason, Trajectory
from proofreel.testing import Hang, OpenAIServer, Text
from proofreel.video import At, Ledger, read_frames
from support import ROOT

HARBOUR = ROOT / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"
WORKSHOP = HARBOUR.with_name("workshop.mp4")


def texts(result: Any) -> str:
    return "\n".join(c.text for c in result.content if c.type == "text")


def session(words: list[object], talk: Callable[[Client], Awaitable[None]]) -> None:
    """Starts a server, lets ``talk`` speak with it, closes it; two minutes at most."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "proofreel", "mcp", *map(str, words)])

    async def main() -> None:
        with anyio.fail_after(120):
            async with Client(stdio_client(server)) as client:
                await talk(client)

    anyio.run(main)


def test_a_whole_session_leaves_frames_evidence_and_a_page(tmp_path: Path) -> None:
    pictures: list[bytes] = []
    subtitles = tmp_path / "harbour.srt"
    subtitles.write_text("1\n00:00:38,000 --> 00:00:41,000\nCaptain Ingrid Larsen expects a storm.\n")

    async def talk(client: Client) -> None:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert set(tools) == {"probe", "watch", "analyze", "transcript", "search", "crop", "cite"}
        assert "NOT AVAILABLE" in tools["analyze"].description
        assert tools["crop"].input_schema["required"] == ["time", "box"]
        facts = json.loads(texts(await client.call_tool("probe", {})))
        assert facts["videos"][0]["name"] == "harbour.mp4"
        assert facts["videos"][0]["width"] == 640
        assert "B) Ingrid Larsen" in facts["question"]
        seen = await client.call_tool("watch", {"start": 10, "end": 12, "frames": 4, "height": 90})
        # Ten frames a second: 10.0, 10.5, 11.0, 11.5 are on its grid.
        assert "at seconds: 10.000, 10.500, 11.000, 11.500" in texts(seen)
        assert "frames left: 16" in texts(seen)
        close = await client.call_tool("crop", {"time": 11.0, "box": [0.5, 0, 1, 0.5], "height": 180})
        for result in (seen, close):
            pictures.extend(base64.b64decode(c.data) for c in result.content if c.type == "image")
        said = texts(await client.call_tool("transcript", {"start": 30}))
        assert said == "38.00-41.00: Captain Ingrid Larsen expects a storm."
        refused = await client.call_tool("analyze", {"focus": "boats"})
        assert refused.is_error
        assert "no perceiver model" in texts(refused)
        citation = {"start": 38, "end": 41, "quote": "Captain Ingrid Larsen", "source": "speech"}
        done = await client.call_tool("cite", {"letter": "B", "reason": "it is said", "evidence": [citation]})
        assert not done.is_error
        assert str(tmp_path / "log" / "session-1" / "proof.html") in texts(done)
        await client.call_tool("watch", {"start": 1, "end": 2, "frames": 1, "height": 90})

    words: list[object] = [HARBOUR, "--log", tmp_path / "log", "--frames", 20, "--transcript", subtitles]
    words += ["--question", "Which captain?", "--option", "Olav Vik", "--option", "Ingrid Larsen"]
    session(words, talk)

    assert [simplejpeg.decode_jpeg(p).shape for p in pictures] == [(90, 160, 3)] * 4 + [(180, 320, 3)]
    shown = simplejpeg.decode_jpeg(pictures[4]).astype(int)
    then, other = read_frames(HARBOUR, At([11.0, 3.0]), crop=(0.5, 0, 1, 0.5)).images.astype(int)
    assert np.abs(shown - then).mean() < 3, "the picture of the moment, up to the JPEG"
    assert np.abs(shown - other).mean() > 6
    folder = tmp_path / "log" / "session-1"
    ledger = Ledger.load(folder / "ledger.jsonl")
    assert [f.sha256 for e in ledger.entries for f in e.frames][:5] == [
        hashlib.sha256(p).hexdigest() for p in pictures
    ], "the ledger holds what went over the wire"
    assert {e.role for e in ledger.entries} == {"outside"}
    kept = Trajectory.model_validate_json((folder / "trajectory.json").read_bytes())
    assert (kept.answer.letter, kept.answer.value) == ("B", "Ingrid Larsen"), "a later look keeps the answer"
    assert kept.frames_seen == 6
    assert [c.name for s in kept.steps for c in s.calls] == [
        *("probe", "watch", "crop", "transcript", "analyze", "cite", "watch")
    ]
    proof = Evidence.model_validate_json(
        json.dumps(
            {k: v for k, v in json.loads((folder / "evidence.jsonl").read_text()).items() if k != "video"}
        )
    )
    assert (proof.window.start, proof.window.end, proof.quote.source) == (38, 41, "speech")
    page = (folder / "proof.html").read_text()
    assert "Captain Ingrid Larsen" in page
    assert "Which captain?" in page


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("watch", {"start": "soon"}, "start: Input should be a valid number"),
    ("watch", {"start": -1}, "start: Input should be greater than or equal to 0"),
    ("watch", {"start": 9, "end": 3}, "the window 9 to 3 s is empty"),
    ("watch", {"start": 5000}, "is empty; the video lasts"),
    ("watch", {"frames": 0}, "frames: Input should be greater than or equal to 1"),
    ("watch", {"height": 100000}, "height: Input should be less than or equal to 1080"),
    ("watch", {"speed": 3}, "speed: Extra inputs are not permitted"),
    ("watch", {"video": "../../../etc/passwd"}, "there is no video '../../../etc/passwd' here: harbour.mp4"),
    ("probe", {"video": "/etc/passwd"}, "there is no video '/etc/passwd' here"),
    ("transcript", {"video": "workshop.mp4"}, "there is no video 'workshop.mp4' here"),
    ("crop", {"time": 3, "box": [0.5, 0.5, 0.2, 0.9]}, "box is x0, y0, x1, y1 in 0-1"),
    ("crop", {"time": 3, "box": [0, 0, 640, 360]}, "box is x0, y0, x1, y1 in 0-1"),
    ("crop", {"time": 3}, "box: Field required"),
    ("search", {"query": ""}, "query: String should have at least 1 character"),
    ("search", {"query": "x" * 100_000}, "query: String should have at most 1000 characters"),
    ("cite", {}, "nothing to record"),
    ("cite", {"letter": "Q"}, "there is no option Q; there are A to B"),
    ("cite", {"letter": "AB"}, "letter: String should match pattern"),
    ("cite", {"evidence": [{"start": 900, "end": 901}]}, "evidence 1: start (900 s) is past the end"),
    (
        "cite",
        {"evidence": [{"note": "trust me"}]},
        "evidence 1: evidence needs start and end, boxes or a quote",
    ),
    ("cite", {"evidence": [{"boxes": [{"time": 1, "box": [1, 1, 2, 2]}]}]}, "a box is x0, y0, x1, y1"),
    ("no_such_tool", {}, "there is no tool 'no_such_tool'; there are: probe, watch"),
    ("x" * 5000, {"deep": [[[[{"a": "\u202e\x00"}]]]]}, "there is no tool"),
]


def test_bad_arguments_are_one_line_and_the_server_lives_on(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        for name, arguments, said in BAD:
            result = await client.call_tool(name, arguments)
            assert result.is_error, (name, arguments)
            assert said in texts(result)
            assert len(texts(result).splitlines()) == 1
            assert len(texts(result)) < 600
        done = await client.call_tool("watch", {"frames": 1, "height": 64})
        assert not done.is_error
        no_answer = await client.call_tool(
            "cite", {"evidence": [{"start": 40, "end": 70, "quote": "nobody says this"}]}
        )
        assert not no_answer.is_error
        assert "the end was cut to the end of the video" in texts(no_answer)
        assert "no frame of this moment was looked at" in texts(no_answer)

    options = ["--question", "Who?", "--option", "he", "--option", "she"]
    session([HARBOUR, "--log", tmp_path / "log", *options], talk)
    folder = tmp_path / "log" / "session-1"
    kept = Trajectory.model_validate_json((folder / "trajectory.json").read_bytes())
    failed = [o for s in kept.steps for o in s.observations if not o.ok]
    assert len(failed) == len(BAD), "what went wrong is kept as well"
    assert kept.answer.stop is StopReason.EMPTY
    assert len(kept.answer.evidence) == 1
    assert (folder / "proof.html").is_file(), "evidence without an answer is shown all the same"
    assert (folder / "calls.jsonl").stat().st_size < 60_000


def test_lines_that_are_no_messages_do_not_end_it(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    odd = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "watch", "arguments": "all"}}
    good = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "probe", "arguments": {}}}
    lines = [
        json.dumps(hello),
        json.dumps(ready),
        "not json",
        '{"jsonrpc": 7}',
        "\ufffd\x01",
        json.dumps(odd),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "proofreel", "mcp", str(HARBOUR), "--log", str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        process.stdin.write("\n".join([*lines, json.dumps(good)]) + "\n")
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        while 3 not in answers:
            message = json.loads(process.stdout.readline())
            answers[message.get("id")] = message
        process.stdin.close()
        assert process.wait(30) == 0
    assert "error" in answers[2]
    assert "harbour.mp4" in answers[3]["result"]["content"][0]["text"]


def test_a_used_up_budget_still_lets_the_agent_answer(tmp_path: Path) -> None:
    async def frames(client: Client) -> None:
        first = await client.call_tool(
            "watch", {"video": "harbour.mp4", "end": 10, "frames": 3, "height": 48}
        )
        assert len([c for c in first.content if c.type == "image"]) == 3
        second = await client.call_tool(
            "watch", {"video": "workshop.mp4", "end": 10, "frames": 3, "height": 48}
        )
        assert len([c for c in second.content if c.type == "image"]) == 2
        assert "2 of 3 frames: all that the budget allows" in texts(second)
        third = await client.call_tool("watch", {"video": "workshop.mp4"})
        assert texts(third) == "[ERROR] the budget of 5 frames is used up; give your answer with cite"
        unnamed = await client.call_tool("probe", {})
        assert len(json.loads(texts(unnamed))["videos"]) == 2
        proof = {"start": 0, "end": 9}
        done = await client.call_tool(
            "cite", {"video": "workshop.mp4", "answer": "a clock", "evidence": [proof]}
        )
        assert not done.is_error

    async def calls(client: Client) -> None:
        refused = await client.call_tool("watch", {"video": "harbour.mp4"})
        assert "the budget of 2 tool_calls is used up" in texts(refused)

    log = tmp_path / "log"
    session([HARBOUR, WORKSHOP, "--log", log, "--frames", 5], frames)
    assert (log / "session-1" / "proof-workshop.mp4.html").is_file()
    kept = Trajectory.model_validate_json((log / "session-1" / "trajectory.json").read_bytes())
    (proof,) = kept.answer.evidence
    # Two frames over ten seconds: 0 and 5 s; those of the other video do not count.
    assert proof.provenance.frames == (0.0, 5.0)
    session([HARBOUR, WORKSHOP, "--log", log, "--calls", 2, "--shared-budget"], calls)
    assert (log / "session-2" / "trajectory.json").is_file()


def test_a_perceiver_looks_is_ledgered_and_may_hang(tmp_path: Path) -> None:
    with OpenAIServer([Text(LOOK), Hang()]) as server:

        async def talk(client: Client) -> None:
            asked = {"focus": "which animal", "start_time": 1, "end_time": 4, "fps": 1}
            seen = await client.call_tool("analyze", asked)
            assert not seen.is_error, texts(seen)
            assert "a dog enters" in texts(seen)
            # One that hangs must not keep the agent from answering.
            async with anyio.create_task_group() as group:
                group.start_soon(hang, client)
                while server.count < 2:  # noqa: ASYNC110  the server is a thread
                    await anyio.sleep(0.02)
                cited = {"answer": "a ship", "evidence": [{"start": 0, "end": 8}]}
                assert not (await client.call_tool("cite", cited)).is_error
                group.cancel_scope.cancel()
            # The call that was given up lets go of its turn.
            after = await client.call_tool("watch", {"frames": 1, "height": 64}, read_timeout_seconds=60)
            assert not after.is_error

        async def hang(client: Client) -> None:
            await client.call_tool("analyze", {"end_time": 2})
            raise AssertionError("nobody answers")

        words = [
            HARBOUR,
            "--log",
            tmp_path,
            "--perceiver",
            "openai-api/local/some-vlm",
            "--base-url",
            server.url,
        ]
        session(words, talk)
    entries = Ledger.load(tmp_path / "session-1" / "ledger.jsonl").entries
    assert [(e.role, len(e.frames)) for e in entries] == [("perceiver", 3), ("outside", 1)]
    kept = Trajectory.model_validate_json((tmp_path / "session-1" / "trajectory.json").read_bytes())
    assert (kept.frames_seen, kept.tokens.total) == (4, 15), "what nobody replied to is not counted as seen"
    assert kept.answer.value == "a ship"


def test_what_cannot_be_written_down_is_not_shown(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        assert not (await client.call_tool("probe", {})).is_error
        shutil.rmtree(tmp_path / "log")
        refused = await client.call_tool("watch", {"frames": 1, "height": 64})
        assert refused.is_error
        assert not [c for c in refused.content if c.type == "image"]
        assert "cannot be written (No such file or directory)" in texts(refused)
        (tmp_path / "log" / "session-1").mkdir(parents=True)
        assert not (await client.call_tool("watch", {"frames": 1, "height": 64})).is_error

    session([HARBOUR, "--log", tmp_path / "log"], talk)


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        (["nowhere.mp4"], "nowhere.mp4"),
        (["notes.txt"], "notes.txt"),
        ([str(HARBOUR), "--question", " "], "the question is empty"),
        ([str(HARBOUR), "--option", "A"], "--option belongs to a --question"),
        ([str(HARBOUR), "--log", "notes.txt/log"], "notes.txt/log: the log cannot be written"),
    ],
)
def test_what_cannot_be_served_is_said_before_serving(tmp_path: Path, words: list[str], gone: str) -> None:
    (tmp_path / "notes.txt").write_text("words")
    words = [sys.executable, "-m", "proofreel", "mcp", *words]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert gone in done.stderr
    assert done.stdout == ""


def test_an_answer_by_text_or_letter_is_an_option_and_evidence_leads_to_its_call(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        wrong = await client.call_tool("cite", {"answer": "C"})
        assert texts(wrong).startswith("[ERROR] 'C' is no option; there are A to B")
        done = await client.call_tool("cite", {"answer": "gate 2", "evidence": [{"start": 17, "end": 20}]})
        assert not done.is_error

    session(
        [HARBOUR, "--log", tmp_path, "--option", "Gate 1", "--option", "Gate 2", "--question", "Which?"], talk
    )
    kept = Trajectory.model_validate_json((tmp_path / "session-1" / "trajectory.json").read_bytes())
    assert (kept.answer.letter, kept.answer.value) == ("B", "Gate 2")
    step = kept.answer.evidence[0].provenance.step
    (source,) = [s for s in kept.steps if s.id == step]
    assert [c.name for c in source.calls] == ["cite"]
