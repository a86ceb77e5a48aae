"""Answers and abstentions on lines written by hand; what is right follows from reading the lines."""

from typing import Any

import numpy as np
import pytest

from agents.retrieval_scenes import HandIndex, hand_corpus, lettered, screen, speech
from proofreel.agents._answerable.corpus import Corpus, corpus_of
from proofreel.agents._answerable.decide import Verdict, decide
from proofreel.core import Window
from proofreel.perception.records import SpeechLine, Word

ZOO: dict[str, Any] = {
    "speech_rows": [
        (0.0, 5.0, "The sea lions are fed at quarter past two."),
        (5.5, 10.0, "Our elephant Mira weighs three thousand kilos."),
        (10.5, 15.0, "She was born in Lisbon in 1998."),
        (15.5, 21.0, "The penguin house was painted by Greta Molnar."),
        (21.5, 27.0, "The petting farm is closed on Thursdays because the animals need rest."),
        (27.5, 33.0, "The night walk was moved from Friday to Sunday."),
    ],
    "screen_rows": [
        (0.0, 33.0, 0.05, 0.05, 0.3, 0.1, "Tickets"),
        (0.0, 33.0, 0.05, 0.2, 0.2, 0.25, "Adult"),
        (0.0, 33.0, 0.4, 0.2, 0.5, 0.25, "€19"),
        (0.0, 33.0, 0.05, 0.3, 0.2, 0.35, "Child"),
        (0.0, 33.0, 0.4, 0.3, 0.5, 0.35, "€8"),
        (10.0, 33.0, 0.05, 0.8, 0.4, 0.85, "Wi-Fi password: zebra99"),
    ],
}


@pytest.fixture(scope="module")
def zoo() -> Corpus:
    return hand_corpus(**ZOO)


def ask(corpus: Corpus, text: str, *options: str) -> Verdict:
    return decide(text, lettered(options), corpus)


@pytest.mark.parametrize(
    ("text", "options", "letter", "source"),
    [
        ("When are the sea lions fed?", ("1:45", "2:15", "2:45", "3:15"), "B", "speech"),
        ("How heavy is the elephant?", ("300 kg", "1300 kg", "3000 kg", "8000 kg"), "C", "speech"),
        ("How much is a ticket for a child?", ("8 euros", "9 euros", "19 euros", "27 euros"), "A", "screen"),
        ("How much is a ticket for an adult?", ("8 euros", "9 euros", "19 euros", "27 euros"), "C", "screen"),
        (
            "Who painted the penguin house?",
            ("Anna Kiss", "Greta Molnar", "Mira Nagy", "Eva Toth"),
            "B",
            "speech",
        ),
        (
            "On which day is the petting farm closed?",
            ("Friday", "Sunday", "Thursday", "Monday"),
            "C",
            "speech",
        ),
        ("On which day is the night walk now?", ("Friday", "Sunday", "Thursday", "Monday"), "B", "speech"),
        (
            "On which day was the night walk originally?",
            ("Friday", "Sunday", "Thursday", "Monday"),
            "A",
            "speech",
        ),
        ("What is the Wi-Fi password?", ("zebra66", "zebra99", "lion99", "panda1"), "B", "screen"),
    ],
)
def test_an_option_the_lines_carry(
    zoo: Corpus, text: str, options: tuple[str, ...], letter: str, source: str
) -> None:
    verdict = ask(zoo, text, *options)
    assert (verdict.letter, verdict.support[0].line.source) == (letter, source)
    assert verdict.probability is not None and 0.5 < verdict.probability < 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What time are the sea lions fed?", "quarter past two"),
        ("Who painted the penguin house?", "Greta Molnar"),
        ("How much is a child ticket?", "€8"),
        ("Why is the petting farm closed on Thursdays?", "because the animals need rest"),
        ("What is the Wi-Fi password?", "zebra99"),
        ("How much does Mira weigh?", "three thousand kilos"),
    ],
)
def test_an_open_question_gets_the_span(zoo: Corpus, text: str, value: str) -> None:
    assert ask(zoo, text).value == value


