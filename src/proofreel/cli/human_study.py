"""``proofreel human-study``: what people reached on the questions of VideoZeroBench, beside models."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    file: Annotated[Path, typer.Argument(help="CSV: participant, question_id, answer, windows, boxes.")],
    data: Annotated[
        Path | None, typer.Option(help="Data folder of the questions.", show_default=False)
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(help="A run to set beside people, on their questions; repeat it.", show_default=False),
    ] = None,
    mode: Annotated[Mode, typer.Option(help="Mended or published reading.")] = Mode.careful,
    out: Annotated[
        Path | None, typer.Option(help="Also write the tables as JSON to this file.", show_default=False)
    ] = None,
) -> None:
    """Score a human study: mean over participants within a question, then over questions. Blank answers are wrong.

    Example: proofreel human-study study.csv --data DIR --run runs/vzb
    """
    from proofreel.cli._human_study import human_study

    human_study(file, data=data, runs=run or [], mode=mode.value, out=out)
