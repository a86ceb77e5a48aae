"""What a question is taken to ask for, and typed values across spellings. Expected values are worked out by hand."""

import pytest

from proofreel.agents._answerable.asked import asked
from proofreel.agents._answerable.kinds import Kind
from proofreel.agents._answerable.numerals import numerals
from proofreel.agents._answerable.values import same, values
from proofreel.agents._answerable.words import contrasts, likeness, stem, tokenize


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What time does the ferry leave?", Kind.TIME),
        ("When was the tower built?", Kind.WHEN),
        ("On which day is the market?", Kind.DATE),
        ("In what year did the war end?", Kind.DATE),
        ("How many bikes were sold?", Kind.COUNT),
        ("How many minutes does it bake?", Kind.QUANTITY),
        ("How many dollars did she pay?", Kind.MONEY),
        ("How much does a ticket cost?", Kind.MONEY),
        ("What percentage of voters came?", Kind.PERCENT),
        ("How tall is the tower?", Kind.QUANTITY),
        ("Who designed the bridge?", Kind.PERSON),
        ("Where is the office?", Kind.PLACE),
        ("Which city hosts the fair?", Kind.PLACE),
        ("Why was the game stopped?", Kind.REASON),
        ("How do you open the lid?", Kind.MANNER),
        ("What is the Wi-Fi password?", Kind.CODE),
        ("What is the email address of the club?", Kind.EMAIL),
        ("What is the website of the club?", Kind.URL),
        ("What is the phone number of the shop?", Kind.PHONE),
        ("What colour is the door?", Kind.COLOUR),
        ("Which gate is used?", Kind.LABEL),
        ("What is the room number of the exam?", Kind.LABEL),
        ("What is the name of the dog?", Kind.NAME),
        ("What does the sign say?", Kind.SAY),
        ("Is the pool open?", Kind.YESNO),
        ("What is served with the soup?", Kind.THING),
        ("商店几点关门？", Kind.TIME),
        ("门票多少钱？", Kind.MONEY),
        ("老师是谁？", Kind.PERSON),
        ("密码是什么？", Kind.CODE),
        ("会议在哪里？", Kind.PLACE),
    ],
)
def test_type_of_the_expected_answer(text: str, kind: Kind) -> None:
    assert asked(text).kind is kind


def test_names_and_numbers_of_the_question_must_be_met() -> None:
    found = asked("When does bus 42 to Riverton leave?")
    assert {a.text for a in found.anchors if a.key} == {"42", "Riverton"}
    assert {a.text for a in found.anchors if not a.key} == {"bus", "leave"}


def test_words_about_the_recording_are_no_anchors() -> None:
    assert asked("What does the speaker in the video say about tulips?").anchors[0].text == "tulips"
    assert len(asked("What does the speaker in the video say about tulips?").anchors) == 1


def test_anchors_of_a_chinese_question_are_what_is_left_without_function_words() -> None:
    assert [a.text for a in asked("图书馆在星期几关门？").anchors] == ["图书馆", "关门"]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Where was the concert moved to?", "later"),
        ("Which room was originally planned?", "earlier"),
        ("Which word is shown last?", "last"),
        ("What is added first?", "first"),
        ("How many came last year?", None),
        ("Who scored in the first half?", None),
        ("Where is the cafe?", None),
    ],
)
def test_order_in_time(text: str, order: str | None) -> None:
    assert asked(text).order == order


def test_before_and_after_name_an_event() -> None:
    found = asked("What is poured in after the lentils?")
    assert found.relation == ("after", (stem("lentils"),))
    assert stem("lentils") not in {a.stem for a in found.anchors}


@pytest.mark.parametrize(
    "text",
    [
        "What is the man wearing?",
        "How many people are visible in the scene?",
        "What colour is the car?",
        "Where is the ball?",
        "What is she holding?",
        "Which animal appears in the video?",
        "What is on the left side of the table?",
    ],
)
def test_questions_for_the_eye(text: str) -> None:
    assert asked(text).visual


@pytest.mark.parametrize(
    "text", ["What time does the shop open?", "Who wrote the book?", "What does the sign say?"]
)
def test_questions_for_reading_and_hearing(text: str) -> None:
    assert not asked(text).visual


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("twenty-five", [25]),
        ("two hundred and fifty guests", [250]),
        ("three thousand four hundred", [3400]),
        ("one point", [1]),
        ("a dozen eggs and 3 apples", [12, 3]),
        ("nineteen sixty one", [1961]),
        ("1,250 and 2.5", [1250, 2.5]),
        ("二百三十", [230]),
        ("四十二", [42]),
        ("the third of five", [3, 5]),
    ],
)
def test_numbers_in_words_and_digits(text: str, amounts: list[float]) -> None:
    assert [n.amount for n in numerals(tokenize(text))] == amounts


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("half past nine", "9:30", "time"),
        ("a quarter to six", "5:45", "time"),
        ("9:30 pm", "21:30", "time"),
        ("at eight fifteen", "8.15 am", "time"),
        ("下午三点半", "15:30", "time"),
        ("March 3rd", "3 March 2021", "date"),
        ("on Fridays", "Friday", "date"),
        ("nineteen eighty four", "1984", "date"),
        ("十二月五日", "5 December", "date"),
        ("$4.50", "4.50 dollars", "money"),
        ("forty euros", "€40", "money"),
        ("25%", "twenty-five percent", "percent"),
        ("1.5 km", "1500 metres", "quantity"),
    ],
)
def test_the_same_value_in_other_words(one: str, other: str, kind: str) -> None:
    pairs = [(a, b) for a in values(one) for b in values(other) if a.kind == b.kind == kind]
    assert any(same(a, b) for a, b in pairs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9:30 am", "9:30 pm"),
        ("3 March 2020", "3 March 2021"),
        ("$40", "€40"),
        ("5 km", "5 kg"),
        ("9:30", "9:45"),
    ],
)
def test_other_values_are_not_the_same(one: str, other: str) -> None:
    assert not any(same(a, b) for a in values(one) for b in values(other) if a.kind == b.kind != "number")


def test_likeness_forgives_a_misread_letter_of_a_long_word_only() -> None:
    assert likeness("restaurant", "restaurart") > 0.8
    assert likeness("butter", "bitter") == 0.0
    assert likeness("c14", "c15") == 0.0


def test_words_that_exclude_each_other() -> None:
    assert contrasts(stem("monday"), stem("friday"))
    assert contrasts(stem("arrive"), stem("depart"))
    assert not contrasts(stem("begin"), stem("start"))
