"""``proofreel parity``: conformance vectors."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Mode(StrEnum):
    """Which of the two behaviours to check."""

    official = "official"
    careful = "careful"


def command(
    files: Annotated[list[Path], typer.Argument(help="Vector files (.jsonl).")],
    mode: Annotated[Mode, typer.Option(help="The published behaviour, or ours.")] = Mode.careful,
    show: Annotated[int, typer.Option(help="Mismatches printed at most.")] = 20,
) -> None:
    """Check our functions against vectors made with the official implementations.

    Exit code 1 when one differs, 2 when a function is not covered.

    Example: proofreel parity tests/parity/*.jsonl --mode official
    """
    from proofreel.parity import run_files

    report = run_files(files, mode.value)
    for miss in report.mismatches[:show]:
        typer.echo(f"{miss.id} {miss.fn}: want {miss.want!r}, got {miss.got!r}"[:600])
    failed: dict[str, int] = {}
    for miss in report.mismatches:
        failed[miss.fn] = failed.get(miss.fn, 0) + 1
    for name in sorted({*report.passed, *failed}):
        typer.echo(f"{name}: {report.passed.get(name, 0)} passed, {failed.get(name, 0)} failed")
    for name, count in sorted(report.not_covered.items()):
        typer.echo(f"{name}: not covered ({count} vectors)")
    typer.echo(f"{report.total_passed} passed, {len(report.mismatches)} failed")
    if report.mismatches or report.not_covered:
        raise typer.Exit(1 if report.mismatches else 2)
