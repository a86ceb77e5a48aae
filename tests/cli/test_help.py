"""The help names every verb in its group, and speaks of values in plain words."""

import pytest
from typer.testing import CliRunner

from proofreel.cli._help import GROUPS
from proofreel.cli.main import build


def help_of(*words: str) -> str:
    done = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(build(), [*words, "--help"])
    assert done.exit_code == 0
    return done.output


def verbs() -> set[str]:
    return {str(c.name) for c in build().registered_commands if not c.hidden}


def test_every_verb_stands_in_one_group() -> None:
    grouped = [name for group in GROUPS.values() for name in group]
    assert sorted(grouped) == sorted(verbs())


def test_lines_fit_a_narrow_terminal_uncut() -> None:
    text = help_of()
    assert "..." not in text.partition("Options:")[2]
    assert max(map(len, text.splitlines())) <= 88
    for group in GROUPS.values():
        for line in group.values():
            assert line in text


@pytest.mark.parametrize("verb", sorted(verbs()))
def test_help_has_an_example_and_plain_names(verb: str) -> None:
    text = help_of(verb)
    assert "Example" in text
    assert f"proofreel {verb} " in text
    assert "{" not in text.splitlines()[0]
    assert "list[str]" not in text.partition("Options:")[2]
    assert "range>" not in text
