import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from proofreel.core import (
    Answer,
    Box,
    Evidence,
    Gold,
    Item,
    Milestone,
    Observation,
    Outcome,
    Provenance,
    Question,
    Quote,
    Step,
    StopReason,
    TimedBox,
    TokenUse,
    ToolCall,
    Trajectory,
    Window,
    render_trajectory,
)

EVIDENCE = Evidence(
    window=Window(start=12.5, end=14),
    boxes=(TimedBox(time=13, box=Box(x0=0.1, y0=0.2, x1=0.3, y1=0.4)),),
    quote=Quote(text="Gate B7 视频", source="screen"),
    provenance=Provenance(claimed_by="retrieval", step=2, frames=(13.0, 13.5)),
)


def trajectory(**changes: object) -> Trajectory:
    fields: dict[str, object] = {
        "question_id": "q7",
        "agent": "video_react",
        "model": "openai/some-model",
        "steps": (
            Step(
                id=1,
                phase="tool_call",
                text="PLAN: look",
                calls=(ToolCall(id="c1", name="analyze_video", arguments={"start_time": 1, "focus": None}),),
            ),
            Step(
                id=2,
                phase="tool_result",
                observations=(
                    Observation(
                        call_id="c1",
                        tool="analyze_video",
                        ok=True,
                        text="seen: Answer: C",
                        evidence=(EVIDENCE,),
                    ),
                ),
                tokens=TokenUse(prompt=10, completion=2, calls=1, cost_usd=0.5),
            ),
            Step(id=3, phase="answer", text="Because of the sign.\nFINAL ANSWER: C"),
        ),
        "answer": Answer(value="C", letter="C", confidence=0.5, evidence=(EVIDENCE,)),
        "tokens": TokenUse(prompt=10, completion=2, calls=1, cost_usd=0.5),
        "frames_seen": 2,
    }
    return Trajectory.model_validate({**fields, **changes})


def test_json_round_trip() -> None:
    t = trajectory()
    assert Trajectory.model_validate_json(t.model_dump_json()) == t


@given(st.text(min_size=1), st.lists(st.floats(0, 1e6), max_size=4), st.one_of(st.none(), st.floats(0, 1)))
def test_any_text_and_any_time_survive_the_round_trip(
    text: str, frames: list[float], p: float | None
) -> None:
    ev = Evidence(
        quote=Quote(text=text, source="speech"), provenance=Provenance(claimed_by="x", frames=tuple(frames))
    )
    t = trajectory(answer=Answer(value=text, confidence=p, evidence=(ev,)))
    try:
        stored = t.model_dump_json()
    except ValueError:  # a lone surrogate is not text in any encoding
        assert any(0xD800 <= ord(c) <= 0xDFFF for c in text)
        return
    assert Trajectory.model_validate_json(stored) == t


def test_unknown_fields_and_other_versions_are_refused() -> None:
    stored = trajectory().model_dump(mode="json")
    with pytest.raises(ValidationError, match="gold"):
        Trajectory.model_validate({**stored, "gold": "C"})
    with pytest.raises(ValidationError, match="format_version"):
        Trajectory.model_validate({**stored, "format_version": 2})


def test_evidence_must_say_something() -> None:
    with pytest.raises(ValidationError, match="window, a box or a quote"):
        Evidence(provenance=Provenance(claimed_by="x"))


def test_a_question_holds_no_gold() -> None:
    q = Question.ask("Which gate?", "v.mp4", ("A1", "B7"))
    item = Item(question=q, gold=Gold(answer="B", explanation="SECRET-NOTE", milestones=()))
    assert "SECRET-NOTE" not in item.question.model_dump_json()
    assert set(Question.model_fields) == {"id", "text", "options", "video", "duration", "transcript"}


def test_rendered_question_by_hand() -> None:
    q = Question.ask("Which gate?", "v.mp4", ("A1", "B7"))
    assert q.rendered() == "Question: Which gate?\n\nOptions:\nA) A1\nB) B7"
    assert q.option_text("B") == "B7"
    assert q.option_text("C") is None


def test_letters_run_without_gaps() -> None:
    stored = Question.ask("x", "v", ("1", "2")).model_dump()
    stored["options"] = [{"letter": "A", "text": "1"}, {"letter": "C", "text": "2"}]
    with pytest.raises(ValidationError, match="must run A, B, C"):
        Question.model_validate(stored)
    with pytest.raises(ValueError, match="at most 26"):
        Question.ask("x", "v", tuple("123" * 9))


def test_milestone_ids() -> None:
    with pytest.raises(ValidationError):
        Milestone(id="1", type="counting", description="x")


def test_cost_of_a_sum_is_unknown_when_one_part_is() -> None:
    priced, unpriced, nothing = TokenUse(calls=1, cost_usd=0.25), TokenUse(calls=1), TokenUse()
    assert (priced + priced).cost_usd == 0.5
    assert (priced + unpriced).cost_usd is None
    assert (nothing + priced).cost_usd == 0.25
    assert sum([priced, unpriced, priced], TokenUse()).calls == 3


def test_only_right_and_wrong_are_verdicts() -> None:
    assert {o for o in Outcome if o.scored} == {Outcome.RIGHT, Outcome.WRONG}
    assert len(Outcome) == 7


def test_render_shows_all_steps_and_nothing_is_cut() -> None:
    long = "x" * 50_000
    t = trajectory(steps=(Step(id=1, phase="thinking", text=long),))
    assert long in render_trajectory(t)
    text = render_trajectory(trajectory(), Question.ask("Which gate?", "v.mp4", ("A1", "B7", "C2")))
    assert [f"[Step {k}]" in text for k in (1, 2, 3, 4)] == [True, True, True, False]
    assert "METRICS: steps=3 tool_calls=1 failed_results=0 frames_seen=2 tokens=12" in text
    assert '"focus"' not in text, "null keys are dropped"
    assert "视频" in text


def test_render_can_hide_names_and_the_letter() -> None:
    text = render_trajectory(trajectory(), blind=True, mask_letter=True)
    assert "some-model" not in text
    assert "FINAL ANSWER: C" not in text
    assert "Because of the sign." in text
    assert "seen: Answer: C" in text, "only the answer step is masked"


def test_the_default_answer_is_not_an_answer() -> None:
    t = Trajectory(question_id="q", agent="a")
    assert t.answer.value is None
    assert t.answer.stop is StopReason.MODEL_ERROR
