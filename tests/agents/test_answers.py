"""Phrasings people and models really use, each with the letter a reader would take, or none."""

import time

import pytest

from proofreel.agents.answers import (
    UNPARSED,
    allowed_letter,
    final_answer_letter,
    json_objects,
    react_final_letter,
)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The correct answer is (B)", "B"),
        ("The correct answer is B. Here's why: the cat left.", "B"),
        ("ANSWER: **A**", "A"),
        ("ANSWER: $A$", "A"),
        (r"The answer is \boxed{C}", "C"),
        (r"\boxed{A}", "A"),
        ("Final Answer: **Option D**", "D"),
        ("FINAL ANSWER is E", "E"),
        ("FINAL ANSWER - F", "F"),
        ("My final choice: G", "G"),
        ("The best option is H.", "H"),
        ("I'd pick K", "K"),
        ("I choose option F over option B", "F"),
        ("B) red", "B"),
        ("C - the dog", "C"),
        ("**H**", "H"),
        ("FINAL ANSWER: B\nFINAL ANSWER: C", "C"),
        ("FINAL ANSWER: A is tempting, but wrong.\n\nFINAL ANSWER: D", "D"),
        ("<think>FINAL ANSWER: A</think>\nFINAL ANSWER: B", "B"),
        ('{"answer": "L", "reasoning": "seen"}', "L"),
        # nothing a reader could take for a choice
        ("Based on the video, it is blue.", "?"),
        ("A man enters the room.", "?"),
        ("I cannot answer this.", "?"),
        ("Answer I do not know", "?"),
        ("answer I'm not sure", "?"),
        ("The answer cannot be determined", "?"),
        ("Sorry, I can't help with that", "?"),
        ("Option C is right, option D is not", "?"),
        ("FINAL ANSWER: None of the above", "?"),
        ("FINAL ANSWER: <letter>", "?"),
        ("<think>FINAL ANSWER: A", "A"),
        ("", "?"),
    ],
)
def test_free_text(text: str, letter: str) -> None:
    assert final_answer_letter(text) == letter


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ('PLAN: answer: later\n{"answer": "B", "reasoning": "x"}', "B"),
        ('first {"answer": "A"} then {"answer": "C"}', "C"),
        ('```json\n{"reasoning": "a } brace", "answer": "d"}\n```', "D"),
        ("final answer: option E", "E"),
        ("Bananas. The answer is a fruit", None),
        ("My choice is between A and B", None),
        ('{"answer": "?"}', None),
        ('{"answer": "AB"}', None),
        (None, None),
    ],
)
def test_planner_text(text: str | None, letter: str | None) -> None:
    assert react_final_letter(text) == letter


def test_letters_the_question_does_not_have() -> None:
    assert allowed_letter("B", "ABC") == "B"
    assert allowed_letter("D", "ABC") is None
    assert allowed_letter("D", "") == "D"
    assert allowed_letter(UNPARSED, "") is None


HOSTILE = {
    "spaces": "answer" + " " * 200_000,
    "braces": "{" * 100_000,
    "marks": "final answer" * 20_000,
    "keys": '"answer":' * 20_000,
    "stars": "*" * 100_000,
    "phrases": "answer is the option " * 20_000,
    "nested": '{"a":' * 50_000,
    "blank": "\n" * 200_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    final_answer_letter(text)
    react_final_letter(text)
    list(json_objects(text))
    assert time.process_time() - began < 2.0
