"""A real model over real HTTP: whatever it writes, the protocol holds. Nothing is asserted about being right."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, StopReason, Trajectory
from proofreel.models import resolve_model
from proofreel.video import Ledger
from small_llm import MODEL, small_llm


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with small_llm() as url:
        yield url


def ask(agent: str, question: Question, url: str, budget: Budget, **options: object) -> Trajectory:
    model = resolve_model(MODEL, base_url=url, attempt_timeout=500, max_retries=0, seed=7)
    ctx = AgentContext(
        model=model,
        budget=budget,
        ledger=Ledger(),
        options={"retry_waits": (), "config": {"max_tokens": 100}, **options},
    )
    return asyncio.run(run_agent(agent, question, ctx))


@pytest.mark.timeout(600)
def test_video_react_holds_its_protocol(server: str, question: Question, tmp_path: Path) -> None:
    srt = tmp_path / "said.srt"
    srt.write_text("1\n00:00:01,000 --> 00:00:03,000\nLook, a dog comes in.\n", "utf-8")
    asked = question.model_copy(update={"transcript": str(srt)})
    done = ask("video_react", asked, server, Budget.of(turns=3, tool_calls=1), actions="json_schema")
    assert Trajectory.model_validate_json(done.model_dump_json()) == done
    assert done.tokens.calls >= 1
    assert done.tokens.prompt > 500  # a real tokenizer counted the instructions
    turns = [s for s in done.steps if s.phase in ("plan", "thinking")]
    assert 1 <= len(turns) <= 3
    assert done.steps[-1].phase == "answer"
    # The schema leaves a reply two ways: a tool on offer, or an option of the question.
    assert {c.name for s in done.steps for c in s.calls} <= {"analyze_video", "get_transcript"}
    assert not [o for s in done.steps for o in s.observations if o.failure_kind == "unknown_tool"]
    answered = done.answer.stop in (StopReason.ANSWERED, StopReason.FORCED)
    assert answered == (done.answer.letter is not None)
    assert done.answer.letter in (None, "A", "B", "C")
    assert answered or done.answer.reason


def test_blind_ends_in_a_letter_or_says_why(server: str, question: Question) -> None:
    done = ask("blind", question, server, Budget.of(turns=1))
    assert done.tokens.calls == 1
    assert (done.answer.letter in ("A", "B", "C")) or done.answer.stop in (
        StopReason.UNPARSED,
        StopReason.TRUNCATED,
        StopReason.EMPTY,
    )


def test_a_text_model_that_is_shown_pictures_fails_without_an_answer(server: str, question: Question) -> None:
    done = ask("single_turn", question, server, Budget())
    assert done.answer.letter is None
    assert done.answer.stop in (StopReason.MODEL_ERROR, StopReason.OVERFLOW)
    assert done.answer.reason
