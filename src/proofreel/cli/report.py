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
    embed_limit: Annotated[
        float,
        typer.Option(min=0, help="Megabytes of video that may stand inside the page; others are linked."),
    ] = 25.0,
    figures: Annotated[bool, typer.Option(help="Also draw SVG and PNG files (extra: figures).")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the numbers as JSON and nothing else.")
    ] = False,
) -> None:
    """Accuracy with intervals, ranks, every ending, slices, tokens, money, tools: a page, tables and figures.

    Writes report.html (overview, leaderboard, every question with its video and trajectory), report.md,
    numbers.json, runs.csv, slices.csv, tools.csv, items.csv, pairs.csv, and every table as CSV, Markdown and LaTeX
    in tables/ and as SVG and PNG in figures/.

    Example: proofreel report runs/blind runs/retrieval --out report
    """
    from proofreel.cli._report import print_numbers
    from proofreel.report.run_page import write_run_report
    from proofreel.runs.numbers_load import load_run

    loaded = [load_run(path, scores=scores) for path in runs]
    done = write_run_report(loaded, out, title=title, embed_mb=embed_limit, figures=figures)
    numbers = (done.page.parent / "numbers.json").read_text(encoding="utf-8")
    if as_json:
        typer.echo(numbers)
    else:
        print_numbers(numbers, done)
