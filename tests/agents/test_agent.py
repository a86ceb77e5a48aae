"""The protocol: names, discovery, plug-ins, blind, faults, and what must never leave an agent."""

import asyncio
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from agents.wire import FINAL, LOOK, look, run
from proofreel.agents import AgentContext, Budget, UnknownNameError, agent, list_agents, run_agent
from proofreel.agents.agent import AGENTS
from proofreel.agents.blind import pick
from proofreel.agents.budget import BudgetExceeded
from proofreel.core import Gold, Item, Milestone, Question, StopReason, TokenUse, Trajectory
from proofreel.core.errors import UserError
from proofreel.testing import Text
from proofreel.tools import Registry


def ask(name: str, question: Question, ctx: AgentContext | None = None) -> Trajectory:
    return asyncio.run(run_agent(name, question, ctx or AgentContext()))


def test_agents_are_found_without_a_list(question: Question) -> None:
    found = list_agents()
    assert {"single_turn", "video_react", "blind"} <= set(found)
    assert all(spec.summary for spec in found.values())
    assert found["video_react"].needs_model
    assert not found["blind"].needs_model


def test_listing_agents_and_tools_loads_nothing_heavy() -> None:
    code = (
        "import sys; from proofreel.agents import list_agents; from proofreel.tools import list_tools\n"
        "list_agents(); list_tools()\n"
        "print([m for m in ('inspect_ai', 'av', 'onnxruntime', 'openai') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_agent_is_one_line_with_close_names(question: Question) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ask("video_reakt", question)
    assert str(caught.value).startswith("unknown agent 'video_reakt'; did you mean video_react")


def test_a_missing_model_is_said_before_anything_runs(question: Question) -> None:
    with pytest.raises(UserError, match="agent 'video_react' needs a model"):
        ask("video_react", question)
    with pytest.raises(UserError, match="mode is official or careful, got 'sloppy'"):
        ask("blind", question, AgentContext(options={"mode": "sloppy"}))


def test_third_party_agents_come_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other_agents.py").write_text(
        "from proofreel.agents import agent\n"
        "from proofreel.core import Trajectory\n"
        "@agent('other', needs_model=False, summary='from elsewhere')\n"
        "async def other(question, ctx):\n"
        "    return Trajectory(question_id=question.id, agent='other')\n"
    )
    info = tmp_path / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[proofreel.agents]\nother = other_agents\nbroken = nowhere_at_all\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    registry: Registry = Registry("agent", "proofreel.agents", "proofreel.agents")
    try:
        registry.all()  # its discovery loads the plug-in, which registers in the shared registry
        assert AGENTS.get("other").summary == "from elsewhere"
        with pytest.raises(
            UnknownNameError, match="plug-in broken failed to load: nowhere_at_all: ModuleNotFoundError"
        ):
            registry.get("broken")
    finally:
        AGENTS._parts.pop("other", None)


def test_a_name_is_given_once(question: Question) -> None:
    with pytest.raises(ValueError, match="agent 'blind' is defined twice"):

        @agent("blind", needs_model=False, summary="another")
        async def impostor(question: Question, ctx: AgentContext) -> Trajectory:
            return Trajectory(question_id=question.id, agent="impostor")


def test_a_fault_of_an_agent_is_a_harness_error_and_keeps_the_steps(question: Question) -> None:
    @agent("clumsy", needs_model=False, summary="falls over")
    async def clumsy(question: Question, ctx: AgentContext) -> Trajectory:
        from proofreel.agents._recorder import Recorder

        Recorder("clumsy", question, ctx).step("thinking", "so far so good")
        raise ZeroDivisionError("on purpose")

    try:
        done = ask("clumsy", question)
    finally:
        AGENTS._parts.pop("clumsy")
    assert done.answer.stop is StopReason.HARNESS_ERROR
    assert done.answer.reason == "ZeroDivisionError: on purpose"
    assert [s.text for s in done.steps] == ["so far so good"]


