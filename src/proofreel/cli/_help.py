"""How help looks: verbs in groups with a short line each, values by plain names."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

GROUPS = {
    "Ask": {
        "demo": "see it work, with no key and no network",
        "ask": "one question about a video, one proof page",
        "prepare": "read and hear videos ahead of time",
        "human": "answer questions yourself, on a page",
    },
    "Evaluate": {
        "list": "agents, benchmarks, judges, tools, models there are",
        "plan": "check data and foresee cost; sends nothing",
        "run": "run an agent on a benchmark",
        "resume": "go on with a run",
        "score": "score a run again, in another mode or with a judge",
        "report": "page, tables and figures of one or more runs",
        "diff": "what differs between two runs",
        "view": "a run's calls and messages, in the engine's viewer",
    },
    "Judge": {
        "judge": "how well trajectories were investigated",
        "validate-judge": "is this judge fit to judge?",
        "milestones": "make milestones out of explanations",
        "audit": "one cause for every wrong answer",
    },
    "Published protocols": {
        "parity": "our functions against vectors of the published code",
        "predictions": "a run in the published form, or score such a file",
        "human-study": "score a study with people",
    },
    "Plug in": {"mcp": "video tools for an agent of another program"},
}
"""Verbs in the order in which people meet them."""
VALUES = {
    "<str>": "TEXT",
    "<list[str]>": "TEXT",
    "<path>": "PATH",
    "<list[Path]>": "PATH",
    "<int>": "N",
    "<int range>": "N",
    "<float>": "NUMBER",
    "<float range>": "NUMBER",
}


class Verbs(TyperGroup):
    """The list of verbs, in groups; a verb without a group stands at the end with the start of its text."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the groups."""
        shown = {n: c for n in self.list_commands(ctx) if (c := self.get_command(ctx, n)) and not c.hidden}
        wide = max(map(len, shown), default=0)
        for title, verbs in GROUPS.items():
            rows = [(name.ljust(wide), text) for name, text in verbs.items() if name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        rest = [n for n in shown if not any(n in verbs for verbs in GROUPS.values())]
        if rest:
            with formatter.section("Others"):
                formatter.write_dl([(n, shown[n].get_short_help_str(60)) for n in rest])


class Verb(TyperCommand):
    """A verb whose help says PATH and TEXT, and writes its arguments in capitals."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, named for people where their code names no form."""
        params = super().get_params(ctx)
        for p in params:
            if p.metavar is None and p.param_type_name == "argument":
                p.metavar = p.name.upper()
            elif isinstance(p, TyperOption) and p.metavar is None:
                p.metavar = VALUES.get(p.display_type(ctx) or "")
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line; what must be given stands without braces."""
        return [re.sub(r"^\{(.*)\}", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]
