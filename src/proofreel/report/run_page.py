"""The report of runs: one HTML page, and every number as CSV, Markdown, LaTeX, JSON and figures in a folder."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from proofreel.core import Table
from proofreel.report import table_text
from proofreel.report._run_html import page
from proofreel.report.errors import ReportError
from proofreel.report.figures import draw, have_figures
from proofreel.report.number_tables import number_tables, run_names
from proofreel.report.run_markdown import to_markdown
from proofreel.report.run_tables import headline_rows, item_rows, pair_rows, slice_rows, to_csv, tool_rows
from proofreel.runs.judgements import judge_tables
from proofreel.runs.numbers import run_numbers
from proofreel.runs.numbers_compare import compare_runs
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.numbers_ranking import leaderboards
from proofreel.runs.views import benchmark_tables

EMBED_MB = 25.0
NO_FIGURES = "no SVG and PNG figures: pip install 'proofreel[figures]' adds them; the page draws its own"


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        page: the HTML page.
        tables: in the order of the page.
        figures: file names without ending, below ``figures``.
        notes: what a person must know, one line each.
    """

    page: Path
    tables: tuple[Table, ...]
    figures: tuple[str, ...]
    notes: tuple[str, ...]


def write_run_report(
    runs: Sequence[ScoredRun],
    out: str | PathLike[str],
    *,
    title: str = "Run report",
    embed_mb: float = EMBED_MB,
    figures: bool = True,
) -> Written:
    """Writes ``report.html``, ``report.md``, ``numbers.json``, CSV files, ``tables`` and ``figures``.

    Every file is written in one move, the page last. The same runs give the same bytes.

    Args:
        runs: from ``load_run``.
        out: folder, made when absent.
        title: heading of the page.
        embed_mb: megabytes of video that may stand inside the page; other videos are linked.
        figures: also draw SVG and PNG files, when matplotlib is there.

    Raises:
        ReportError: there is no run, or the folder cannot be written to.
    """
    if not runs:
        raise ReportError("nothing to report: name at least one run folder")
    folder = Path(out)
    numbers = [run_numbers(r) for r in runs]
    pairs, boards = compare_runs(runs), leaderboards(runs)
    names = run_names(numbers)
    own = (*benchmark_tables(runs), *judge_tables(runs))
    told = {t.title for t in own}  # a benchmark's own cut by difficulty stands for the shared one
    shared = (t for t in number_tables(numbers, pairs, boards) if t.title not in told)
    tables = unique((*shared, *own))
    texts = {
        "runs.csv": to_csv(headline_rows(numbers)),
        "slices.csv": to_csv(slice_rows(numbers)),
        "tools.csv": to_csv(tool_rows(numbers)),
        "items.csv": to_csv(item_rows(runs)),
        **({"pairs.csv": to_csv(pair_rows(numbers, pairs))} if pairs else {}),
        "report.md": to_markdown(title, numbers, names, tables),
        "numbers.json": json.dumps(
            {
                "format_version": 1,
                "runs": [n.model_dump(mode="json") for n in numbers],
                "pairs": [p.model_dump(mode="json") for p in pairs],
                "leaderboards": [b.model_dump(mode="json") for b in boards],
            },
            indent=1,
            ensure_ascii=False,
        ),
    }
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    for table in tables:
        for ending, write in _FORMS.items():
            files[f"tables/{table.id}.{ending}"] = write(table).encode("utf-8", "replace")
    drawable = figures and have_figures()
    drawn = []
    for table in tables if drawable else ():
        for ending, data in draw(table).items():
            files[f"figures/{table.id}.{ending}"] = data
            drawn.append(table.id)
    shown = tuple(dict.fromkeys(drawn))
    html = page(runs, numbers, names, pairs, tables, title, folder / "report.html", embed_mb, set(shown))
    files["report.html"] = html.encode("utf-8", "replace")
    _write(folder, files)
    notes = (NO_FIGURES,) if figures and not drawable else ()
    return Written(folder / "report.html", tables, shown, notes)


def unique(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables, a number added to an id that occurred before."""
    seen: dict[str, int] = {}
    found = []
    for table in tables:
        seen[table.id] = seen.get(table.id, 0) + 1
        again = seen[table.id]
        found.append(table if again == 1 else table.model_copy(update={"id": f"{table.id}_{again}"}))
    return tuple(found)


_FORMS: dict[str, Callable[[Table], str]] = {
    "csv": table_text.to_csv,
    "md": table_text.to_markdown,
    "tex": table_text.to_latex,
}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    try:
        for name in ("tables", "figures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            target = folder / name
            # A name of this process's own: two reports may be written into one folder at a time.
            fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
            try:
                fresh.write_bytes(data)
                fresh.replace(target)
            except OSError:
                fresh.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from error
