"""``proofreel run``: a benchmark under an agent, every result kept as soon as it exists."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    benchmark: Annotated[
        str | None, typer.Argument(help="A benchmark; see: proofreel list benchmarks.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Its data folder; left out: data shipped with it.", show_default=False)
    ] = None,
    agent: Annotated[str, typer.Option(help="Who answers; see: proofreel list agents.")] = "retrieval",
    model: Annotated[
        str | None, typer.Option(help="Main model, such as openai/gpt-5.", show_default=False)
    ] = None,
    perceiver: Annotated[
        str | None,
        typer.Option(help="Model that looks at frames; the main model if left out.", show_default=False),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="Model that judges answers (or reads letters); local rules if left out.", show_default=False
        ),
    ] = None,
    fallback_judge: Annotated[
        str | None,
        typer.Option(
            help="Model that judges when the judge stays unavailable (benchmarks judged by models).",
            show_default=False,
        ),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            help="Another model of the agent, role=model (captioner=NAME); repeat it.", show_default=False
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Address of the model server, for servers of your own.", show_default=False),
    ] = None,
    mode: Annotated[Mode, typer.Option(help="Mended or published protocol.")] = Mode.careful,
    epochs: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many questions.", show_default=False)
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only these questions: 3 or 1,4 or 10-20.", show_default=False)
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Hard stop: no more than this many USD (with --matrix: for all together).",
            show_default=False,
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1, help="Questions at a time; 8 with a model, one per core without.", show_default=False
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting of the agent, key=value; repeat it.", show_default=False),
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            help="Generation setting of the models, key=value (temperature, ...).", show_default=False
        ),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help="Limit of one question, key=value: turns, tool_calls, tokens, frames, seconds, usd.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder; runs/NAME-TIME if left out.", show_default=False)
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option(
            help="YAML file with lists of agents, models and benchmarks to combine.", show_default=False
        ),
    ] = None,
) -> None:
    r"""Run an agent on a benchmark. Kill it at any time: proofreel resume goes on with nothing lost or paid twice.

    \b
    Examples:
      proofreel run mini --agent retrieval
      proofreel run agentvidbench --data DIR --agent video_react --model openai/gpt-5 --max-cost 20
      proofreel run agentvidbench --data DIR --agent single_turn --model NAME --base-url URL --set fps=1 --ids 1-10
      proofreel run --matrix matrix.yaml --out runs/matrix
    """
    from proofreel.cli._run import run_matrix, run_one
    from proofreel.cli._words import pairs
    from proofreel.core.errors import UserError

    if matrix is not None:
        run_matrix(matrix, out, max_cost)
        return
    if benchmark is None:
        raise UserError("name a benchmark (proofreel list benchmarks shows them) or give --matrix FILE")
    run_one(
        out,
        benchmark=benchmark,
        data=data,
        agent=agent,
        model=model,
        perceiver=perceiver,
        judge=judge,
        fallback_judge=fallback_judge,
        roles={k: str(v) for k, v in pairs("--role", role).items()},
        base_url=base_url,
        mode=mode.value,
        epochs=epochs,
        limit=limit,
        ids=ids,
        max_cost=max_cost,
        concurrency=concurrency,
        options=pairs("--set", option),
        generate=pairs("--generate", generate),
        limits=pairs("--budget", budget),
    )
