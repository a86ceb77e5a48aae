"""Agents inside the engine: a task with our solver, run by ``eval``, read back from its log."""

from pathlib import Path

import pytest

from agents.wire import FINAL, LOOK, look
from proofreel.agents.engine import STORE_KEY, question_of, video_agent, video_question
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError
from proofreel.models import resolve_model
from proofreel.testing import Call, OpenAIServer, Text, ToolCalls


def test_a_task_runs_our_agent_and_its_log_holds_the_trajectory(question: Question, tmp_path: Path) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match

    sample = Sample(
        id="q1",
        input=question.text,
        choices=[o.text for o in question.options],
        target="B",
        metadata={"video": question.video, "duration": 8.0, "explanation": "planted-gold-text"},
    )
    options = {"retry_waits": (), "thinking_budget": None}
    with OpenAIServer([look(start_time=0, end_time=3), Text(LOOK), Text(FINAL)]) as server:
        model = resolve_model("openai-api/local/some-vlm", base_url=server.url)
        task = Task(dataset=[sample], solver=video_agent("video_react", options), scorer=match())
        (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False)
        sent = "".join(r.raw.decode() for r in server.requests)
    assert log.status == "success", log.error
    done = log.samples[0]
    kept = Trajectory.model_validate(done.store[STORE_KEY])
    assert (kept.answer.letter, kept.frames_seen) == ("B", 3)
    assert done.output.completion == "B"
    assert done.scores["match"].value == "C"  # the engine's letter for correct
    assert "planted-gold-text" not in sent
    assert log.plan.steps[0].solver == "proofreel/video_agent"
    assert len(Path(log.location).read_bytes()) < 200_000  # references, no pictures


def test_a_sample_without_a_video_is_said(question: Question) -> None:
    with pytest.raises(
        UserError, match=r"sample s1: its metadata names no video; add metadata\['video'\] = path"
    ):
        question_of("s1", "What?", ["a"], {})


def test_one_question_inside_an_engine_program(question: Question, tmp_path: Path) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match

    answering = video_question(question.model_dump(mode="json"), "single_turn")
    with OpenAIServer([Text("FINAL ANSWER: B")]) as server:
        model = resolve_model("openai-api/local/some-vlm", base_url=server.url)
        task = Task(dataset=[Sample(input="go", target="B")], solver=answering, scorer=match())
        (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False)
    assert log.status == "success", log.error
    assert log.samples[0].output.completion == "B"


def test_a_limit_of_the_engine_ends_the_sample_and_keeps_the_steps(
    question: Question, tmp_path: Path
) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample

    sample = Sample(
        input=question.text, choices=["a", "b"], metadata={"video": question.video, "duration": 8.0}
    )
    with OpenAIServer(lambda request: ToolCalls((Call("get_transcript"),))) as server:
        model = resolve_model("openai-api/local/some-vlm", base_url=server.url)
        task = Task(dataset=[sample], solver=video_agent("video_react"), token_limit=50)
        (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False)
    (done,) = log.samples
    assert done.limit is not None, done.error
    assert done.limit.type == "token"
    kept = Trajectory.model_validate(done.store[STORE_KEY])
    assert kept.steps
    assert kept.answer.letter is None
    assert server.count < 6  # 15 tokens a call
