"""``proofreel validate-judge``: is this judge fit to judge?"""

from pathlib import Path
from typing import Annotated

import typer


def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs to judge.", show_default=False)],
    judge: Annotated[str, typer.Option(help="The model to put to the test.", show_default=False)],
    checks: Annotated[
        str | None,
        typer.Option(
            help="Names with commas: separation, steadiness, paraphrase, assertion, removal, injection, padding, "
            "human, reference, cues; all if left out.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Trajectories a check asks about once more.")] = 50,
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="People's scores, CSV or JSONL: item_id, epoch, run, rater, P1 to P5.", show_default=False
        ),
    ] = None,
    paraphraser: Annotated[
        str | None,
        typer.Option(
            help="Model that rewords the rubric; our own other wording if left out.", show_default=False
        ),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="A rubric of your own, as a text file.", show_default=False)
    ] = None,
    grounded: Annotated[
        bool, typer.Option("--grounded", help="Test the judge with frames from cited moments.")
    ] = False,
    mask_letter: Annotated[
        bool, typer.Option("--mask-letter", help="Test the judge with option letters hidden.")
    ] = False,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the judge's server.", show_default=False)
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            help="Generation setting, key=value (max_tokens, max_retries, ...).", show_default=False
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Judgements at a time.")] = 8,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="No more than this many USD for one file.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option(help="Judge although the data differ from the runs'.")] = False,
) -> None:
    r"""Put a judge to the test: what it must tell apart, and what must not move it. Exit code 1 when a check fails.

    The same command goes on where it was stopped. Outcomes are in RUN/judgements/checks, as JSON and Markdown.

    \b
    Examples:
      proofreel validate-judge runs/avb --judge openai/gpt-5
      proofreel validate-judge runs/a runs/b --judge openai/gpt-5 --checks human,removal --ratings people.csv
    """
    from proofreel.cli._validate import validate
    from proofreel.cli._words import pairs

    validate(
        runs,
        judge,
        checks=checks,
        limit=limit,
        ratings=ratings,
        paraphraser=paraphraser,
        prompt=prompt,
        grounded=grounded,
        mask_letter=mask_letter,
        base_url=base_url,
        config=pairs("--generate", generate),
        concurrency=concurrency,
        max_cost=max_cost,
        data=data,
        force=force,
    )
