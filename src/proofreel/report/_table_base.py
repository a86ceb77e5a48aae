"""What the builders of the shared tables have in common."""

import re
from collections.abc import Sequence

from proofreel.core import Column
from proofreel.core.table import PlotKind
from proofreel.runs.numbers_records import COUNTED, RunNumbers, Span

GROUP = "Runs"
ENDINGS = (*COUNTED, "not_run")
MOST_SERIES = 8
"""Polygons, lines or neighbouring bars that can be told apart."""


def percents(value: float | None) -> float | None:
    """A share in percent; missing stays missing."""
    return None if value is None else value * 100


def run_names(runs: Sequence[RunNumbers]) -> list[str]:
    """A short name for each run, unique: agent and model, with what else tells them apart."""
    parts = [[n.agent, *([n.model.split("/")[-1]] if n.model else [])] for n in runs]
    names = [" ".join(p) for p in parts]
    tails = [n.path.rstrip("/").split("/")[-1] for n in runs]
    for more in ([n.mode for n in runs], [n.benchmark for n in runs], tails):
        told = {x: len({m for m, y in zip(more, names, strict=True) if y == x}) > 1 for x in names}
        names = [f"{x} ({m})" if told[x] else x for x, m in zip(names, more, strict=True)]
    return [f"{x} #{k}" if names.count(x) > 1 else x for k, x in enumerate(names, 1)]


def span_ends(span: Span | None) -> tuple[float | None, float | None]:
    return (None, None) if span is None else (span.low * 100, span.high * 100)


def rate(name: str, digits: int = 1) -> Column:
    return Column(name=name, unit="percent", digits=digits)


def kind_for(series: int, kind: PlotKind) -> PlotKind:
    """The kind asked for; a heat map where so many series would cover each other."""
    return "heat" if series > MOST_SERIES else kind


def table_id(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
