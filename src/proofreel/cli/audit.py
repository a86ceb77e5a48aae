"""``proofreel audit``: why the wrong answers of a run are wrong."""

from pathlib import Path
from typing import Annotated

import typer


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
    fallback_judge: Annotated[
        str | None, typer.Option(help="Model asked only when the judge fails.", show_default=False)
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the judge's server.", show_default=False)
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            help="Generation setting, key=value (max_tokens, max_retries, ...).", show_default=False
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Answers at a time.")] = 8,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask once more where the judge failed.")
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option(help="Audit although the data differ from the run's.")] = False,
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
