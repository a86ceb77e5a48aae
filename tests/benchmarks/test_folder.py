import json
from pathlib import Path

import pytest

from proofreel.benchmarks import DataError, get_benchmark

PLAIN = {"video": "a.mp4", "question": "What colour is the door?", "answer": "red"}


def folder(tmp_path: Path, *rows: object) -> Path:
    (tmp_path / "a.mp4").write_bytes(b"x")
    text = "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows)
    (tmp_path / "questions.jsonl").write_text(text + "\n", encoding="utf-8")
    return tmp_path


def load(tmp_path: Path, *rows: object):
    return get_benchmark("folder").load(folder(tmp_path, *rows))


def test_three_keys_are_enough(tmp_path: Path) -> None:
    loaded = load(tmp_path, PLAIN)
    (item,) = loaded.items
    assert (item.question.id, item.question.options, item.gold.answer) == ("1", (), "red")
    assert item.question.video == str(tmp_path / "a.mp4")
    assert loaded.summary == "folder: 1 of 1 questions usable, 1 videos"


def test_everything_a_row_can_hold(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("")
    row = {
        **PLAIN,
        "id": "door",
        "options": ["blue", "red"],
        "windows": [[1, 2.5]],
        "boxes": [{"time": 2, "box": [0.1, 0.2, 0.3, 0.4]}],
        "milestones": ["find the door", {"id": "M2", "type": "counting", "description": "count"}],
        "transcript": "a.srt",
        "explanation": "SECRET",
        "metadata": {"level": 3},
        "topic": "houses",
    }
    (item,) = load(tmp_path, row).items
    assert item.gold.answer == "B"  # the text of an option names its letter
    assert (item.gold.windows[0].end, item.gold.boxes[0].box.values) == (2.5, (0.1, 0.2, 0.3, 0.4))
    assert [m.id for m in item.gold.milestones] == ["M1", "M2"]
    assert item.metadata["level"] == 3
    assert item.metadata["topic"] == "houses"  # spare keys can be sliced by
    assert "SECRET" not in item.question.model_dump_json()
    assert item.question.transcript == str(tmp_path / "a.srt")


def test_letters_and_texts_of_options() -> None:
    from proofreel.benchmarks.folder.rows import Row

    def letter(options: list[str], answer: str) -> str | None:
        return Row(video="a", question="q", options=options, answer=answer).letter

    assert letter(["x", "y", "z"], "C") == "C"
    assert letter(["B", "A"], "A") == "B"  # the text goes first
    assert letter(["2", "3"], "3") == "B"
    with pytest.raises(ValueError, match="neither the letter nor the text of one option"):
        letter(["A", "A", "x"], "A")  # which of the two?


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"window": [[0, 1]]}, "did you mean 'windows'"),
        ({"option": ["a", "b"]}, "did you mean 'options'"),
        ({"options": ["a", "b"], "answer": "C"}, "neither the letter nor the text"),
        ({"options": ["a", "a"], "answer": "a"}, "neither the letter nor the text"),
        ({"options": ["a", "b"], "answer": None}, "neither the letter nor the text"),
        ({"options": ["a"], "answer": "A"}, "one option"),
        ({"options": ["a", "b"], "answer": "A", "aliases": ["x"]}, "aliases are for open answers"),
        ({"answer": " "}, "the answer is empty"),
        ({"video": "b.mp4"}, "video b.mp4 is missing"),
        ({"windows": [[5, 1]]}, "ends before it starts"),
        ({"boxes": [{"time": 1, "box": [0.5, 0, 0.1, 1]}]}, ""),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(tmp_path: Path, change: dict, said: str) -> None:
    loaded = load(tmp_path, {**PLAIN, "id": "good"}, {**PLAIN, "id": "bad", **change})
    assert [i.question.id for i in loaded.items] == ["good"]
    (problem,) = [p for p in loaded.problems if p.fatal]
    assert said in str(problem)


def test_ids_twice_and_no_usable_row(tmp_path: Path) -> None:
    loaded = load(tmp_path, {**PLAIN, "id": 1}, {**PLAIN, "id": "1"})
    assert len(loaded.items) == 1
    assert "occurs twice" in str(loaded.problems[0])
    with pytest.raises(DataError, match="no usable question"):
        load(tmp_path, "{broken")
    with pytest.raises(DataError, match="--data"):
        get_benchmark("folder").load(None)
