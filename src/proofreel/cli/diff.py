"""``proofreel diff``: why two runs differ."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    first: Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Folder of another run.", show_default=False)],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON and nothing else.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="Items named for each kind of change.")] = 10,
) -> None:
    """Say what differs between two runs: settings, prompts, frames, models, then the items that changed.

    Exit code 0 when they are the same, 1 when they differ.

    Example: proofreel diff runs/monday runs/tuesday
    """
    from proofreel.cli._diff import print_diff
    from proofreel.runs.diff import diff_folders

    found = diff_folders(str(first), str(second))
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        print_diff(found, show)
    raise typer.Exit(0 if found.same else 1)
