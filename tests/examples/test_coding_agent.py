"""The adapter for coding agents, with a stand-in that behaves like one: prompt and MCP configuration, nothing else."""

import asyncio
import sys
from pathlib import Path

import pytest

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, StopReason
from proofreel.video import Ledger
from support import ROOT

HARBOUR = ROOT / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"
ADAPTER = ROOT / "examples" / "coding_agent.py"
CODER = """
import json, sys
import anyio
from mcp import Client, StdioServerParameters, stdio_client

prompt, config, way = sys.argv[2], sys.argv[4], sys.argv[5]
assert "A) Gate 1" in prompt and "call cite once" in prompt
server = json.load(open(config))["mcpServers"]["proofreel"]
print("Let me look at the video.")

async def main():
    async with Client(stdio_client(StdioServerParameters(**server))) as client:
        await client.call_tool("watch", {"start": 20, "end": 22, "frames": 2, "height": 90})
        if way == "answers":
            await client.call_tool("cite", {"letter": "B", "evidence": [{"start": 20, "end": 22, "note": "board"}]})

anyio.run(main)
sys.exit(7 if way == "dies" else 0)
"""


@pytest.mark.parametrize(
    ("way", "stop", "letter"),
    [
        ("answers", StopReason.ANSWERED, "B"),
        ("dies", StopReason.HARNESS_ERROR, None),
    ],
)
def test_a_coding_agent_answers_through_cite(
    tmp_path: Path, way: str, stop: StopReason, letter: str | None
) -> None:
    (tmp_path / "coder.py").write_text(CODER)
    question = Question.ask("Which gate?", str(HARBOUR), ("Gate 1", "Gate 2"), id="gate", duration=50.0)
    coder = f"{sys.executable} {tmp_path / 'coder.py'} -p {{prompt}} --mcp-config {{mcp}} {way}"
    ledger = Ledger()
    ctx = AgentContext(
        budget=Budget.of(frames=10, seconds=60),
        ledger=ledger,
        options={"command": f"{sys.executable} {ADAPTER} {coder}"},
    )
    done = asyncio.run(run_agent("outside", question, ctx))
    assert (done.answer.stop, done.answer.letter) == (stop, letter), done.answer
    assert [f.time for e in ledger.entries for f in e.frames] == [20.0, 21.0]
    assert done.frames_seen == 2
    if way == "answers":
        (proof,) = done.answer.evidence
        assert proof.provenance.frames == (20.0, 21.0)
        assert done.steps[proof.provenance.step - 1].calls[0].name == "cite"
