"""``proofreel resume``: goes on where a run stopped or was killed."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    data: Annotated[
        Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Another money limit, earlier spend included.", show_default=False)
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Another number of questions at a time.", show_default=False)
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run questions again whose model, judge or harness failed.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Go on although data or code differ.")] = False,
) -> None:
    """Go on with a run. Finished questions stay, half-done ones replay their answers without being paid again.

    Refuses when the data or the code differ from those the run began with, naming the first difference.

    Example: proofreel resume runs/mini-blind
    """
    from proofreel.cli._run import resume_one

    resume_one(
        run, data=data, max_cost=max_cost, concurrency=concurrency, retry_failed=retry_failed, force=force
    )
