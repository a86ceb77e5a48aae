"""Path cues: what gives a way of watching away, and what is content."""

import pytest

from proofreel.core import Milestone
from proofreel.judges.milestones import lint_milestones, read_milestones
from proofreel.judges.path_cues import path_cues
from proofreel.judges.rubric_scores import InvalidVerdict


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Call analyze_video on the second half", ["tool_name"]),
        ("Use get_transcript(start=0) to find the remark", ["tool_name"]),
        ("At 4:10 she says that it is cool", ["timestamp"]),
        ("The cut happens at 75 s", ["timestamp"]),
        ("at the 42nd second the light goes out", ["timestamp"]),
        ("Inspect 1:05-1:20 closely", ["time_range"]),
        ("Between 0:30 and 0:45 two cars pass", ["time_range"]),
        ("Watch 10-20 s again", ["time_range"]),
        ("Only the first 30 seconds matter", ["time_range"]),
        ("Bowls at 4:15, 4:22, 4:31", ["timestamp_list"]),
        ("3 + 4 + 2 bowls", ["arithmetic_chain"]),
        ("12 - 5 = 7 remain", ["arithmetic_chain"]),
        ("At 1:05 and so 2 + 3 = 5, see get_transcript", ["arithmetic_chain", "timestamp", "tool_name"]),
    ],
)
def test_cues_are_found_once_each(text: str, kinds: list[str]) -> None:
    assert sorted(c.kind for c in path_cues(text)) == sorted(kinds)


@pytest.mark.parametrize(
    "text",
    [
        "Find the remark that the kiln is cool",
        "Count the blue bowls lifted before the first green bowl as three",
        "Leave out bowls that stand on the table already",
        "The clock on the wall reads 10:45",
        "The shop opens at 9:30 am",
        "The sign shows opening hours of 8:00",
        "Add the two prices and compare the sum with the budget",
        "The number plate is AB-12-34",
        "The 1990s car overtakes 3 lorries",
        "A score of three goals to one",
    ],
)
def test_content_is_no_cue(text: str) -> None:
    assert path_cues(text) == []


def ms(*texts: str, kind: str = "counting") -> list[Milestone]:
    return [Milestone(id=f"M{n}", type=kind, description=t) for n, t in enumerate(texts, 1)]


CLEAN = ("Find the remark", "Locate the unloading", "Count the bowls as three")


def test_a_clean_list_has_no_faults() -> None:
    assert lint_milestones(ms(*CLEAN)) == []


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (ms("Find the remark", "Count the bowls"), "2 milestones; give 3 to 7"),
        (ms(*CLEAN, kind="looking"), "unknown type 'looking'"),
        ([m.model_copy(update={"id": "M3"}) for m in ms(*CLEAN)], "ids must run M1, M2, M3"),
        (ms(*CLEAN[:2], "Look at 1:05 and 1:20"), "M3 holds a time range"),
        (ms(*CLEAN[:2], "Map the count to option D"), "M3 speaks of an option"),
        (ms(*CLEAN[:2], "As the annotator says, count them"), "M3 speaks of the material"),
        (ms(*CLEAN[:2], "Count them\nand again"), "M3 is more than one line"),
    ],
)
def test_every_fault_is_named(listed: list[Milestone], said: str) -> None:
    assert any(said in f for f in lint_milestones(listed))


def test_all_faults_are_told_at_once() -> None:
    reply = '{"milestones": [{"id": "M1", "type": "counting", "description": "Count at 1:05"}]}'
    with pytest.raises(InvalidVerdict, match="1 milestones.*M1 holds a timestamp"):
        read_milestones(reply)
