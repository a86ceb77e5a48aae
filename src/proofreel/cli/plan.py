"""``proofreel plan``: what a run will need and cost, before any call."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    benchmark: Annotated[
        str, typer.Argument(help="A benchmark; see: proofreel list benchmarks.", show_default=False)
    ],
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
        str | None, typer.Option(help="Model that reads letters out of answers.", show_default=False)
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
        float | None, typer.Option(min=0, help="Check against this limit in USD.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting of the agent, key=value; repeat it.", show_default=False),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="Limit of one question, key=value (tool_calls, ...).", show_default=False),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option("--measure", help="Time reading and hearing on a few seconds of video, here and now."),
    ] = False,
    out: Annotated[Path, typer.Option(help="Where the run's folder would go.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON and nothing else.")
    ] = False,
    show: Annotated[int, typer.Option(min=1, help="Findings printed of each kind.")] = 8,
) -> None:
    r"""Check the data and say what a run will cost in tokens, money, disk and time; nothing is sent anywhere.

    Exit code 0: clean; 1: it can run, but rows, files or times are at fault; 2: it cannot run as asked, and what
    would fit is said.

    \b
    Examples:
      proofreel plan agentvidbench --data DIR --agent single_turn --model openai/gpt-4o --set max_frames=384
      proofreel plan folder --data DIR --agent video_react --model openai/gpt-5 --max-cost 20
    """
    from proofreel.cli._plan import looking, print_plan
    from proofreel.cli._words import pairs
    from proofreel.runs.plan import make_plan
    from proofreel.runs.setup import Wanted

    wanted = Wanted(
        benchmark=benchmark,
        data=data,
        agent=agent,
        model=model,
        perceiver=perceiver,
        judge=judge,
        roles={k: str(v) for k, v in pairs("--role", role).items()},
        base_url=base_url,
        mode=mode.value,
        options=pairs("--set", option),
        limits=pairs("--budget", budget),
        epochs=epochs,
        limit=limit,
        ids=ids,
        max_cost=max_cost,
    )
    with looking() as progress:
        plan = make_plan(wanted, out=out, progress=progress, measure=measure)
    if as_json:
        typer.echo(plan.model_dump_json(indent=2))
    else:
        print_plan(plan, show)
    raise typer.Exit(plan.exit_code)
