"""How numbers are written, and the report of runs as Markdown."""

from collections.abc import Sequence

from proofreel.core import Table
from proofreel.report.table_text import markdown
from proofreel.report.table_text import to_markdown as table_markdown
from proofreel.runs.numbers_records import RunNumbers, Span


def percent(value: float | None, digits: int = 1) -> str:
    """``41.0 %``; a dash when there is none."""
    return "-" if value is None else f"{value * 100:.{digits}f} %"


def ends(span: Span | None) -> str:
    """``31.9 to 50.8``; a dash when there is none."""
    return "-" if span is None else f"{span.low * 100:.1f} to {span.high * 100:.1f}"


def money(value: float | None) -> str:
    """US dollars; unknown is said."""
    return "unknown" if value is None else f"{value:,.4f}" if value < 1 else f"{value:,.2f}"


def to_markdown(title: str, runs: Sequence[RunNumbers], names: Sequence[str], tables: Sequence[Table]) -> str:
    """The report as Markdown: which runs, every table, what a reader must know."""
    parts = [f"# {markdown(title)}", ""]
    parts += [
        f"{i}. **{markdown(name)}**: `{n.path}`, {n.benchmark}, {n.mode} mode, scored by {n.scored_by}"
        for i, (n, name) in enumerate(zip(runs, names, strict=True), 1)
    ]
    parts += ["", *(table_markdown(t) for t in tables)]
    notes = [
        f"- {markdown(name)}: {markdown(note)}"
        for n, name in zip(runs, names, strict=True)
        for note in run_notes(n)
    ]
    return "\n".join([*parts, *(["## Notes", "", *notes, ""] if notes else [])])


def run_notes(n: RunNumbers) -> list[str]:
    """What a reader of a run's numbers must know."""
    subset = [f"a named subset: {n.named_subset}"] if n.named_subset else []
    reason = [f"no interval: {n.accuracy.reason}"] if n.accuracy.reason else []
    chance = [f"blind guessing would give {percent(n.chance)}"] if n.chance is not None else []
    served = [f"answered as {role}: {', '.join(names)}" for role, names in n.served.items()]
    return [*subset, *reason, *chance, *served, *n.notes]
