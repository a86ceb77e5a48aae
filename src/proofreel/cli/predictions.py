"""``proofreel predictions``: VideoZeroBench's own file of predictions, out of a run, or scored."""

from pathlib import Path
from typing import Annotated

import typer

from proofreel.cli.ask import Mode


def command(
    source: Annotated[
        Path,
        typer.Argument(
            help="A run's folder to write out, or a prediction file to score.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where a run is written: .tsv or .json.", show_default=False)
    ] = None,
    mode: Annotated[Mode, typer.Option(help="Mended or published scoring of a file.")] = Mode.careful,
    box_mode: Annotated[
        str | None,
        typer.Option(
            help="How boxes of a file are written, where it does not say: normalized 0-1000, normalized 0-1, absolute.",
            show_default=False,
        ),
    ] = None,
    epoch: Annotated[int, typer.Option(min=1, help="Which pass of a run is written.")] = 1,
) -> None:
    r"""Write a run's predictions in the published form, or score such a file into NAME_scored.json.

    \b
    Examples:
      proofreel predictions runs/vzb --out model.tsv
      proofreel predictions model.tsv
      proofreel predictions model.tsv --mode official --box-mode "normalized 0-1000"
    """
    from proofreel.cli._predictions import score, write_out

    if source.is_dir():
        write_out(source, out, epoch)
    else:
        score(source, "official" if mode is Mode.official else "careful", box_mode)
