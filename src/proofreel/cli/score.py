"""``proofreel score``: new verdicts on a run's stored trajectories, with no inference."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    mode: Annotated[Mode | None, typer.Option(help="As the run, if left out.", show_default=False)] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="Model that judges, or reads letters; local rules if left out.", show_default=False
        ),
    ] = None,
    fallback_judge: Annotated[
        str | None,
        typer.Option(help="Model asked when the judge stays unavailable.", show_default=False),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the judge's server.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the new file; mode and judge if left out.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Score although the data differ from the run's.")
    ] = False,
) -> None:
    """Score a run again, in another mode or with another judge. The agents are not run, the first verdicts stay.

    Example: proofreel score runs/avb --mode official
    """
    from proofreel.cli._score import score_run

    score_run(
        run,
        mode=mode.value if mode else None,
        judge=judge,
        fallback_judge=fallback_judge,
        base_url=base_url,
        name=name,
        data=data,
        force=force,
    )