@pytest.mark.parametrize(
    ("text", "options"),
    [
        # another entity
        ("When are the otters fed?", ("1:45", "2:15", "2:45", "3:15")),
        ("Who painted the monkey house?", ("Anna Kiss", "Greta Molnar", "Mira Nagy", "Eva Toth")),
        ("How much is a ticket for a senior?", ("8 euros", "9 euros", "19 euros", "27 euros")),
        ("How heavy is the elephant Samu?", ("300 kg", "1300 kg", "3000 kg", "8000 kg")),
        # an attribute nobody mentions
        ("How tall is the elephant?", ("1 metre", "3 metres", "3000 metres", "19 metres")),
        ("Who is the director of the zoo?", ("Anna Kiss", "Greta Molnar", "Mira Nagy", "Eva Toth")),
        ("What does parking cost?", ("8 euros", "9 euros", "19 euros", "27 euros")),
        # another event
        ("When was the penguin house burnt down?", ("1998", "1989", "2001", "2010")),
        ("On which day was the concert cancelled?", ("Friday", "Sunday", "Thursday", "Monday")),
        # a false premise
        (
            "Why is the penguin house closed?",
            ("It is being painted", "It is too hot", "It flooded", "It burnt"),
        ),
        # only eyes could tell
        ("What is the keeper wearing?", ("A cap", "A coat", "Boots", "Gloves")),
        ("How many penguins are visible in the scene?", ("2", "8", "19", "99")),
        ("What colour is the penguin house?", ("Red", "Blue", "White", "Green")),
    ],
)
def test_lines_that_do_not_answer_give_an_abstention(
    zoo: Corpus, text: str, options: tuple[str, ...]
) -> None:
    verdict = ask(zoo, text, *options)
    assert verdict.abstained and verdict.letter is None
    assert verdict.reason and not all(c.passed for c in verdict.checks)


@pytest.mark.parametrize(
    "text",
    [
        "What is the name of the zoo?",
        "Who feeds the sea lions?",
        "When was Greta Molnar born?",
        "What is the phone number of the zoo?",
        "How many penguins live in the penguin house?",
        "What is the password of the ticket office?",
        "Where is the exit?",
    ],
)
def test_open_questions_without_an_answer_give_an_abstention(zoo: Corpus, text: str) -> None:
    assert ask(zoo, text).abstained


def test_what_is_said_in_words_may_answer_a_question_for_the_eye() -> None:
    corpus = hand_corpus(speech_rows=[(0, 4, "The bus to the stadium is green.")])
    assert (
        ask(corpus, "What colour is the bus to the stadium?", "Red", "Green", "Blue", "White").letter == "B"
    )
    assert ask(corpus, "What colour is the tram?", "Red", "Green", "Blue", "White").abstained


def test_not_mentioned_is_chosen_only_when_nothing_else_is_there_and_hearing_worked(zoo: Corpus) -> None:
    options = ("At noon", "At 2:15", "At 5 pm", "Not mentioned")
    assert ask(zoo, "When are the wolves fed?", *options).letter == "D"
    assert ask(zoo, "When are the sea lions fed?", *options).letter == "B"
    deaf = hand_corpus(**ZOO)
    deaf.notes = ("no speech model: no transcript (nothing installed)",)
    assert ask(deaf, "When are the wolves fed?", *options).abstained


def test_all_of_the_above_needs_all_of_the_above() -> None:
    corpus = hand_corpus(screen_rows=[(0, 9, 0.1, 0.1, 0.8, 0.2, "Bring: tent, lamp and rope")])
    text = "What should you bring?"
    assert ask(corpus, text, "A tent", "A lamp", "A rope", "All of the above").letter == "D"


def test_the_option_that_is_not_there() -> None:
    corpus = hand_corpus(speech_rows=[(0, 5, "The kit holds a compass, a whistle and a mirror.")])
    text = "Which of these is NOT in the kit?"
    assert ask(corpus, text, "a compass", "a whistle", "a lighter", "a mirror").letter == "C"
    assert ask(corpus, text, "a compass", "a torch", "a lighter", "a mirror").abstained  # two are missing


def test_what_a_line_denies_is_no_answer() -> None:
    corpus = hand_corpus(
        speech_rows=[(0, 5, "The parade does not start at the harbour but at the cathedral.")]
    )
    found = ask(
        corpus,
        "Where does the parade start?",
        "At the harbour",
        "At the cathedral",
        "At the park",
        "At the zoo",
    )
    assert found.letter == "B"


def test_first_and_last_follow_the_order_in_time() -> None:
    rows = [(0, 5, 0.1, 0.1, 0.5, 0.2, "Stop: Mill Lane"), (6, 11, 0.1, 0.1, 0.5, 0.2, "Stop: Oak Park"),
            (12, 17, 0.1, 0.1, 0.5, 0.2, "Stop: Dock Road")]  # fmt: skip
    corpus, options = hand_corpus(screen_rows=rows), ("Oak Park", "Dock Road", "Mill Lane", "High Street")
    assert ask(corpus, "Which stop is shown first?", *options).letter == "C"
    assert ask(corpus, "Which stop is shown last?", *options).letter == "B"
    assert (
        ask(corpus, "Which stop comes after Mill Lane?", "Oak Park", "High Street", "Elm Hill").letter == "A"
    )


