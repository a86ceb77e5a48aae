"""The published letter rules read what the model wrote, not how an agent of ours sums its reasons up."""

from proofreel.benchmarks.agentvidbench.extraction import local_letter
from proofreel.core import Answer, Step, Trajectory

LETTERS = list("ABCDEFGH")


def trajectory(agent: str, wrote: str, letter: str, reason: str) -> Trajectory:
    closing = Step(id=2, phase="answer", text=reason, data={"letter": letter, "stop": "answered"})
    steps = (Step(id=1, phase="thinking", text=wrote), closing)
    return Trajectory(
        question_id="1", agent=agent, model="m", steps=steps, answer=Answer(letter=letter, reason=reason)
    )


def test_the_planners_json_is_read_and_not_the_closing_step() -> None:
    made = trajectory("video_react", '{"answer": "D", "reasoning": "the sign"}', "D", "the sign")
    assert local_letter(made, "official", LETTERS) == "D"


def test_a_letter_in_a_field_of_its_own_is_taken_as_it_is() -> None:
    made = trajectory("avp", '{"selected_option": "B", "confidence": 0.9}', "B", "Gate G is seen at once")
    assert local_letter(made, "official", LETTERS) == "B"


def test_free_text_is_read_where_the_model_wrote_it() -> None:
    made = trajectory("single_turn", "I see a gate.\nFINAL ANSWER: C", "C", "option A is wrong")
    assert local_letter(made, "official", LETTERS) == "C"
