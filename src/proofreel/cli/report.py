"""``proofreel report``: the numbers of runs, printed and written."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the page and the tables.")] = Path("report"),
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Run report",
    scores: Annotated[
        str | None,
        typer.Option(
            help="Verdicts of this scoring (proofreel score) instead of the first.", show_default=False
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the numbers as JSON and nothing else.")
    ] = False,
) -> None:
    """Accuracy with intervals, every ending, slices, tokens, money, tools and time of one or several runs.

    Writes report.html, report.md, numbers.json, runs.csv, slices.csv, tools.csv, items.csv and, for several runs,
    pairs.csv.

    Example: proofreel report runs/blind runs/retrieval --out report
    """
    from proofreel.cli._report import print_numbers
    from proofreel.report.run_page import write_run_report
    from proofreel.runs.numbers_load import load_run

    loaded = [load_run(path, scores=scores) for path in runs]
    page = write_run_report(loaded, out, title=title)
    numbers = (page.parent / "numbers.json").read_text(encoding="utf-8")
    if as_json:
        typer.echo(numbers)
    else:
        print_numbers(numbers, page)
