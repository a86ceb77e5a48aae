"""Agents that want an index get it, made once for each video; agents of others run like ours."""

from pathlib import Path
from typing import Any

import pytest

from proofreel.agents import AgentContext, agent
from proofreel.agents.agent import AGENTS
from proofreel.core import Answer, Outcome, Question, Trajectory
from runs.world import make_data, run_here, wanted

made: list[str] = []


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> str:
    """An agent that answers A when it was given the index of its own video."""
    import proofreel.perception

    AGENTS.all()
    monkeypatch.setattr(AGENTS, "_parts", dict(AGENTS._parts))

    @agent("indexed", needs_model=False, needs_index=True, summary="for tests")
    async def indexed(question: Question, ctx: AgentContext) -> Trajectory:
        letter = "A" if ctx.options["index"] == f"index of {Path(question.video).name}" else None
        return Trajectory(question_id=question.id, agent="indexed", answer=Answer(letter=letter))

    def prepare(video: str, **_: Any) -> str:
        made.append(video)
        return f"index of {Path(video).name}"

    made.clear()
    monkeypatch.setattr(proofreel.perception, "prepare", prepare)
    return "indexed"


def test_an_index_is_made_once_a_video(tmp_path: Path, indexed: str) -> None:
    data = make_data(tmp_path / "data", questions=9, videos=3)
    run, state = run_here(wanted(data, agent=indexed, options={}, concurrency=4), tmp_path / "run")
    assert state.state == "done"
    assert all(r.trajectory.answer.letter == "A" for r in run.results())
    assert sorted(Path(v).name for v in made) == ["v0.mp4", "v1.mp4", "v2.mp4"]


def test_a_fault_of_an_agent_is_a_harness_failure_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    AGENTS.all()
    monkeypatch.setattr(AGENTS, "_parts", dict(AGENTS._parts))

    @agent("faulty", needs_model=False, summary="for tests")
    async def faulty(question: Question, ctx: AgentContext) -> Trajectory:
        if question.id == "2":
            raise KeyError("gone")
        return Trajectory(question_id=question.id, agent="faulty", answer=Answer(letter="A"))

    data = make_data(tmp_path / "data", questions=3, videos=1)
    run, state = run_here(wanted(data, agent="faulty", options={}), tmp_path / "run")
    outcomes = {r.item_id: r.verdict for r in run.results()}
    assert state.state == "done"
    assert outcomes["2"].outcome is Outcome.HARNESS_FAILED
    assert "KeyError" in outcomes["2"].reason
    assert outcomes["1"].outcome.scored
    assert outcomes["3"].outcome.scored


def test_an_index_that_cannot_be_made_costs_the_items_of_that_video(
    tmp_path: Path, indexed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import proofreel.perception

    def prepare(video: str, **_: Any) -> str:
        if video.endswith("v1.mp4"):
            raise RuntimeError("the reader\ncrashed")
        return f"index of {Path(video).name}"

    monkeypatch.setattr(proofreel.perception, "prepare", prepare)
    data = make_data(tmp_path / "data", questions=4, videos=2)
    run, state = run_here(wanted(data, agent=indexed, options={}), tmp_path / "run")
    outcomes = {r.item_id: r.verdict for r in run.results()}
    assert state.state == "done"
    assert [outcomes[n].outcome.scored for n in "1234"] == [True, False, True, False]
    assert outcomes["2"].outcome is Outcome.HARNESS_FAILED
    assert outcomes["2"].reason == "RuntimeError: the reader crashed"