def test_two_options_that_fit_equally_well_give_an_abstention() -> None:
    corpus = hand_corpus(speech_rows=[(0, 5, "The soup contains leek and barley.")])
    found = ask(corpus, "What does the soup contain?", "leek", "barley", "beef", "rice")
    assert found.abstained
    assert "as well as" in found.reason


def test_a_moment_in_the_question_limits_the_lines() -> None:
    rows = [(0, 5, 0.1, 0.1, 0.5, 0.2, "Score 1-0"), (20, 25, 0.1, 0.1, 0.5, 0.2, "Score 2-0")]
    corpus = hand_corpus(screen_rows=rows)
    assert "2-0" in (ask(corpus, "What is the score at 22 seconds?").value or "")
    assert "1-0" in (ask(corpus, "What is the score at 3 seconds?").value or "")


def test_chinese_lines() -> None:
    rows = [
        (0, 9, 0.1, 0.1 * k, 0.6, 0.1 * k + 0.06, t)
        for k, t in enumerate(["校车时间表", "早班车：七点二十分", "司机：陈建国", "票价：三元"], 1)
    ]
    corpus = hand_corpus(screen_rows=rows)
    assert ask(corpus, "早班车几点出发？", "7:10", "7:20", "7:40", "8:20").letter == "B"
    assert ask(corpus, "司机是谁？", "李明", "陈建国", "王芳", "张伟").letter == "B"
    assert ask(corpus, "票价多少钱？").value == "三元"
    assert ask(corpus, "校长是谁？", "李明", "陈建国", "王芳", "张伟").abstained


def test_no_lines_at_all() -> None:
    found = ask(hand_corpus(), "Who is speaking?", "Ann", "Bob")
    assert found.abstained and found.probability is None and found.chosen is None
    assert "no line" in found.reason


def test_it_works_without_sentence_vectors() -> None:
    plain = hand_corpus(**ZOO, vectors=False)
    assert plain.vectors is None
    assert ask(plain, "Who painted the penguin house?").value == "Greta Molnar"
    assert ask(plain, "Who painted the monkey house?").abstained


def test_vectors_of_spelling_are_not_taken_for_meaning() -> None:
    index = HandIndex(
        speech=[speech(0, 2, "Hello.")],
        vectors=np.ones((1, 4), np.float32),
        embed=lambda t: np.ones((len(t), 4), np.float32),
    )
    index.embedder = "char-ngram"  # type: ignore[attr-defined]
    assert corpus_of(index).embed is None


def test_the_window_is_that_of_the_sentence_when_words_have_times() -> None:
    said = ["Hello", "there.", "Lunch", "is", "at", "one.", "Bye."]
    words = tuple(
        Word(text=f" {w}", start=1.0 * k, end=1.0 * k + 0.8, probability=0.9) for k, w in enumerate(said)
    )
    line = SpeechLine(text=" ".join(said), start=0.0, end=6.8, words=words)
    corpus = corpus_of(HandIndex(speech=[line], screen=[screen(0, 5, 0.1, 0.1, 0.2, 0.2, "X")]))
    found = corpus.lines[1]
    start, end = found.extent(*(found.text.index("one"), found.text.index("one") + 3))
    assert found.text[start:end] == "Lunch is at one."
    assert found.window(start, end) == Window(start=2.0, end=5.8)


def test_several_answers_to_a_question_of_one_word_are_none() -> None:
    """Gates 1 and 3 are both on the board: whichever were named would be a guess."""
    board = hand_corpus(
        speech_rows=[(0.0, 4.0, "Welcome to the harbour.")],
        screen_rows=[
            (9.0, 26.0, 0.7, 0.3, 0.9, 0.4, "Gate 3"),
            (9.0, 26.0, 0.7, 0.6, 0.9, 0.7, "Gate 1"),
        ],
    )
    said = ask(board, "Which gate?")
    assert said.abstained
    assert any(c.name == "one answer stands out" and not c.passed for c in said.checks)
    alone = hand_corpus(
        speech_rows=[(0.0, 4.0, "Welcome.")], screen_rows=[(9.0, 26.0, 0.7, 0.3, 0.9, 0.4, "Gate 3")]
    )
    assert ask(alone, "Which gate?").value == "3"
