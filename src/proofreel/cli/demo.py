"""``proofreel demo``: the whole thing on two shipped clips."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    out: Annotated[Path, typer.Option(help="Folder for the pages.")] = Path("demo_out"),
) -> None:
    """See it work: questions about a shipped clip, then ten benchmark questions, with no key and no network.

    Example: proofreel demo --out demo_out
    """
    from proofreel.cli._demo import run_demo

    run_demo(out)
