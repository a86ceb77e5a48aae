"""Settings that nothing reads are refused; those that are read somewhere never are."""

import ast
from pathlib import Path

import pytest

from proofreel.agents import list_agents
from proofreel.core.errors import UserError
from proofreel.runs.fingerprint import source_of
from proofreel.runs.option_names import check_options


def test_a_misspelled_setting_is_refused_with_the_name_that_was_meant() -> None:
    with pytest.raises(
        UserError, match=r"--set max_frame: agent single_turn has no such setting.*max_frames"
    ):
        check_options(["max_frame"], "single_turn", ["proofreel.agents.single_turn"])


def test_what_only_another_agent_reads_is_said_and_not_refused() -> None:
    others = {"single_turn": "proofreel.agents.single_turn", "video_react": "proofreel.agents.video_react"}
    notes = check_options(["max_tool_failures"], "single_turn", ["proofreel.agents.single_turn"], others)
    assert notes == [
        "--set max_tool_failures changes nothing here: single_turn does not read it, video_react does"
    ]


@pytest.mark.parametrize("name", ["fps", "max_frames", "height", "thinking_budget"])
def test_what_the_published_commands_use_is_known(name: str) -> None:
    agent = "video_react" if name == "thinking_budget" else "single_turn"
    check_options([name], agent, [f"proofreel.agents.{agent}"])


def test_every_setting_that_an_agent_looks_up_is_accepted() -> None:
    """Read from the sources by another rule than the one under test: ``options.get("...")`` in the agent's own file."""
    seen = 0
    for name, spec in list_agents().items():
        for node in ast.walk(ast.parse(source_of(spec.run.__module__))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            of = node.func.value
            if node.func.attr == "get" and isinstance(of, ast.Attribute) and of.attr == "options":
                key = ast.literal_eval(node.args[0]) if isinstance(node.args[0], ast.Constant) else None
                if isinstance(key, str):
                    seen += 1
                    check_options([key], name, [spec.run.__module__])
    assert seen > 5


def test_a_video_that_is_a_link_keeps_its_name_in_the_folder(tmp_path: Path) -> None:
    from proofreel.runs.fingerprint import relative

    real = tmp_path / "elsewhere" / "a.mp4"
    real.parent.mkdir()
    real.write_bytes(b"x")
    root = tmp_path / "data"
    (root / "videos").mkdir(parents=True)
    (root / "videos" / "v.mp4").symlink_to(real)
    assert relative(str(root / "videos" / "v.mp4"), root) == "videos/v.mp4"


def test_an_agent_that_cannot_work_with_its_settings_is_refused_before_the_run() -> None:
    from proofreel.runs.setup import Wanted, prepare_run

    for options in ({}, {"command": "x", "entry": "m:f"}):
        with pytest.raises(UserError, match="give --set command='PROGRAM ARGUMENTS' or --set entry"):
            prepare_run(Wanted(benchmark="mini", agent="outside", options=options))
