"""Tables in narrow terminals: a value is whole or on another line, never cut."""

import io

from rich.console import Console

from proofreel.cli._grid import print_grid

HEADS = ("run", "right", "mean difference", "accuracy")
ROWS = (("agentvidbench-single_turn-any-vlm", "12", "0.123456789", "33.3%"), ("two words", "7", "1", "8%"))


def printed(width: int, rows: tuple[tuple[str, ...], ...] = ROWS, terminal: bool = True) -> str:
    out = io.StringIO()
    print_grid(Console(file=out, width=width, force_terminal=terminal, color_system=None), HEADS, rows)
    return out.getvalue()


def test_a_grid_that_fits_stays_on_its_lines() -> None:
    assert printed(100).splitlines()[1].split() == [
        "agentvidbench-single_turn-any-vlm",
        "12",
        "0.123456789",
        "33.3%",
    ]


def test_heads_and_words_wrap_before_anything_is_cut() -> None:
    # 33 letters of the name, 5, 11 and 8 of the others, three gaps of two: 63 columns are the least.
    lines = printed(63).splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 63
    assert lines[0].split() == ["mean"]
    assert lines[2].split() == list(ROWS[0])


def test_a_grid_too_wide_stands_on_its_side() -> None:
    # 15 of the longest head, 33, 9, two gaps: 61 columns.
    lines = printed(62).splitlines()
    assert [line.split()[0] for line in lines] == ["run", "right", "mean", "accuracy"]
    assert lines[1].split() == ["right", "12", "7"]


def test_what_fits_no_way_is_wider_than_the_screen_and_whole() -> None:
    text = printed(20)
    assert all(cell in text for row in ROWS for cell in row)
    assert all(head in text for head in HEADS)


def test_a_pipe_has_room() -> None:
    assert len(printed(40, terminal=False).splitlines()) == 3


def test_no_rows_show_the_heads() -> None:
    assert printed(80, ()).split() == ["run", "right", "mean", "difference", "accuracy"]
