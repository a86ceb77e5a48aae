"""``proofreel audit``: why the wrong answers of a run are wrong."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli._options import (
    BaseUrl,
    Concurrency,
    DataFolder,
    FallbackJudge,
    Force,
    Generate,
    RetryFailed,
)


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    judge: Annotated[str, typer.Option(help="Model that names the cause.", show_default=False)],
    override: Annotated[
        Path | None,
        typer.Option(
            help="People's causes, CSV: item_id, cause, epoch, annotator (adjudicated decides). Kept with the run.",
            show_default=False,
        ),
    ] = None,
    fallback_judge: FallbackJudge = None,
    base_url: BaseUrl = None,
    generate: Generate = None,
    concurrency: Concurrency = 8,
    retry_failed: RetryFailed = False,
    data: DataFolder = None,
    force: Force = False,
) -> None:
    """Name one cause for every wrong answer: perception, retrieval, reasoning, formulation or execution.

    The same command goes on where it was stopped. Causes are in RUN/audits.

    Example: proofreel audit runs/gaia --judge openai/gpt-5 --override people.csv
    """
    from proofreel.cli._audit import audit
    from proofreel.cli._words import pairs

    audit(
        run,
        judge,
        override=override,
        fallback_judge=fallback_judge,
        base_url=base_url,
        config=pairs("--generate", generate),
        concurrency=concurrency,
        retry_failed=retry_failed,
        data=data,
        force=force,
    )
