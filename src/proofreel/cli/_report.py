"""Numbers of runs in a terminal."""

import json
from collections.abc import Callable, Sequence

from rich.console import Console

from proofreel.cli._grid import print_grid
from proofreel.report.number_tables import ENDINGS
from proofreel.report.run_markdown import ends, money, percent
from proofreel.report.run_page import Written
from proofreel.report.terminal import plain
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_records import RunNumbers


def print_numbers(text: str, done: Written) -> None:
    """Prints what ``numbers.json`` holds, what was written, and last where the page is."""
    data = json.loads(text)
    runs = [RunNumbers.model_validate(n) for n in data["runs"]]
    pairs = [Pair.model_validate(p) for p in data["pairs"]]
    console = Console(highlight=False, soft_wrap=True)
    for i, n in enumerate(runs, 1):
        console.print(plain(f"{i}  {n.path}: {n.name}, {n.mode} mode, scored by {n.scored_by}"), markup=False)
    _table(
        console,
        ("run", "accuracy", "95 % interval", "by question", "by video", "right/asked", "bounds", "tIoU (of)"),
        runs,
        _accuracy,
    )
    _table(console, ("run", *(e.replace("_", " ") for e in ENDINGS)), runs, _endings)
    _table(
        console,
        ("run", "tokens", "acc/M tokens", "USD each", "USD paid", "frames", "tool calls", "seconds"),
        runs,
        _usage,
    )
    for p in pairs:
        d = p.paired
        by = (
            f"by video {ends(d.by_video)}"
            if d.by_video
            else f"by question {ends(d.by_question)} ({d.videos} videos)"
        )
        console.print(
            f"{p.b + 1} - {p.a + 1}: {d.difference * 100:+.1f} points on {d.pairs} pairs, "
            f"95 % {by}, p {d.by_video_p:.3g} (Holm {p.holm_p:.3g})",
            markup=False,
        )
    for i, n in enumerate(runs, 1):
        for o in n.official:
            console.print(
                f"{i}  AgentVidBench {o.mode}: {o.n_correct} / {o.n}, {percent(o.accuracy)}", markup=False
            )
        for note in [*([f"named subset: {n.named_subset}"] if n.named_subset else []), *n.notes]:
            console.print(plain(f"{i}  note: {note}"), style="yellow", markup=False)
    for note in done.notes:
        console.print(f"note: {note}", style="yellow", markup=False)
    folder = done.page.parent
    console.print(
        f"{len(done.tables)} tables in {folder / 'tables'} (CSV, Markdown, LaTeX)"
        + (f", {len(done.figures)} figures in {folder / 'figures'} (SVG, PNG)" if done.figures else ""),
        markup=False,
    )
    console.print(f"report: {done.page} (open it in a browser)", style="bold", markup=False)


def _table(
    console: Console, head: Sequence[str], runs: Sequence[RunNumbers], row: Callable[[RunNumbers], list[str]]
) -> None:
    console.print()
    print_grid(console, head, [[str(i), *row(n)] for i, n in enumerate(runs, 1)], text=())


def _accuracy(n: RunNumbers) -> list[str]:
    a, b = n.accuracy, n.bounds
    around = "-" if b is None else f"{b.low * 100:.1f} to {b.high * 100:.1f}"
    return [
        percent(a.rate),
        ends(a.interval),
        ends(a.by_question),
        ends(a.by_video) if a.by_video else f"- ({a.videos} videos)",
        f"{a.right}/{a.asked}",
        around,
        "-" if n.tiou is None else f"{n.tiou:.2f} ({n.tiou_of})",
    ]


def _endings(n: RunNumbers) -> list[str]:
    return [str(n.counts.of(e)) for e in ENDINGS]


def _usage(n: RunNumbers) -> list[str]:
    u = n.usage
    each = [None if s is None else s.mean for s in (u.tokens, u.frames, u.tool_calls, u.seconds)]
    tokens, frames, tools, seconds = ("-" if v is None else f"{v:,.1f}" for v in each)
    return [
        tokens,
        percent(u.efficiency, 2),
        money(u.cost_per_question),
        money(u.paid),
        frames,
        tools,
        seconds,
    ]
