"""Letters read where none was given, and not read where one was."""

import pytest

from proofreel.agents.answers import UNPARSED, final_answer_letter, react_final_letter
from proofreel.core import Answer, Gold, Outcome, StopReason, Trajectory
from proofreel.judges import judge_choice

COMMITTED = [
    ("The correct answer is (B)", "B"),
    ("The correct answer is B.", "B"),
    ("Answer: B", "B"),
    ("answer: **B**", "B"),
    ("ANSWER: $A$", "A"),
    ("ANSWER: **A**", "A"),
    (r"The answer is \boxed{A}", "A"),
    (r"FINAL ANSWER: \boxed{C}", "C"),
    ("FINAL ANSWER: D", "D"),
    ("Final answer: option D", "D"),
    ("FINAL ANSWER: (E)", "E"),
    ("FINAL ANSWER: `F`", "F"),
    ("final answer is G", "G"),
    ("FINAL ANSWER：H", "H"),
    ("B", "B"),
    ("(B)", "B"),
    ("B.", "B"),
    ("B) a blue door", "B"),
    ("B: a blue door", "B"),
    ("**B**", "B"),
    ("I choose B", "B"),
    ("I would pick option C", "C"),
    ("My choice is D", "D"),
    ('{"answer": "B", "reasoning": "seen at 4 s"}', "B"),
    ("The answer is I", "I"),
    ("FINAL ANSWER: A", "A"),
    ("First A seems right.\nBut then C fits.\nFINAL ANSWER: C", "C"),
    ("FINAL ANSWER: A\nNo, wait.\nFINAL ANSWER: B", "B"),
    ("<think>FINAL ANSWER: A</think>FINAL ANSWER: B", "B"),
]
NOT_COMMITTED = [
    "Based on the video, a man opens the door.",
    "The correct thing cannot be told.",
    "A man walks in.",
    "I do not know the answer.",
    "I am not sure. The answer I do not know.",
    "As the video shows, nothing happens",
    "Between A and B I cannot decide",
    "Both option A and option B are possible",
    "There is no final answer",
    "Cannot be determined",
    "the answer is unclear",
    "",
    "Error: quota exceeded",
    "Don't know",
]


@pytest.mark.parametrize(("text", "letter"), COMMITTED)
def test_lmms_eval_1434_letter_phrasings(text: str, letter: str) -> None:
    assert final_answer_letter(text) == letter


@pytest.mark.parametrize("text", NOT_COMMITTED)
def test_lmms_eval_1434_sentence_initials_are_no_letters(text: str) -> None:
    assert final_answer_letter(text) == UNPARSED


def test_lmms_eval_1434_the_table_is_as_long_as_promised() -> None:
    assert len(COMMITTED) + len(NOT_COMMITTED) >= 40


# Of the same kind, not among the starred ones.


@pytest.mark.parametrize("text", ["ANSWER: **A**", "ANSWER: $A$", r"\boxed{A}", r"FINAL ANSWER: $\boxed{A}$"])
def test_inspect_ai_5055_markup_around_the_letter(text: str) -> None:
    assert final_answer_letter(text) == "A"


def test_vlmevalkit_638_the_same_answer_twice() -> None:
    assert final_answer_letter("FINAL ANSWER: B\n\nFINAL ANSWER: B") == "B"
    assert final_answer_letter("So \\boxed{B}.\nThe answer is \\boxed{B}") == "B"


def test_vlmevalkit_1552_verbose_and_clear_needs_no_judge() -> None:
    text = "The correct answer is B. Here's why it fits: the door at 0:12 is blue."
    assert final_answer_letter(text) == "B"
    assert react_final_letter(text) == "B"


def test_nemo_evaluator_1140_unparsed_is_counted_and_is_not_zero() -> None:
    trajectory = Trajectory(question_id="1", agent="a", answer=Answer(stop=StopReason.UNPARSED))
    assert judge_choice(trajectory, Gold(answer="A")).outcome is Outcome.UNPARSED