def test_an_unreadable_video_ends_in_the_trajectory(tmp_path: Path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"this is no video")
    ran = run("video_react", Question.ask("?", str(bad), ("a", "b"), duration=3.0), [look(), Text(FINAL)])
    assert ran.results[0].failure_kind == "error"
    assert "bad.mp4" in ran.results[0].text
    ran = run("single_turn", Question.ask("?", str(bad), ("a", "b")), [])
    assert ran.trajectory.answer.stop is StopReason.HARNESS_ERROR
    assert "bad.mp4" in ran.trajectory.answer.reason


# --- blind --------------------------------------------------------------------------------------------------
def test_blind_without_a_model_is_chance(clip: Path) -> None:
    letters = [
        ask("blind", Question.ask(f"Question {i}?", str(clip), ("a", "b", "c", "d"), id=str(i))).answer.letter
        for i in range(400)
    ]
    # each option about 100 of 400 times: within four standard deviations of the binomial
    spread = 4 * math.sqrt(400 * 0.25 * 0.75)
    assert all(abs(letters.count(a) - 100) < spread for a in "ABCD")


def test_blind_picks_the_same_everywhere(clip: Path) -> None:
    first = Question.ask("Which?", "here.mp4", ("x", "longest of all", "y"))
    assert pick(first, "hash") == pick(first.model_copy(update={"video": "there.mp4", "id": "other"}), "hash")
    assert pick(first, "longest") == "B"
    assert ask("blind", Question.ask("Open?", str(clip))).answer.abstained
    with pytest.raises(UserError, match="rule is hash or longest"):
        ask("blind", first, AgentContext(options={"rule": "psychic"}))


def test_blind_with_a_model_sends_no_media(question: Question) -> None:
    ran = run("blind", question, [Text("FINAL ANSWER: C")])
    assert ran.trajectory.answer.letter == "C"
    assert ran.ledger.entries == ()
    assert "image" not in ran.bodies()
    assert str(question.video) not in ran.bodies()


# --- budget -------------------------------------------------------------------------------------------------
def test_budget_counts_and_names_the_limit() -> None:
    budget = Budget.of(tokens=100, turns=3)
    assert budget.exhausted() is None
    budget.spend(turns=1, use=TokenUse(prompt=60, completion=50, calls=1))
    assert budget.left("tokens") == 0
    assert budget.left("turns") == 2
    assert budget.left("usd") is None
    assert budget.exhausted() == "tokens"
    with pytest.raises(BudgetExceeded, match=r"budget of 100 tokens is used up \(110 spent\)"):
        budget.require()
    assert budget.default(turns=20, tool_calls=15).limits.turns == 3
    assert budget.limits.tool_calls == 15


# --- leaks --------------------------------------------------------------------------------------------------
PLANTED = ("planted-gold-answer", "planted-milestone", "planted-explanation", "planted-skill")


@pytest.mark.parametrize("mode", ["careful", "official"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_no_gold_reaches_a_model_or_a_trajectory(question: Question, provider: str, mode: str) -> None:
    item = Item(
        question=question,
        gold=Gold(
            answer=PLANTED[0],
            milestones=(Milestone(id="M1", type="counting", description=PLANTED[1]),),
            explanation=PLANTED[2],
        ),
        metadata={"skills": [PLANTED[3]]},
    )
    assert PLANTED[0] in item.model_dump_json()
    for name, script in {
        "video_react": [look(start_time=0, end_time=4), Text(LOOK), Text(FINAL)],
        "single_turn": [Text("FINAL ANSWER: B")],
        "blind": [Text("FINAL ANSWER: B")],
    }.items():
        ran = run(name, item.question, script, provider, mode=mode)
        everything = (
            ran.bodies()
            + json.dumps([r.headers for r in ran.server.requests])
            + ran.trajectory.model_dump_json()
        )
        assert ran.server.count == len(script)
        assert not [p for p in PLANTED if p in everything]
        assert "test-key-not-real" not in ran.trajectory.model_dump_json()
