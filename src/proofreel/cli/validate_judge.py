"""``proofreel validate-judge``: is this judge fit to judge?"""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli._options import (
    BaseUrl,
    Concurrency,
    DataFolder,
    Force,
    Generate,
    Grounded,
    MaskLetter,
    MaxCost,
    Rubric,
    Schema,
)


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
    prompt: Rubric = None,
    grounded: Grounded = False,
    mask_letter: MaskLetter = False,
    base_url: BaseUrl = None,
    generate: Generate = None,
    schema: Schema = None,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = None,
    data: DataFolder = None,
    force: Force = False,
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
        structured=schema,
        concurrency=concurrency,
        max_cost=max_cost,
        data=data,
        force=force,
    )
