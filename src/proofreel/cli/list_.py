"""``proofreel list``: what is there to choose from."""

from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What to list."""

    agents = "agents"
    benchmarks = "benchmarks"
    judges = "judges"
    tools = "tools"
    models = "models"


def command(kind: Annotated[Kind, typer.Argument(help="What to list.")]) -> None:
    """List agents, benchmarks, judges, tools or models.

    Example: proofreel list agents
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("what it is")
    for row in _rows(kind):
        table.add_row(*row)
    Console().print(table)


def _rows(kind: Kind) -> list[tuple[str, str]]:
    if kind is Kind.agents:
        from proofreel.agents import list_agents

        return [
            (a.name, a.summary + ("" if a.needs_model or "no model" in a.summary else " (no model needed)"))
            for a in list_agents().values()
        ]
    if kind is Kind.benchmarks:
        from proofreel.benchmarks import list_benchmarks

        return [(b.name, b.summary) for b in list_benchmarks()]
    if kind is Kind.tools:
        from proofreel.agents import list_agents
        from proofreel.tools import list_tools

        list_agents()  # agents bring tools of their own
        return [(t.name, t.description.splitlines()[0]) for t in list_tools().values()]
    if kind is Kind.judges:
        return [
            ("choice", "right iff the answer's letter is the gold letter; failures are counted apart"),
            ("open_exact", "open answers: equal to gold or an alias after a fixed clean-up; no model"),
            ("letters_vote", "a model reads the letter out of an answer, eight votes (run --judge MODEL)"),
            ("grounding", "tIoU of the cited windows with the gold windows"),
            (
                "rubric",
                "a model scores trajectories: five axes, milestones, failure tags (judge RUN --judge MODEL)",
            ),
            ("audit", "a model names the cause of a wrong answer, one of five (audit RUN --judge MODEL)"),
        ]
    from proofreel.models import list_cards

    return [(c.name, c.summary) for c in list_cards()]
