"""``proofreel judge``: a model scores the trajectories of a run."""

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
    Grounded,
    MaskLetter,
    MaxCost,
    RetryFailed,
    Rubric,
    Schema,
)
from proofreel.cli.ask import Mode


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    judge: Annotated[
        list[str],
        typer.Option(help="Model that judges; repeat it for a panel.", show_default=False),
    ],
    repeats: Annotated[int, typer.Option(min=1, help="Judgements of each trajectory.")] = 1,
    mode: Annotated[Mode | None, typer.Option(help="As the run, if left out.", show_default=False)] = None,
    grounded: Grounded = False,
    mask_letter: MaskLetter = False,
    blind: Annotated[
        bool | None,
        typer.Option(
            "--blind/--named",
            help="Keep names of agent and model from the judge; left out: in careful mode.",
            show_default=False,
        ),
    ] = None,
    prompt: Rubric = None,
    fallback_judge: FallbackJudge = None,
    base_url: BaseUrl = None,
    generate: Generate = None,
    schema: Schema = None,
    attempts: Annotated[int, typer.Option(min=1, help="Requests for one usable reply (careful mode).")] = 3,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = None,
    retry_failed: RetryFailed = False,
    again: Annotated[
        bool, typer.Option("--again", help="A new file, although one with these settings is there.")
    ] = False,
    data: DataFolder = None,
    force: Force = False,
) -> None:
    r"""Judge the trajectories of a run: five axes, milestone coverage, failure tags.

    Kill it at any time; the same command goes on. Judgements are in RUN/judgements.

    \b
    Examples:
      proofreel judge runs/avb --judge anthropic/claude-opus-4-7
      proofreel judge runs/avb --judge openai/gpt-5 --judge google/gemini-2.5-pro --repeats 3
    """
    from proofreel.cli._judge import judge_all
    from proofreel.cli._words import pairs

    judge_all(
        run,
        judge,
        mode=mode.value if mode else None,
        repeats=repeats,
        grounded=grounded,
        mask_letter=mask_letter,
        blind=blind,
        prompt=prompt,
        fallback_judge=fallback_judge,
        base_url=base_url,
        config=pairs("--generate", generate),
        structured=schema,
        attempts=attempts,
        concurrency=concurrency,
        max_cost=max_cost,
        retry_failed=retry_failed,
        again=again,
        data=data,
        force=force,
    )
