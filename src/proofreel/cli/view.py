"""``proofreel view``: the engine's log viewer on a run."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 7575,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Write a static viewer into this folder instead of serving.", show_default=False),
    ] = None,
) -> None:
    """Look at a run's calls, messages and scores in the engine's log viewer (this machine only).

    Example: proofreel view runs/mini-blind
    """
    from proofreel.cli._view import bundle_logs, serve_logs

    if bundle is not None:
        bundle_logs(run, bundle)
    else:
        serve_logs(run, port)
