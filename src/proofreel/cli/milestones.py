"""``proofreel milestones``: milestones from people's explanations."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli._options import BaseUrl, Concurrency, Generate, RetryFailed


def command(
    file: Annotated[
        Path, typer.Argument(help="Questions with explanations (questions.jsonl).", show_default=False)
    ],
    model: Annotated[
        str, typer.Option(help="Model that makes them, such as openai/gpt-5.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="What was made, a line a question; FILE.milestones.jsonl if left out.", show_default=False
        ),
    ] = None,
    merged: Annotated[
        Path | None,
        typer.Option(help="Write the questions with their new milestones here.", show_default=False),
    ] = None,
    base_url: BaseUrl = None,
    generate: Generate = None,
    attempts: Annotated[int, typer.Option(min=1, help="Requests for one list that passes the linter.")] = 3,
    concurrency: Concurrency = 8,
    retry_failed: RetryFailed = False,
) -> None:
    """Make milestones from explanations: what must be found, never how. Lists that name tools or times are sent back.

    The same command goes on where it was stopped.

    Example: proofreel milestones data/questions.jsonl --model openai/gpt-5 --merged data/with_milestones.jsonl
    """
    from rich.console import Console

    from proofreel.cli._words import pairs
    from proofreel.core.errors import UserError
    from proofreel.runs.milestone_run import make_milestones, merge_milestones

    place = out or file.with_suffix(".milestones.jsonl")
    if merged is not None and merged.resolve() in (file.resolve(), place.resolve()):
        raise UserError(f"{merged}: is the file of the questions or of --out; choose another --merged")
    found = make_milestones(
        file,
        place,
        model,
        base_url=base_url,
        config=pairs("--generate", generate),
        attempts=attempts,
        concurrency=concurrency,
        retry_failed=retry_failed,
    )
    console = Console()
    failed = {q: e.reason for q, e in found.items() if e.status == "failed"}
    console.print(f"{len(found) - len(failed)} of {len(found)} questions have milestones", highlight=False)
    for question, why in list(failed.items())[:10]:
        console.print(
            f"question {question}: {why}", style="yellow", markup=False, highlight=False, soft_wrap=True
        )
    console.print(f"written: {place}", markup=False, highlight=False, soft_wrap=True)
    if merged is not None:
        merge_milestones(file, found, merged)
        console.print(f"written: {merged}", markup=False, highlight=False, soft_wrap=True)
    if failed:
        raise typer.Exit(1)
