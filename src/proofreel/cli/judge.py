"""``proofreel judge``: a model scores the trajectories of a run."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    run: Annotated[Path, typer.Argument(help="The run's folder.", show_default=False)],
    judge: Annotated[
        list[str],
        typer.Option(help="Model that judges; repeat it for a panel.", show_default=False),
    ],
    repeats: Annotated[int, typer.Option(min=1, help="Judgements of each trajectory.")] = 1,
    mode: Annotated[Mode | None, typer.Option(help="As the run, if left out.", show_default=False)] = None,
    grounded: Annotated[
        bool, typer.Option("--grounded", help="Show the judge frames from the moments the trajectory cites.")
    ] = False,
    mask_letter: Annotated[
        bool, typer.Option("--mask-letter", help="Hide the option letters a trajectory commits to.")
    ] = False,
    blind: Annotated[
        bool | None,
        typer.Option(
            "--blind/--named",
            help="Keep names of agent and model from the judge; left out: in careful mode.",
            show_default=False,
        ),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="A rubric of your own, as a text file.", show_default=False)
    ] = None,
    fallback_judge: Annotated[
        str | None,
        typer.Option(
            help="Model asked only when the judge fails; every line says who judged.", show_default=False
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the judges' server.", show_default=False)
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            help="Generation setting, key=value (max_tokens, max_retries, ...).", show_default=False
        ),
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Requests for one usable reply (careful mode).")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Judgements at a time.")] = 8,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="No more than this many USD for one judge.", show_default=False),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask once more where the judge failed.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="A new file, although one with these settings is there.")
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option(help="Judge although the data differ from the run's.")] = False,
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
        attempts=attempts,
        concurrency=concurrency,
        max_cost=max_cost,
        retry_failed=retry_failed,
        again=again,
        data=data,
        force=force,
    )
