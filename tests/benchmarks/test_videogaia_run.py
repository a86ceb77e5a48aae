"""VideoGAIA through the runner: web tools on a collection, the judge hook, a replay of the run, another judgement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.wire import write_clip
from proofreel.agents import AgentContext
from proofreel.agents.agent import AGENTS, AgentSpec
from proofreel.core import Answer, Outcome, Question, Step, ToolCall, Trajectory
from proofreel.judges.open_canaries import CANARIES
from proofreel.runs.setup import Wanted
from proofreel.testing import OpenAIServer, Refused, Request, Text
from proofreel.tools import ToolContext, run_tool
from proofreel.tools.web import Archive, close_sessions
from runs.world import run_here

PAGE = "https://rail.example.org/history"
TASKS = [
    (
        "vdr_000001",
        "In which year did the railway on the plate open its first line?",
        "1847",
        "History",
        "L2",
    ),
    ("vdr_000002", "Which colour have the locomotives of that railway?", "green", "Culture", "L1"),
]


NAME = "web_walker_for_tests"


@pytest.fixture(autouse=True)
def _walker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is there for these tests alone: others go through all agents there are."""
    AGENTS.all()
    monkeypatch.setitem(AGENTS._parts, NAME, AgentSpec(NAME, "for tests", False, web_walker))


async def web_walker(question: Question, ctx: AgentContext) -> Trajectory:
    """Searches, opens the first page, answers with the sentences that share most words with the question."""
    tools = ToolContext(question, options=ctx.options)
    names = ("web_search", "page_visit")
    calls = [ToolCall(id="1", name="web_search", arguments={"query": question.text})]
    first, found = await run_tool(calls[0], tools, names)
    seen = [first]
    if found.ok and found.data["results"]:
        link = found.data["results"][0]["link"]
        calls.append(ToolCall(id="2", name="page_visit", arguments={"url": link, "goal": question.text}))
        second, _ = await run_tool(calls[1], tools, names)
        seen.append(second)
    quotes = [e.quote.text for o in seen[1:] for e in o.evidence if e.quote]
    return Trajectory(
        question_id=question.id,
        agent=NAME,
        steps=tuple(
            Step(id=n, phase="tool_call", calls=(c,), observations=(o,))
            for n, (c, o) in enumerate(zip(calls, seen, strict=True), 1)
        ),
        answer=Answer(value=" ".join(quotes) or None),
    )


def data(root: Path) -> tuple[Path, Path]:
    (root / "data/videos").mkdir(parents=True)
    rows = []
    for name, text, answer, category, level in TASKS:
        write_clip(root / f"data/videos/{name}.mp4", seconds=1, fps=5)
        video = {"local_path": f"videos/{name}.mp4", "duration_sec": 1.0}
        rows.append(
            {
                "sample_id": name,
                "video": video,
                "question_en": text,
                "answer": answer,
                "category": category,
                "difficulty": level,
            }
        )
    (root / "data/videogaia_small.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    pages = root / "pages"
    pages.mkdir()
    (pages / "rail.html").write_text(
        "<html><head><title>Harbour railway</title></head><body><article><p>The railway named on the plate opened its "
        "first line in the year 1847.</p><p>All locomotives of that railway had a green colour.</p></article>"
        "</body></html>"
    )
    (pages / "index.jsonl").write_text(json.dumps({"file": "rail.html", "url": PAGE}) + "\n")
    return root / "data", pages


def judging(request: Request) -> Any:
    """A judge that looks whether the reference stands in the answer; it knows the canaries."""
    shown = request.json["messages"][-1]["content"]
    if request.json["model"] == "no-such-judge":
        return Refused("no such model", 404)
    for text, reference, _, prediction, correct in CANARIES:
        if text in shown and f"BEGINS\n{prediction}\n" in shown and f"\n{reference}\n" in shown:
            return Text(json.dumps({"correct": correct}))
    reference = shown.split("REFERENCE\n")[1].splitlines()[0]
    answer = shown.split("BEGINS\n")[1].split("\n<<<")[0].split("\n>>>")[0]
    return Text(json.dumps({"correct": reference in answer, "reason": "looked it up"}))


def test_a_run_on_a_collection_its_replay_and_its_judge(tmp_path: Path) -> None:
    root, pages = data(tmp_path)

    def want(url: str, **options: Any) -> Wanted:
        return Wanted(
            benchmark="videogaia",
            data=root,
            agent=NAME,
            judge="openai-api/local/judge",
            base_url=url,
            options={"judge_pause": 0.01, **options},
        )

    with OpenAIServer(judging) as server:
        out = tmp_path / "run"
        options = {"web": "corpus", "web_corpus": str(pages), "web_record": str(out / "web")}
        run, state = run_here(want(server.url, **options), out)
        assert state.state == "done"
        assert server.count == len(CANARIES) + 2
        first = run.latest()
        again, _ = run_here(
            want(
                server.url,
                **{"web": "replay", "web_archive": str(out), "web_record": str(tmp_path / "again/web")},
            ),
            tmp_path / "again",
        )
        second = again.latest()
    close_sessions()
    assert {k[0]: r.verdict.outcome for k, r in first.items()} == {t[0]: Outcome.RIGHT for t in TASKS}
    for key, result in first.items():
        other = second[key]
        observed = [o.text for s in result.trajectory.steps for o in s.observations]
        assert observed == [o.text for s in other.trajectory.steps for o in s.observations]
        assert result.details["open"]["decided_by"] == "openai-api/local/judge"
        assert result.details["canaries"]["fit"] is True
    assert {e.key for e in Archive.open(out).entries} == {PAGE, *(t[1] for t in TASKS)}
    assert len(Archive.open(tmp_path / "again").entries) == 3
    sent = b"".join(r.raw for r in server.requests)
    assert b"vdr_0000" not in sent and b"History" not in sent  # the judge sees neither ids nor labels


def test_a_judge_that_is_not_there_fails_the_judgement_and_no_answer(tmp_path: Path) -> None:
    root, pages = data(tmp_path)
    with OpenAIServer(judging) as server:
        want = Wanted(
            benchmark="videogaia",
            data=root,
            agent=NAME,
            judge="openai-api/local/no-such-judge",
            base_url=server.url,
            options={"judge_pause": 0.01, "web": "corpus", "web_corpus": str(pages)},
        )
        run, state = run_here(want, tmp_path / "run")
    close_sessions()
    assert state.state == "done"
    for result in run.latest().values():
        assert result.verdict.outcome is Outcome.JUDGE_FAILED
        assert "not fit" in result.verdict.reason and "no-such-judge" in result.verdict.reason
